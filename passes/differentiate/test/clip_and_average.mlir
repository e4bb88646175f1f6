// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --differentiate --split-input-file --verify-diagnostics | FileCheck %s

// The gradients are clipped by value and by the norm of all of them, where the variables are updated. The
// average follows the update.
module attributes {cutset.clip_value = 2.0, cutset.clip_norm = 1.0, cutset.average = {decay = 0.9, functions = ["evaluate"]}} {
  cutset.variable @w : tensor<4xf32>
  cutset.variable @"w/average" : tensor<4xf32> state_of @w starts_as_owner
  // CHECK: @train({{.*}}%[[VALUE:arg[0-9]+]]: tensor<f32> {cutset.hyper_parameter = 2.000000e+00 : f64, cutset.input = "clip_value"}, %[[NORM:arg[0-9]+]]: tensor<f32> {cutset.hyper_parameter = 1.000000e+00 : f64, cutset.input = "clip_norm"}
  // CHECK-SAME: cutset.input = "learning_rate"
  // CHECK-SAME: %[[DECAY:arg[0-9]+]]: tensor<f32> {cutset.hyper_parameter = 9.000000e-01 : f64, cutset.input = "average_decay"}
  func.func @train(%x: tensor<4xf32> {cutset.input = "x"}) -> (tensor<f32> {cutset.minimize = {op = "sgd", learning_rate = 0.1, momentum = 0.9}, cutset.output = "loss"}) {
    %w = cutset.read @w : tensor<4xf32>
    %0 = cutset.mul %w, %x id 1 : tensor<4xf32>, tensor<4xf32>
    %1 = cutset.reduce_sum %0 id 2 : tensor<4xf32>
    // CHECK: %[[C:.*]] = cutset.clip_gradient {{.*}}, %[[VALUE]] id 3
    // CHECK: %[[SQUARES:.*]] = cutset.mul %[[C]], %[[C]] id 3
    // CHECK: %[[SUM:.*]] = cutset.reduce_sum %[[SQUARES]] id 3
    // CHECK: cutset.sqrt %[[SUM]] id 3
    // CHECK: %[[FACTOR:.*]] = cutset.add {{.*}} id 3 : tensor<f32>, tensor<f32>
    // CHECK: %[[G:.*]] = cutset.scale_gradient %[[C]], %{{.*}} id 3
    // CHECK: %new_variable, %{{.*}} = cutset.sgd {{.*}}, %[[G]], {{.*}} id 3
    // CHECK: %[[A:.*]] = cutset.read @"w/average"
    // CHECK: %[[NEXT:.*]] = cutset.moving_average %[[A]], %new_variable, %[[DECAY]] id 3
    // CHECK: cutset.assign @"w/average", %[[NEXT]]
    return %1 : tensor<f32>
  }
}
// -----
// The states of an optimizer have their own types and first values.
// CHECK-LABEL: module {
module {
  // CHECK: cutset.variable @"w/square_sum" : tensor<4xf32> state_of @w first 2.500000e-01
  // CHECK: cutset.variable @"w/steps" : tensor<f32> state_of @w
  // CHECK-NOT: first
  cutset.variable @w : tensor<4xf32>
  func.func @train(%x: tensor<4xf32> {cutset.input = "x"}) -> (tensor<f32> {cutset.minimize = {op = "adagrad", first_sum = 0.25, learning_rate = 0.1, learning_rate_decay = 0.0, epsilon = 0.1, weight_decay = 0.0}, cutset.output = "loss"}) {
    %w = cutset.read @w : tensor<4xf32>
    %0 = cutset.mul %w, %x id 1 : tensor<4xf32>, tensor<4xf32>
    %1 = cutset.reduce_sum %0 id 2 : tensor<4xf32>
    // CHECK: cutset.adagrad {{.*}} <{first_sum = 2.500000e-01 : f64}>
    return %1 : tensor<f32>
  }
}
// -----
module {
  cutset.variable @w : tensor<4xf32>
  // expected-error@+1 {{the optimizer 'adam' has no 'beta1'}}
  func.func @train(%x: tensor<4xf32> {cutset.input = "x"}) -> (tensor<f32> {cutset.minimize = {op = "adam", learning_rate = 0.1}, cutset.output = "loss"}) {
    %w = cutset.read @w : tensor<4xf32>
    %0 = cutset.mul %w, %x id 1 : tensor<4xf32>, tensor<4xf32>
    %1 = cutset.reduce_sum %0 id 2 : tensor<4xf32>
    return %1 : tensor<f32>
  }
}
