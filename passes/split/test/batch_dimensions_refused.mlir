// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --devices=reference:0,sim:0 --strategy="data(2)" --split --verify-diagnostics

func.func @evaluate(%x: tensor<8x4xf32> {cutset.input = "x"},
    // expected-error@+1 {{inputs of 8 and 24 rows: input 'x' has 8 rows, and input 'mask' has 24 rows; the batch is one dimension of every input}}
    %m: tensor<24xf32> {cutset.input = "mask"}) -> (tensor<8x4xf32> {cutset.output = "y"}) {
  return %x : tensor<8x4xf32>
}

// -----

func.func @evaluate(%x: tensor<8x4xf32> {cutset.input = "x"},
    // expected-error@+1 {{input 'label' has 25 rows, which cannot be the same number for each of 8 samples: input 'x' has 8 rows}}
    %l: tensor<25xf32> {cutset.input = "label", cutset.several_rows}) -> (tensor<8x4xf32> {cutset.output = "y"}) {
  return %x : tensor<8x4xf32>
}

// -----

// No input says how many samples there are.
func.func @evaluate(%x: tensor<8xf32> {cutset.input = "x", cutset.several_rows},
    // expected-error@+1 {{inputs of 8 and 24 rows}}
    %l: tensor<24xf32> {cutset.input = "label", cutset.several_rows}) -> (tensor<8xf32> {cutset.output = "y"}) {
  return %x : tensor<8xf32>
}

// -----

// expected-error@+1 {{the batch is dimension 2 of an input with 2 dimensions}}
func.func @evaluate(%x: tensor<8x4xf32> {cutset.input = "x", cutset.batch_dimension = 2 : i64}) -> (tensor<8x4xf32> {cutset.output = "y"}) {
  return %x : tensor<8x4xf32>
}

// -----

// expected-error@+1 {{the attribute 'cutset.batch_dimension' is -2 : i64; it must be a 64-bit integer from -1 to 63}}
func.func @evaluate(%x: tensor<8x4xf32> {cutset.input = "x", cutset.batch_dimension = -2 : i64}) -> (tensor<8x4xf32> {cutset.output = "y"}) {
  return %x : tensor<8x4xf32>
}
