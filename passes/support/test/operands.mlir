// SPDX-License-Identifier: Apache-2.0
// An op with too few operands is an error before the rules of the op read the operands.
// RUN: cutset-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<4x4xf32>) {
  // expected-error@+1 {{'cutset.matmul' op}}
  %0 = cutset.matmul %x : tensor<4x4xf32>
  return
}
// -----
func.func @f(%x: tensor<4x4xf32>) {
  // expected-error@+1 {{'cutset.expand' op}}
  %0 = cutset.expand %x : tensor<4x4xf32>
  return
}
// -----
func.func @f(%x: tensor<4x4xf32>) {
  // expected-error@+1 {{'cutset.sgd' op}}
  %0:2 = cutset.sgd %x : tensor<4x4xf32>
  return
}
// -----
func.func @f(%x: tensor<4x4xf32>) {
  // expected-error@+1 {{'cutset.softmax_cross_entropy' op}}
  %0 = cutset.softmax_cross_entropy %x : tensor<4x4xf32>
  return
}
