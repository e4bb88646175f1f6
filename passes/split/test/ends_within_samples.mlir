// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --devices=reference:0,sim:0 --strategy="data(2)" --split | FileCheck %s

// Two samples have six rows. A reshape to three rows, each of two old rows, would mix the samples, so the
// rows are joined first.
// CHECK: cutset.concat
// CHECK: cutset.reshape %{{.*}} id 2 {{{.*}}cutset.whole = "'reshape' (ends_within_samples.mlir:[[# @LINE + 3]]) can be split by dimension 0 of operand 0 after each 2 rows, and a sample of the batch has 3 of them"} : tensor<6x4xf32>
func.func @evaluate(%x: tensor<2x3x4xf32> {cutset.input = "x"}) -> (tensor<3x8xf32> {cutset.output = "y"}) {
  %r = cutset.reshape %x <{shape = array<i64: 6, 4>}> id 1 : tensor<2x3x4xf32>
  %y = cutset.reshape %r <{shape = array<i64: 3, 8>}> id 2 : tensor<6x4xf32>
  return %y : tensor<3x8xf32>
}
