// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --devices=cpu:0,cpu:1 --strategy="tensor(2)" --shard --verify-diagnostics

func.func @pinned(%x: tensor<4x8xf32> {cutset.input = "x"}) -> (tensor<4x8xf32> {cutset.output = "y"}) {
  // expected-error@+1 {{is pinned to "cpu:0", but the op has a copy in each of 2 replicas}}
  %y = cutset.relu %x on "cpu:0" because "user" id 1 : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
// -----
// expected-error@+1 {{C3: 'pieces' must be a dimension of the variable, a number of pieces from 1 to 4096, and a unit}}
cutset.variable @w : tensor<8xf32> pieces [1, 2, 1]
// -----
// expected-error@+1 {{C3: 'pieces' must be a dimension of the variable, a number of pieces from 1 to 4096, and a unit}}
cutset.variable @w : tensor<8xf32> pieces [0, 2, 3]
// -----
cutset.variable @w : tensor<8xf32> pieces [0, 2, 1]
func.func @read() -> (tensor<8xf32> {cutset.output = "y"}) {
  // expected-error@+1 {{C2: has type 'tensor<8xf32>', but the variable @w has type 'tensor<4xf32>'}}
  %w = cutset.read @w : tensor<8xf32>
  return %w : tensor<8xf32>
}
