// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%x: tensor<4xf32>) -> (tensor<4xi32>, tensor<4xi1>) {
  // CHECK: cutset.cast %{{.*}} <{dtype = i32}> : tensor<4xf32>
  %y = cutset.cast %x <{dtype = i32}> : tensor<4xf32>
  %z = cutset.cast %x <{dtype = i1}> : tensor<4xf32>
  return %y, %z : tensor<4xi32>, tensor<4xi1>
}
// -----
// CHECK-LABEL: @halves
func.func @halves(%x: tensor<4xf16>) -> tensor<4xbf16> {
  // CHECK: cutset.cast %{{.*}} <{dtype = bf16}> : tensor<4xf16>
  %y = cutset.cast %x <{dtype = bf16}> : tensor<4xf16>
  return %y : tensor<4xbf16>
}
