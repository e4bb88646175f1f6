// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --cut --split-input-file --verify-diagnostics | FileCheck %s

// The update is a separate role, which is called after the commit.
cutset.variable @w : tensor<8xf32> home ["reference:0"]
func.func @train(%g: tensor<8xf32> {cutset.input = "g"}, %r: tensor<f32> {cutset.input = "r"}) -> (tensor<8xf32> {cutset.output = "y"}) {
  %w = cutset.read @w : tensor<8xf32>
  %0 = cutset.relu %w on "reference:0" id 1 : tensor<8xf32>
  %1 = cutset.neg %g on "reference:0" id 2 : tensor<8xf32>
  %a, %b = cutset.sgd %w, %w, %1, %r, %r on "reference:0" id 3 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<f32>, tensor<f32>
  cutset.assign @w, %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// CHECK: cutset.schedule @"train/reference:0"
// CHECK: cutset.call @"train/reference:0/forward0"
// CHECK: cutset.output
// CHECK: cutset.call @"train/reference:0/backward0"
// CHECK: cutset.commit
// CHECK: cutset.call @"train/reference:0/update"
// -----
func.func @train(%x: tensor<8xf32> {cutset.input = "x"}) -> (tensor<8xf32> {cutset.output = "y"}) {
  // expected-error@+1 {{has no device: it must be placed first}}
  %0 = cutset.relu %x id 1 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
