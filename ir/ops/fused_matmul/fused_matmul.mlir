// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%x: tensor<3x1x4x5xf32>, %y: tensor<2x6x5xf32>, %b: tensor<6xf32>) -> tensor<3x2x4x6xf32> {
  // CHECK: cutset.fused_matmul %{{.*}}, %{{.*}}, %{{.*}} <{relu = true, transpose_y = true}> on "cpu:0" because "user"
  %z = cutset.fused_matmul %x, %y, %b <{relu = true, transpose_y = true}> on "cpu:0" because "user" : tensor<3x1x4x5xf32>, tensor<2x6x5xf32>, tensor<6xf32>
  return %z : tensor<3x2x4x6xf32>
}
// -----
func.func @c1(%x: tensor<5xf32>, %y: tensor<5x6xf32>, %b: tensor<6xf32>) {
  // expected-error@+1 {{C1: ranks 1 and 2}}
  %z = cutset.fused_matmul %x, %y, %b : tensor<5xf32>, tensor<5x6xf32>, tensor<6xf32>
  return
}
// -----
func.func @c2(%x: tensor<4x5xf32>, %y: tensor<6x5xf32>, %b: tensor<6xf32>) {
  // expected-error@+1 {{C2: inner sizes 5 and 6 of [4, 5] and [6, 5] differ}}
  %z = cutset.fused_matmul %x, %y, %b : tensor<4x5xf32>, tensor<6x5xf32>, tensor<6xf32>
  return
}
// -----
func.func @c3(%x: tensor<2x4x5xf32>, %y: tensor<3x5x6xf32>, %b: tensor<6xf32>) {
  // expected-error@+1 {{C3: leading sizes}}
  %z = cutset.fused_matmul %x, %y, %b : tensor<2x4x5xf32>, tensor<3x5x6xf32>, tensor<6xf32>
  return
}
// -----
func.func @c4(%x: tensor<1099511627776x1x1x1xf32>, %y: tensor<1099511627776x1x1xf32>, %b: tensor<6xf32>) {
  // expected-error@+1 {{C4: the batch of matrix products of [1099511627776, 1, 1, 1] and [1099511627776, 1, 1] is too large; it must have fewer than 2^63 products}}
  %z = cutset.fused_matmul %x, %y, %b : tensor<1099511627776x1x1x1xf32>, tensor<1099511627776x1x1xf32>, tensor<6xf32>
  return
}
// -----
func.func @c5_size(%x: tensor<4x5xf32>, %y: tensor<5x6xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{C5: the bias is 4xf32, not 6xf32}}
  %z = cutset.fused_matmul %x, %y, %b : tensor<4x5xf32>, tensor<5x6xf32>, tensor<4xf32>
  return
}
// -----
func.func @c5_type(%x: tensor<4x5xf32>, %y: tensor<5x6xf32>, %b: tensor<6xf64>) {
  // expected-error@+1 {{C5: the bias is 6xf64, not 6xf32}}
  %z = cutset.fused_matmul %x, %y, %b : tensor<4x5xf32>, tensor<5x6xf32>, tensor<6xf64>
  return
}
