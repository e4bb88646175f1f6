// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --devices=reference:0,opencl:0 --lower --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @role
func.func private @role(%x: tensor<64x8xf32>) -> tensor<f32> attributes {cutset.role = "forward"} {
  // The count depends on the shape alone, so it becomes a constant.
  // CHECK: cutset.constant dense<6.400000e+01> : tensor<f32>
  // CHECK-NOT: cutset.count
  %t = cutset.type_only : tensor<64x8xf32>
  %n = cutset.count %t <{axes = array<i64: 0>}> on "reference:0" id 1 : tensor<64x8xf32>
  // CHECK: cutset.reduce_sum {{.*}} {cutset.kernel = "reduce_sum.reference"}
  %s = cutset.reduce_sum %x on "reference:0" id 2 : tensor<64x8xf32>
  // CHECK: cutset.div {{.*}} {cutset.kernel = "div.reference"}
  %m = cutset.div %s, %n on "reference:0" id 3 : tensor<f32>, tensor<f32>
  return %m : tensor<f32>
}
// -----
func.func private @role(%x: tensor<8xf64>) -> tensor<8xf64> attributes {cutset.role = "forward"} {
  // expected-error@+1 {{opencl:0 has no kernel for relu: relu.opencl: no kernel for f64}}
  %y = cutset.relu %x on "opencl:0" id 1 : tensor<8xf64>
  return %y : tensor<8xf64>
}
// -----
// Random numbers depend on the step, so they are not folded. If the step is a constant, they are folded.
// CHECK-LABEL: @draws
func.func private @draws(%step: tensor<i64>) -> (tensor<4xf32>, tensor<4xf32>) attributes {cutset.role = "forward"} {
  %t = cutset.type_only : tensor<4xf32>
  %zero = cutset.constant dense<0> : tensor<i64>
  // CHECK: %[[A:.*]] = cutset.random_uniform %{{.*}}, %{{.*}} {cutset.kernel = "random_uniform.reference"}
  %a = cutset.random_uniform %t, %step <{seed = 1 : i64, stream = 2 : i64}> on "reference:0" id 1 : tensor<4xf32>, tensor<i64>
  // CHECK-NOT: cutset.random_uniform
  %b = cutset.random_uniform %t, %zero <{seed = 1 : i64, stream = 2 : i64}> on "reference:0" id 2 : tensor<4xf32>, tensor<i64>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}
