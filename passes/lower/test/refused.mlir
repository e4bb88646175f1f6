// SPDX-License-Identifier: Apache-2.0
// An op without a device is an error, and an operand that has a type but no value does not crash the pass.
// RUN: cutset-opt %s --devices=reference:0 --split-input-file --verify-diagnostics --lower

func.func private @role(%x: tensor<8xf32>) -> tensor<8xf32> attributes {cutset.role = "forward"} {
  // expected-error@+1 {{has no device: it must be placed first}}
  %0 = cutset.relu %x id 1 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// -----
// expected-error@+1 {{the role @role has no body}}
func.func private @role(tensor<8xf32>) -> tensor<8xf32> attributes {cutset.role = "forward"}
// -----
// A type_only has no value, so an op that reads its value is not folded.
func.func private @role() -> tensor<8xf32> attributes {cutset.role = "forward"} {
  %t = cutset.type_only : tensor<8xf32>
  %0 = cutset.relu %t on "reference:0" id 1 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
