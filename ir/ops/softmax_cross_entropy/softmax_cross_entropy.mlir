// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%x: tensor<4x10xf32>, %y: tensor<4xi32>) -> (tensor<4xf32>, tensor<4x10xf32>) {
  // CHECK: cutset.softmax_cross_entropy
  %l = cutset.softmax_cross_entropy %x, %y : tensor<4x10xf32>, tensor<4xi32>
  %g = cutset.softmax_cross_entropy_backward %l, %x, %y : tensor<4xf32>, tensor<4x10xf32>, tensor<4xi32>
  return %l, %g : tensor<4xf32>, tensor<4x10xf32>
}
// -----
func.func @c1(%x: tensor<4xf32>, %y: tensor<4xi32>) {
  // expected-error@+1 {{C1: logits are 4xf32}}
  %l = cutset.softmax_cross_entropy %x, %y : tensor<4xf32>, tensor<4xi32>
  return
}
// -----
func.func @c2(%x: tensor<4x10xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{C2: labels are 4xf32}}
  %l = cutset.softmax_cross_entropy %x, %y : tensor<4x10xf32>, tensor<4xf32>
  return
}
// -----
func.func @c3(%x: tensor<61x10xf32>, %y: tensor<64xi32>) {
  // expected-error@+1 {{C3: there are 61 rows of logits and 64 labels}}
  %l = cutset.softmax_cross_entropy %x, %y : tensor<61x10xf32>, tensor<64xi32>
  return
}
// -----
func.func @c4(%g: tensor<3xf32>, %x: tensor<4x10xf32>, %y: tensor<4xi32>) {
  // expected-error@+1 {{C4: the gradient is 3xf32, but the loss is 4xf32}}
  %l = cutset.softmax_cross_entropy_backward %g, %x, %y : tensor<3xf32>, tensor<4x10xf32>, tensor<4xi32>
  return
}
