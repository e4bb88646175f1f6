// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --make-functions --split-input-file --verify-diagnostics | FileCheck %s

// Each variable that minimize may train has an average, which the named functions read.
// CHECK-LABEL: module
module attributes {cutset.average = {decay = 0.9, functions = ["evaluate"]}} {
  // CHECK: cutset.variable @"w/average" : tensor<4xf32> state_of @w starts_as_owner
  cutset.variable @w : tensor<4xf32>
  // CHECK-NOT: @"f/average"
  // CHECK-NOT: @"n/average"
  cutset.variable @f : tensor<4xf32> frozen
  cutset.variable @n : tensor<4xi32>
  func.func @graph() -> (tensor<4xf32> {cutset.minimize = {}, cutset.output = "loss"}, tensor<4xf32> {cutset.output = "p", cutset.function = "predict"}) {
    %w = cutset.read @w : tensor<4xf32>
    %f = cutset.read @f : tensor<4xf32>
    %0 = cutset.mul %w, %f : tensor<4xf32>, tensor<4xf32>
    // CHECK: @train
    // CHECK: cutset.read @w : tensor
    // CHECK: @evaluate
    // CHECK: cutset.read @"w/average"
    // CHECK-NEXT: cutset.read @f
    // CHECK: @predict
    // CHECK: cutset.read @w : tensor
    return %0, %0 : tensor<4xf32>, tensor<4xf32>
  }
}
// -----
module attributes {cutset.average = {decay = 0.9, functions = ["test"]}} {
  cutset.variable @w : tensor<4xf32>
  // expected-error@+1 {{average_weights names the function "test", which the graph does not have}}
  func.func @graph() -> (tensor<4xf32> {cutset.minimize = {}, cutset.output = "loss"}) {
    %w = cutset.read @w : tensor<4xf32>
    return %w : tensor<4xf32>
  }
}
// -----
// The average of a variable of 16-bit floats is f32, and its readers convert it.
// CHECK-LABEL: module
module attributes {cutset.average = {decay = 0.9, functions = ["evaluate"]}} {
  // CHECK: cutset.variable @"w/average" : tensor<4xf32> state_of @w starts_as_owner
  // CHECK: cutset.variable @w : tensor<4xbf16>
  cutset.variable @w : tensor<4xbf16>
  func.func @graph() -> (tensor<4xbf16> {cutset.minimize = {}, cutset.output = "loss"}) {
    %w = cutset.read @w : tensor<4xbf16>
    %0 = cutset.mul %w, %w : tensor<4xbf16>, tensor<4xbf16>
    // CHECK: @train
    // CHECK: %[[W:.*]] = cutset.read @w : tensor<4xbf16>
    // CHECK: cutset.mul %[[W]], %[[W]] id 1 :
    // CHECK: @evaluate
    // CHECK: %[[A:.*]] = cutset.read @"w/average" : tensor<4xf32>
    // CHECK: %[[R:.*]] = cutset.cast %[[A]] <{dtype = bf16}> id 2 :
    // CHECK: cutset.mul %[[R]], %[[R]] id 1 :
    return %0 : tensor<4xbf16>
  }
}
// -----
// expected-error@+1 {{the attribute 'cutset.average' is}}
module attributes {cutset.average = {decay = 0.9}} {
}
