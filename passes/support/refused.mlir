// What passes cannot work on is an error, never a crash.
// RUN: cutset-opt %s --split-input-file --verify-diagnostics --split=devices=reference:0 --place=devices=reference:0 --cut --bucket --lower=devices=reference:0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics --functions --differentiate --split=devices=reference:0 --place=devices=reference:0

// expected-error@+1 {{the function @train has no body}}
func.func private @train(tensor<4xf32> {cutset.input = "x"}) -> (tensor<f32> {cutset.output = "loss"})
// -----
func.func @foreign(%x: tensor<4xf32> {cutset.input = "x"}) {
  // expected-error@+1 {{cannot stand in a function}}
  func.call @foreign(%x) : (tensor<4xf32>) -> ()
  return
}
// -----
// expected-error@+1 {{cannot stand in a module beside functions, variables and schedules}}
%c = cutset.constant dense<1.0> : tensor<f32>
