// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%x: tensor<2x4xi64>) -> tensor<2x4xi64> {
  // CHECK: cutset.full_like %{{.*}} <{value = 5.000000e-01 : f64}> : tensor<2x4xi64>
  %z = cutset.full_like %x <{value = 0.5}> : tensor<2x4xi64>
  return %z : tensor<2x4xi64>
}
// -----
// CHECK-LABEL: @half
func.func @half(%x: tensor<4xf16>) -> tensor<4xf16> {
  // CHECK: cutset.full_like %{{.*}} <{value = 5.000000e-01 : f64}> : tensor<4xf16>
  %z = cutset.full_like %x <{value = 0.5}> : tensor<4xf16>
  return %z : tensor<4xf16>
}
