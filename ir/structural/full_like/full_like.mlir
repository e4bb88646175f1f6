// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%x: tensor<2x4xi64>) -> tensor<2x4xi64> {
  // CHECK: cutset.full_like %{{.*}} <{value = 5.000000e-01 : f64}> : tensor<2x4xi64>
  %z = cutset.full_like %x <{value = 0.5}> : tensor<2x4xi64>
  return %z : tensor<2x4xi64>
}
// -----
func.func @a_type_that_nothing_computes(%x: tensor<4xf16>) {
  // expected-error@+1 {{operand 0: no op computes with elements of type f16}}
  %z = cutset.full_like %x <{value = 0.5}> : tensor<4xf16>
  return
}
