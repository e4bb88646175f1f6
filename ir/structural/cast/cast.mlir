// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%x: tensor<4xf32>) -> (tensor<4xi32>, tensor<4xi1>) {
  // CHECK: cutset.cast %{{.*}} <{dtype = i32}> : tensor<4xf32>
  %y = cutset.cast %x <{dtype = i32}> : tensor<4xf32>
  %z = cutset.cast %x <{dtype = i1}> : tensor<4xf32>
  return %y, %z : tensor<4xi32>, tensor<4xi1>
}
// -----
func.func @a_type_that_nothing_computes(%x: tensor<4xf32>) {
  // expected-error@+1 {{result 0: no op computes with elements of type bf16}}
  %y = cutset.cast %x <{dtype = bf16}> : tensor<4xf32>
  return
}
