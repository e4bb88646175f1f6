// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --devices=reference:0 --strategy="pipeline(1,micro_batches=2)" --split-input-file --split --verify-diagnostics

func.func @evaluate(%x: tensor<6xf32> {cutset.input = "x"}) -> (tensor<f32> {cutset.output = "y"}) {
  %a = cutset.exp %x id 1 : tensor<6xf32>
  // expected-error@+1 {{needs the rows of all micro-batches at once, and the rows are computed by 'exp'}}
  %y = cutset.reduce_max %a id 2 : tensor<6xf32>
  return %y : tensor<f32>
}

// -----

func.func @evaluate(%x: tensor<6x4xf32> {cutset.input = "x"}) -> (tensor<6x2xf32> {cutset.output = "y"}) {
  // expected-error@+1 {{has rows_per_sample, which only the compiler sets}}
  %y = cutset.slice %x <{axis = 1 : i64, length = 2 : i64, rows_per_sample = 1 : i64}> id 1 : tensor<6x4xf32>
  return %y : tensor<6x2xf32>
}
