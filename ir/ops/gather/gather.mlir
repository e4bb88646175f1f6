// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%t: tensor<20x6xf32>, %i: tensor<4x5xi32>, %j: tensor<i64>, %f: tensor<6xi1>) -> (tensor<4x5x6xf32>, tensor<20x4x5xf32>, tensor<6xf32>, tensor<20x6xf32>) {
  // CHECK: cutset.gather %{{.*}} : tensor<20x6xf32>, tensor<4x5xi32>
  %a = cutset.gather %t, %i : tensor<20x6xf32>, tensor<4x5xi32>
  %b = cutset.gather %t, %i <{axis = -1 : i64}> : tensor<20x6xf32>, tensor<4x5xi32>
  %c = cutset.gather %t, %j : tensor<20x6xf32>, tensor<i64>
  // CHECK: cutset.gather_backward
  %d = cutset.gather_backward %a, %i, %t : tensor<4x5x6xf32>, tensor<4x5xi32>, tensor<20x6xf32>
  // CHECK: cutset.gather {{.*}}first_row = 30{{.*}}table_rows = 50
  %e = cutset.gather %t, %i <{first_row = 30 : i64, table_rows = 50 : i64}> : tensor<20x6xf32>, tensor<4x5xi32>
  // CHECK: cutset.gather %{{.*}} : tensor<6xi1>, tensor<4x5xi32>
  %g = cutset.gather %f, %i : tensor<6xi1>, tensor<4x5xi32>
  return %a, %b, %c, %d : tensor<4x5x6xf32>, tensor<20x4x5xf32>, tensor<6xf32>, tensor<20x6xf32>
}
// -----
func.func @c1(%t: tensor<4xf32>, %i: tensor<2xf32>) {
  // expected-error@+1 {{C1: the indices have type f32; they must have type i32 or i64}}
  %a = cutset.gather %t, %i : tensor<4xf32>, tensor<2xf32>
  return
}
// -----
func.func @c2(%t: tensor<4xf32>, %i: tensor<2xi32>) {
  // expected-error@+1 {{C2: axis 1 is not a dimension of [4]}}
  %a = cutset.gather %t, %i <{axis = 1 : i64}> : tensor<4xf32>, tensor<2xi32>
  return
}
// -----
func.func @c3(%t: tensor<4xf32>, %i: tensor<2xi32>) {
  // expected-error@+1 {{C3: data has 4 rows, and they begin at row 3 of a table of 6 rows}}
  %a = cutset.gather %t, %i <{first_row = 3 : i64, table_rows = 6 : i64}> : tensor<4xf32>, tensor<2xi32>
  return
}
// -----
func.func @c3_whole(%t: tensor<4xf32>, %i: tensor<2xi32>) {
  // expected-error@+1 {{C3: data has 4 rows, and they begin at row 1 of a table of 4 rows}}
  %a = cutset.gather %t, %i <{first_row = 1 : i64}> : tensor<4xf32>, tensor<2xi32>
  return
}
// -----
func.func @c3_overflow(%t: tensor<4xf32>, %i: tensor<2xi32>) {
  // expected-error@+1 {{C3: data has 4 rows, and they begin at row 9223372036854775807 of a table of 9 rows}}
  %a = cutset.gather %t, %i <{first_row = 9223372036854775807 : i64, table_rows = 9 : i64}> : tensor<4xf32>, tensor<2xi32>
  return
}
// -----
func.func @c4(%g: tensor<3xf32>, %t: tensor<4xf32>, %i: tensor<2xi32>) {
  // expected-error@+1 {{C4: the gradient is 3xf32, but the result of gather is 2xf32}}
  %a = cutset.gather_backward %g, %i, %t : tensor<3xf32>, tensor<2xi32>, tensor<4xf32>
  return
}
// -----
func.func @c5(%g: tensor<2xi32>, %t: tensor<4xi32>, %i: tensor<2xi32>) {
  // expected-error@+1 {{C5: data needs a floating-point type, not i32}}
  %a = cutset.gather_backward %g, %i, %t : tensor<2xi32>, tensor<2xi32>, tensor<4xi32>
  return
}
