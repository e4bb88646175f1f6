// SPDX-License-Identifier: Apache-2.0
// Arguments and results without names, and ops without devices, are reported as errors.
// RUN: cutset-opt %s --split-input-file --verify-diagnostics --cut

// expected-error@+1 {{argument 0 has no cutset.input}}
func.func @evaluate(%x: tensor<8xf32>) { return }
// -----
// expected-error@+1 {{result 0 has no cutset.output}}
func.func @evaluate(%x: tensor<8xf32> {cutset.input = "x"}) -> tensor<8xf32> {
  %0 = cutset.relu %x on "sim:0" id 1 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// -----
cutset.variable @w : tensor<f32> home ["reference:0"]
func.func @evaluate(%x: tensor<f32> {cutset.input = "x"}) -> (tensor<f32> {cutset.output = "y"}) {
  // expected-error@+1 {{has no device: it must be placed first}}
  %w = cutset.read @w replica 1 : tensor<f32>
  %0 = cutset.add %x, %w on "sim:0" id 1 : tensor<f32>, tensor<f32>
  return %0 : tensor<f32>
}
// -----
func.func @evaluate(%x: tensor<f32> {cutset.input = "x"}) -> (tensor<f32> {cutset.output = "y"}) {
  // expected-error@+1 {{sums an input or a constant, which no device computes}}
  %0 = cutset.all_reduce %x shards [0, 1] : tensor<f32> -> tensor<f32>
  return %0 : tensor<f32>
}
