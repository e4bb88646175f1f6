// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: cutset.add_n %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  %s = cutset.add_n %x, %x, %x : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  return %s : tensor<4xf32>
}
// -----
func.func @c1_shape(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected-error@+1 {{C1: the types 5xf32 and 4xf32 differ}}
  %s = cutset.add_n %x, %y : tensor<4xf32>, tensor<5xf32>
  return
}
// -----
func.func @c1_type(%x: tensor<4xi1>) {
  // expected-error@+1 {{C1: needs one or more values of a numeric type}}
  %s = cutset.add_n %x : tensor<4xi1>
  return
}
// -----
func.func @c1_none() {
  // expected-error@+2 {{'add_n' takes one or more operands, not 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %s = "cutset.add_n"() : () -> tensor<4xf32>
  return
}
