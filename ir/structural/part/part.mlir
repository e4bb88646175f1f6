// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%x: tensor<61x3xf32>) -> tensor<17x3xf32> {
  // CHECK: cutset.part %{{.*}} <{axis = 0 : i64, rows = 17 : i64, start = 44 : i64}>
  %y = cutset.part %x <{axis = 0 : i64, start = 44 : i64, rows = 17 : i64}> : tensor<61x3xf32>
  return %y : tensor<17x3xf32>
}
// -----
func.func @c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{C1: axis 1 is not a dimension of 4xf32}}
  %y = cutset.part %x <{axis = 1 : i64, start = 0 : i64, rows = 1 : i64}> : tensor<4xf32>
  return
}
// -----
func.func @c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{C2: 2 rows from 3 on do not lie within the 4 of 4xf32}}
  %y = cutset.part %x <{axis = 0 : i64, start = 3 : i64, rows = 2 : i64}> : tensor<4xf32>
  return
}
