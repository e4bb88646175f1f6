// SPDX-License-Identifier: Apache-2.0
// A module with a contradiction is an error, not a crash.
// RUN: cutset-opt %s --devices=reference:0,sim:0 --strategy=model --split-input-file --verify-diagnostics --place

// The pass replaces devices that an earlier run of the pass chose. A device that the user chose must exist.
cutset.variable @w : tensor<8xf32> home ["cpu:0"]
cutset.variable @"w/velocity" : tensor<8xf32> home ["cpu:0"]
func.func @train(%x: tensor<8xf32> {cutset.input = "x"}, %r: tensor<f32> {cutset.input = "r"}) {
  %w = cutset.read @w : tensor<8xf32>
  %v = cutset.read @"w/velocity" : tensor<8xf32>
  %0:2 = cutset.sgd %w, %v, %x, %r, %r on "cpu:0" because "home of @w" id 1 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<f32>, tensor<f32>
  cutset.assign @w, %0#0 : tensor<8xf32>
  cutset.assign @"w/velocity", %0#1 : tensor<8xf32>
  return
}
// -----
cutset.variable @w : tensor<8xf32>
func.func @train(%x: tensor<8xf32> {cutset.input = "x"}, %r: tensor<f32> {cutset.input = "r"}) {
  %w = cutset.read @w : tensor<8xf32>
  // expected-error@+1 {{is pinned, but an update runs where its variable lives}}
  %0:2 = cutset.sgd %w, %w, %x, %r, %r on "sim:0" because "user" id 1 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<f32>, tensor<f32>
  return
}
// -----
func.func @replica(%x: tensor<8xf32> {cutset.input = "x"}) {
  // expected-error@+1 {{belongs to replica 7; the number of replicas is 1, and they are numbered from 0}}
  %0 = cutset.relu %x replica 7 id 1 : tensor<8xf32>
  return
}
// -----
cutset.variable @w : tensor<8xf32>
func.func @replica() {
  // expected-error@+1 {{belongs to replica 2; the number of replicas is 1, and they are numbered from 0}}
  %0 = cutset.read @w replica 2 : tensor<8xf32>
  return
}
