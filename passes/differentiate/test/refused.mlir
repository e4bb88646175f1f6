// SPDX-License-Identifier: Apache-2.0
// An optimizer or a loss that is not valid is an error, not a crash.
// RUN: cutset-opt %s --split-input-file --verify-diagnostics --differentiate

module {
  cutset.variable @w : tensor<4xf32>
  // expected-error@+1 {{the optimizer 'sgd' has no 'momentum'}}
  func.func @train(%x: tensor<4xf32> {cutset.input = "x"}) -> (tensor<f32> {cutset.minimize = {op = "sgd", learning_rate = 0.1, momentum = 2}, cutset.output = "loss"}) {
    %w = cutset.read @w : tensor<4xf32>
    %0 = cutset.mul %w, %x id 1 : tensor<4xf32>, tensor<4xf32>
    %1 = cutset.reduce_sum %0 id 2 : tensor<4xf32>
    return %1 : tensor<f32>
  }
}
// -----
module {
  cutset.variable @w : tensor<f32>
  // expected-error@+1 {{the optimizer "relu" is not an op that updates its operands}}
  func.func @train() -> (tensor<f32> {cutset.minimize = {op = "relu"}, cutset.output = "loss"}) {
    %w = cutset.read @w : tensor<f32>
    return %w : tensor<f32>
  }
}
// -----
// expected-error@+1 {{the function @train has no body}}
func.func private @train() -> (tensor<f32> {cutset.minimize = {op = "sgd"}})
