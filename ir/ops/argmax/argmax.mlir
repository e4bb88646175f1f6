// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%x: tensor<4x5x6xf32>) -> (tensor<4x5xi64>, tensor<5x6xi64>, tensor<4x6xi64>) {
  // CHECK: cutset.argmax
  %a = cutset.argmax %x : tensor<4x5x6xf32>
  %b = cutset.argmax %x <{axis = 0 : i64}> : tensor<4x5x6xf32>
  // CHECK: cutset.argmin %{{.*}} <{axis = 1 : i64, select_last_index = true}>
  %c = cutset.argmin %x <{axis = 1 : i64, select_last_index = true}> : tensor<4x5x6xf32>
  return %a, %b, %c : tensor<4x5xi64>, tensor<5x6xi64>, tensor<4x6xi64>
}
// -----
func.func @c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{C1: axis 1 of [4] is not a dimension, or has size 0}}
  %a = cutset.argmax %x <{axis = 1 : i64}> : tensor<4xf32>
  return
}
