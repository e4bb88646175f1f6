// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --make-functions --split-input-file | FileCheck %s

// @train uses the first value of each `when_training`, and all other functions the second. An assignment
// that is made with a value needs no @train.
// CHECK-LABEL: module attributes
module {
  cutset.variable @m : tensor<4xf32>
  // CHECK: func.func @train
  // CHECK-NEXT: %[[NEG:.*]] = cutset.neg
  // CHECK-NEXT: %[[EXP:.*]] = cutset.exp %[[NEG]]
  // CHECK-NEXT: cutset.assign @m, %[[EXP]] :
  // CHECK-NEXT: return %[[EXP]], %[[NEG]]
  // CHECK: func.func @evaluate(%[[X:.*]]: tensor<4xf32>
  // CHECK-NEXT: %[[RELU:.*]] = cutset.relu
  // CHECK-NEXT: return %[[RELU]], %[[X]]
  func.func @graph(%x: tensor<4xf32> {cutset.input = "x"}) -> (tensor<4xf32> {cutset.minimize = {}, cutset.output = "y"}, tensor<4xf32> {cutset.output = "z"}) {
    %0 = cutset.neg %x : tensor<4xf32>
    %1 = cutset.when_training %0, %x : tensor<4xf32>
    %2 = cutset.exp %1 : tensor<4xf32>
    %3 = cutset.relu %x : tensor<4xf32>
    %4 = cutset.when_training %2, %1 : tensor<4xf32>
    %5 = cutset.when_training %4, %3 : tensor<4xf32>
    cutset.assign @m, %5 with %5 : tensor<4xf32> : tensor<4xf32>
    return %5, %1 : tensor<4xf32>, tensor<4xf32>
  }
}
// -----
// CHECK: func.func @evaluate
// CHECK-NOT: cutset.assign
cutset.variable @n : tensor<4xf32>
func.func @graph(%x: tensor<4xf32> {cutset.input = "x"}) -> (tensor<4xf32> {cutset.output = "y"}) {
  cutset.assign @n, %x with %x : tensor<4xf32> : tensor<4xf32>
  return %x : tensor<4xf32>
}
