// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%x: tensor<4x3xf32>, %low: tensor<f32>, %high: tensor<f32>) -> (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>) {
  // CHECK: cutset.clip %arg0 : tensor<4x3xf32> minimum %arg1 : tensor<f32> maximum %arg2 : tensor<f32>
  %a = cutset.clip %x : tensor<4x3xf32> minimum %low : tensor<f32> maximum %high : tensor<f32>
  // CHECK: cutset.clip %arg0 : tensor<4x3xf32> maximum %arg2 : tensor<f32>
  %b = "cutset.clip"(%x, %high) <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (tensor<4x3xf32>, tensor<f32>) -> tensor<4x3xf32>
  // CHECK: cutset.clip %arg0 : tensor<4x3xf32>
  %c = cutset.clip %x : tensor<4x3xf32>
  return %a, %b, %c : tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>
}
// -----
func.func @c1(%x: tensor<4xi1>) {
  // expected-error@+1 {{C1: needs a numeric type, not i1}}
  %y = cutset.clip %x : tensor<4xi1>
  return
}
// -----
func.func @c2(%x: tensor<4xf32>, %low: tensor<1xf32>) {
  // expected-error@+1 {{C2: a bound is 1xf32, not f32}}
  %y = cutset.clip %x : tensor<4xf32> minimum %low : tensor<1xf32>
  return
}
// -----
func.func @two_of_an_optional_operand(%x: tensor<4xf32>, %low: tensor<f32>) {
  // expected-error@+1 {{found 2}}
  %y = "cutset.clip"(%x, %low, %low) <{operandSegmentSizes = array<i32: 1, 2, 0>}> : (tensor<4xf32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
  return
}
// -----
func.func @none_of_a_required_operand(%low: tensor<f32>) {
  // expected-error@+2 {{'clip' takes one operand 'x', not 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %y = "cutset.clip"(%low) <{operandSegmentSizes = array<i32: 0, 1, 0>}> : (tensor<f32>) -> tensor<f32>
  return
}
// -----
func.func @another_number_of_operands(%x: tensor<4xf32>) {
  // expected-error@+1 {{operand count (1) does not match}}
  %y = "cutset.clip"(%x) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// -----
func.func @no_segments(%x: tensor<4xf32>) {
  // expected-error@+1 {{operand count (1) does not match}}
  %y = "cutset.clip"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
