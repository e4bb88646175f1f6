// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%x: tensor<4x3xf32>) -> tensor<4x8xf32> {
  // CHECK: cutset.pad %{{.*}} <{after = 4 : i64, axis = -1 : i64, before = 1 : i64}>
  %y = cutset.pad %x <{axis = -1 : i64, before = 1 : i64, after = 4 : i64}> : tensor<4x3xf32>
  return %y : tensor<4x8xf32>
}
// -----
func.func @c1(%x: tensor<4x3xf32>) {
  // expected-error@+1 {{C1: axis 2 is not a dimension of 4x3xf32}}
  %y = cutset.pad %x <{axis = 2 : i64, before = 1 : i64}> : tensor<4x3xf32>
  return
}
// -----
func.func @c2(%x: tensor<4x3xf32>) {
  // expected-error@+1 {{C2: before is -1 and after is 2; both must be from 0 to 2^48}}
  %y = cutset.pad %x <{axis = 1 : i64, before = -1 : i64, after = 2 : i64}> : tensor<4x3xf32>
  return
}
