// SPDX-License-Identifier: Apache-2.0
// Optimizers of some variables, with groups, in functions with other names than @train.
// RUN: cutset-opt %s --differentiate --split-input-file --verify-diagnostics | FileCheck %s

// @train_d updates only @a, with its own states and hyper-parameters. @train gives @b another learning rate.
// CHECK-LABEL: module {
module {
  // CHECK-DAG: cutset.variable @"a/train_d/velocity" : tensor<f32> state_of @a
  // CHECK-DAG: cutset.variable @"a/velocity" : tensor<f32> state_of @a
  // CHECK-DAG: cutset.variable @"b/velocity" : tensor<f32> state_of @b
  // CHECK-NOT: "b/train_d/velocity"
  cutset.variable @a : tensor<f32>
  cutset.variable @b : tensor<f32>
  // CHECK: func.func @train_d(%[[RATE:.*]]: tensor<f32> {cutset.hyper_parameter = 5.000000e-01 : f64, cutset.input = "train_d/learning_rate"}, %[[MOMENTUM:.*]]: tensor<f32> {cutset.hyper_parameter = 2.500000e-01 : f64, cutset.input = "train_d/momentum"}) -> (tensor<f32> {cutset.output = "loss"})
  // CHECK: cutset.sgd {{.*}}, %[[RATE]], %[[MOMENTUM]]
  // CHECK-NOT: cutset.sgd
  func.func @train_d() -> (tensor<f32> {cutset.minimize = {op = "sgd", learning_rate = 0.5, momentum = 0.25, variables = ["a"]}, cutset.output = "loss"}) {
    %a = cutset.read @a : tensor<f32>
    %b = cutset.read @b : tensor<f32>
    %0 = cutset.mul %a, %b id 1 : tensor<f32>, tensor<f32>
    return %0 : tensor<f32>
  }
  // CHECK: func.func @train(%[[RATE:.*]]: tensor<f32> {cutset.hyper_parameter = 1.000000e-01 : f64, cutset.input = "learning_rate"}, %[[MOMENTUM:.*]]: tensor<f32> {cutset.hyper_parameter = 9.000000e-01 : f64, cutset.input = "momentum"}, %[[SLOW:.*]]: tensor<f32> {cutset.hyper_parameter = 1.000000e-02 : f64, cutset.input = "slow/learning_rate"})
  // CHECK: cutset.sgd {{.*}}, %[[RATE]], %[[MOMENTUM]]
  // CHECK: cutset.sgd {{.*}}, %[[SLOW]], %[[MOMENTUM]]
  func.func @train() -> (tensor<f32> {cutset.minimize = {op = "sgd", learning_rate = 0.1, momentum = 0.9, groups = [{name = "slow", variables = ["b"], learning_rate = 0.01}]}, cutset.output = "loss"}) {
    %a = cutset.read @a : tensor<f32>
    %b = cutset.read @b : tensor<f32>
    %0 = cutset.mul %a, %b id 1 : tensor<f32>, tensor<f32>
    return %0 : tensor<f32>
  }
}
// -----
// No variable that the optimizer may update has a gradient.
module {
  cutset.variable @a : tensor<f32>
  cutset.variable @b : tensor<f32>
  func.func @train_d(%x: tensor<f32> {cutset.input = "x"}) -> (tensor<f32> {cutset.minimize = {op = "sgd", learning_rate = 0.5, momentum = 0.25, variables = ["b"]}, cutset.output = "loss"}) {
    %a = cutset.read @a : tensor<f32>
    // expected-error@+1 {{minimize trains nothing}}
    %0 = cutset.mul %a, %x id 1 : tensor<f32>, tensor<f32>
    return %0 : tensor<f32>
  }
}
