// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%x: tensor<3x1x4x5xf32>, %y: tensor<2x6x5xf32>) -> tensor<3x2x4x6xf32> {
  // CHECK: cutset.matmul %{{.*}}, %{{.*}} <{transpose_y = true}> on "cpu:0" because "user"
  %z = cutset.matmul %x, %y <{transpose_y = true}> on "cpu:0" because "user" : tensor<3x1x4x5xf32>, tensor<2x6x5xf32>
  return %z : tensor<3x2x4x6xf32>
}
// -----
func.func @c1(%x: tensor<5xf32>, %y: tensor<5x6xf32>) {
  // expected-error@+1 {{C1: ranks 1 and 2}}
  %z = cutset.matmul %x, %y : tensor<5xf32>, tensor<5x6xf32>
  return
}
// -----
func.func @c2(%x: tensor<4x5xf32>, %y: tensor<6x5xf32>) {
  // expected-error@+1 {{C2: inner sizes 5 and 6 of [4, 5] and [6, 5] differ}}
  %z = cutset.matmul %x, %y : tensor<4x5xf32>, tensor<6x5xf32>
  return
}
// -----
func.func @c3(%x: tensor<2x4x5xf32>, %y: tensor<3x5x6xf32>) {
  // expected-error@+1 {{C3: leading sizes}}
  %z = cutset.matmul %x, %y : tensor<2x4x5xf32>, tensor<3x5x6xf32>
  return
}
// -----
func.func @too_large(%x: tensor<1099511627776x1xf32>, %y: tensor<1x1099511627776xf32>) {
  // expected-error@+1 {{result 0: a tensor of shape [1099511627776, 1099511627776] is too large}}
  %z = cutset.matmul %x, %y : tensor<1099511627776x1xf32>, tensor<1x1099511627776xf32>
  return
}
// -----
func.func @c4(%x: tensor<1099511627776x1x1x1xf32>, %y: tensor<1099511627776x1x1xf32>) {
  // expected-error@+1 {{C4: the batch of matrix products of [1099511627776, 1, 1, 1] and [1099511627776, 1, 1] is too large; it must have fewer than 2^63 products}}
  %z = cutset.matmul %x, %y : tensor<1099511627776x1x1x1xf32>, tensor<1099511627776x1x1xf32>
  return
}
