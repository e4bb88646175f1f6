// What is not placed, or has a type where a value is read, is no crash.
// RUN: cutset-opt %s --split-input-file --verify-diagnostics --lower=devices=reference:0

func.func private @role(%x: tensor<8xf32>) -> tensor<8xf32> attributes {cutset.role = "forward"} {
  // expected-error@+1 {{has no device: it must be placed first}}
  %0 = cutset.relu %x id 1 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// -----
// expected-error@+1 {{the role @role has no body}}
func.func private @role(tensor<8xf32>) -> tensor<8xf32> attributes {cutset.role = "forward"}
// -----
// The value of a type is not folded: there is none.
func.func private @role() -> tensor<8xf32> attributes {cutset.role = "forward"} {
  %t = cutset.type_only : tensor<8xf32>
  %0 = cutset.relu %t on "reference:0" id 1 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
