// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%x: tensor<44x3xf32>, %y: tensor<17x3xf32>) -> tensor<61x3xf32> {
  // CHECK: cutset.join %{{.*}}, %{{.*}} <{axis = 0 : i64}>
  %z = cutset.join %x, %y <{axis = 0 : i64}> : tensor<44x3xf32>, tensor<17x3xf32>
  return %z : tensor<61x3xf32>
}
// -----
func.func @c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{C1: axis 1 is not a dimension of 4xf32}}
  %y = cutset.join %x <{axis = 1 : i64}> : tensor<4xf32>
  return
}
// -----
func.func @c2(%x: tensor<4x2xf32>, %y: tensor<4x3xf32>) {
  // expected-error@+1 {{C2: 4x3xf32 does not go on 4x2xf32}}
  %z = cutset.join %x, %y <{axis = 0 : i64}> : tensor<4x2xf32>, tensor<4x3xf32>
  return
}
