// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%x: tensor<4x6xf32>) -> (tensor<4x1xf32>, tensor<4x5xf32>) {
  // CHECK: cutset.split_with_sizes %{{.*}} <{axis = -1 : i64, sizes = array<i64: 1, 5>}>
  %y, %z = cutset.split_with_sizes %x <{axis = -1 : i64, sizes = array<i64: 1, 5>}> : tensor<4x6xf32>
  return %y, %z : tensor<4x1xf32>, tensor<4x5xf32>
}
// -----
func.func @c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{C1: axis 1 is not a dimension of 4xf32}}
  %y = cutset.split_with_sizes %x <{axis = 1 : i64, sizes = array<i64: 4>}> : tensor<4xf32>
  return
}
// -----
func.func @c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{C2: the sizes [1, 2] are not sizes that add up to 4, the size of axis 0 of 4xf32}}
  %y, %z = cutset.split_with_sizes %x <{axis = 0 : i64, sizes = array<i64: 1, 2>}> : tensor<4xf32>
  return
}
// -----
func.func @c2_negative(%x: tensor<4xf32>) {
  // expected-error@+1 {{C2: the sizes [5, -1] are not sizes that add up to 4}}
  %y, %z = cutset.split_with_sizes %x <{axis = 0 : i64, sizes = array<i64: 5, -1>}> : tensor<4xf32>
  return
}
// -----
func.func @c2_none(%x: tensor<0xf32>) {
  // expected-error@+2 {{C2: there are 0 sizes, not 1 to 65536}}
  // expected-error@+1 {{failed to infer returned types}}
  "cutset.split_with_sizes"(%x) <{axis = 0 : i64, sizes = array<i64>}> : (tensor<0xf32>) -> ()
  return
}
// -----
func.func @another_number_of_results(%x: tensor<4xf32>) {
  // expected-error@+1 {{2}}
  %y = cutset.split_with_sizes %x <{axis = 0 : i64, sizes = array<i64: 1, 3>}> : tensor<4xf32>
  return
}
