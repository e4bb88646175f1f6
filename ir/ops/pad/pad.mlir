// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%x: tensor<4x3xf32>) -> (tensor<4x8xf32>, tensor<9x3xf32>, tensor<2x3xf32>) {
  // CHECK: cutset.pad %{{.*}} <{after = 4 : i64, axis = -1 : i64, before = 1 : i64}>
  %y = cutset.pad %x <{axis = -1 : i64, before = 1 : i64, after = 4 : i64}> : tensor<4x3xf32>
  // CHECK: cutset.pad %{{.*}} <{after = 3 : i64, axis = 0 : i64, before = 2 : i64, mode = "reflect"}>
  %z = cutset.pad %x <{axis = 0 : i64, before = 2 : i64, after = 3 : i64, mode = "reflect"}> : tensor<4x3xf32>
  // CHECK: cutset.pad_backward %{{.*}} <{axis = 0 : i64, before = 2 : i64, mode = "edge"}>
  %d = cutset.pad_backward %x <{axis = 0 : i64, before = 2 : i64, mode = "edge"}> : tensor<4x3xf32>
  return %y, %z, %d : tensor<4x8xf32>, tensor<9x3xf32>, tensor<2x3xf32>
}
// -----
func.func @c1(%x: tensor<4x3xf32>) {
  // expected-error@+1 {{C1: axis 2 is not a dimension of 4x3xf32}}
  %y = cutset.pad %x <{axis = 2 : i64, before = 1 : i64}> : tensor<4x3xf32>
  return
}
// -----
func.func @c2(%x: tensor<4x3xf32>) {
  // expected-error@+1 {{C2: before is -1 and after is 2; both must be from 0 to 2^48}}
  %y = cutset.pad %x <{axis = 1 : i64, before = -1 : i64, after = 2 : i64}> : tensor<4x3xf32>
  return
}
// -----
func.func @c3_edge(%x: tensor<0x3xf32>) {
  // expected-error@+1 {{C3: the mode edge copies rows, and x has none}}
  %y = cutset.pad %x <{axis = 0 : i64, before = 1 : i64, mode = "edge"}> : tensor<0x3xf32>
  return
}
// -----
func.func @c3_reflect(%x: tensor<4x3xf32>) {
  // expected-error@+1 {{C3: before is 0 and after is 3; the mode reflect needs fewer than the rows of x, which are 3}}
  %y = cutset.pad %x <{axis = 1 : i64, after = 3 : i64, mode = "reflect"}> : tensor<4x3xf32>
  return
}
// -----
func.func @c4(%g: tensor<4x3xf32>) {
  // expected-error@+1 {{C4: the gradient is 4x3xf32; it must have a floating-point type and at least 5 rows}}
  %y = cutset.pad_backward %g <{axis = 0 : i64, before = 5 : i64, mode = "edge"}> : tensor<4x3xf32>
  return
}
// -----
func.func @c4_type(%g: tensor<4x3xi32>) {
  // expected-error@+1 {{C4: the gradient is 4x3xi32; it must have a floating-point type}}
  %y = cutset.pad_backward %g <{axis = 0 : i64, before = 1 : i64, mode = "edge"}> : tensor<4x3xi32>
  return
}
// -----
func.func @c5(%g: tensor<4x3xf32>) {
  // expected-error@+1 {{C5: the gradient of pad in the mode constant is a slice}}
  %y = cutset.pad_backward %g <{axis = 0 : i64, before = 1 : i64, mode = "constant"}> : tensor<4x3xf32>
  return
}
// -----
func.func @unknown_word(%x: tensor<4x3xf32>) {
  // expected-error@+1 {{attribute 'mode' is 'wrap'; it must be one of 'constant', 'edge', 'reflect'}}
  %y = cutset.pad %x <{axis = 1 : i64, after = 3 : i64, mode = "wrap"}> : tensor<4x3xf32>
  return
}
