// SPDX-License-Identifier: Apache-2.0
// A module that the passes cannot process is an error, not a crash.
// RUN: cutset-opt %s --devices=reference:0 --split-input-file --verify-diagnostics --split --place --cut --bucket-all-reduces --lower
// RUN: cutset-opt %s --devices=reference:0 --split-input-file --verify-diagnostics --make-functions --differentiate --split --place

// expected-error@+1 {{the function @train has no body}}
func.func private @train(tensor<4xf32> {cutset.input = "x"}) -> (tensor<f32> {cutset.output = "loss"})
// -----
func.func @foreign(%x: tensor<4xf32> {cutset.input = "x"}) {
  // expected-error@+1 {{is not allowed in a function}}
  func.call @foreign(%x) : (tensor<4xf32>) -> ()
  return
}
// -----
// expected-error@+1 {{is not allowed in a module, which may contain only functions, variables and schedules}}
%c = cutset.constant dense<1.0> : tensor<f32>
