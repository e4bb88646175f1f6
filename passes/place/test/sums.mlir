// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --devices=reference:0,sim:0 --strategy=model --place | FileCheck %s

// The sum of the gradients of a variable has the id of the update. It runs on the home of the variable, even
// if the last op that uses the variable runs on another device.
// CHECK: cutset.variable @w : tensor<64x64xf32> home ["reference:0"]
cutset.variable @w : tensor<64x64xf32>
cutset.variable @v : tensor<64x64xf32> state_of @w
func.func @train(%x: tensor<64x64xf32> {cutset.input = "x"}, %r: tensor<f32> {cutset.input = "learning_rate", cutset.hyper_parameter = 0.1}) -> (tensor<64x64xf32> {cutset.output = "y"}) {
  %w = cutset.read @w : tensor<64x64xf32>
  %v = cutset.read @v : tensor<64x64xf32>
  %0 = cutset.matmul %x, %w on "reference:0" because "user" id 1 : tensor<64x64xf32>, tensor<64x64xf32>
  %1 = cutset.matmul %0, %0 on "sim:0" because "user" id 2 : tensor<64x64xf32>, tensor<64x64xf32>
  // CHECK: cutset.add_n {{.*}} on "reference:0" because "home of @w" id 3
  // CHECK: cutset.sgd {{.*}} on "reference:0" because "home of @w" id 3
  %g = cutset.add_n %0, %1 id 3 : tensor<64x64xf32>, tensor<64x64xf32>
  %nw, %nv = cutset.sgd %w, %v, %g, %r, %r id 3 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<f32>, tensor<f32>
  cutset.assign @w, %nw : tensor<64x64xf32>
  cutset.assign @v, %nv : tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}
