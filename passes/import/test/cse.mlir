// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --cse | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // The first id survives. The op that is erased passes on its pin.
  // CHECK: cutset.relu {{.*}} on "cpu:0" because "user" id 1
  %0 = cutset.relu %x on "cpu:0" because "cost" id 1 : tensor<4xf32>
  // CHECK-NOT: id 2
  %1 = cutset.relu %x on "cpu:0" because "user" id 2 : tensor<4xf32>
  // Ops on different devices are not merged. Ops on the same device are merged although their ids differ.
  // CHECK: cutset.relu {{.*}} on "sim:0" because "cost" id 3
  %2 = cutset.relu %x on "sim:0" because "cost" id 3 : tensor<4xf32>
  // CHECK-NOT: cutset.relu
  %3 = cutset.relu %x on "sim:0" because "cost" id 4 : tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
