// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%x: tensor<2x3x4xi32>) -> tensor<4x2x3xi32> {
  // CHECK: cutset.transpose %{{.*}} <{permutation = array<i64: 2, 0, 1>}>
  %a = cutset.transpose %x <{permutation = array<i64: 2, 0, 1>}> : tensor<2x3x4xi32>
  return %a : tensor<4x2x3xi32>
}
// -----
func.func @c1(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{C1: [0, 0] does not name each dimension of [2, 3] once}}
  %a = cutset.transpose %x <{permutation = array<i64: 0, 0>}> : tensor<2x3xf32>
  return
}
