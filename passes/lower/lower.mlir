// RUN: cutset-opt %s --lower=devices=reference:0,opencl:0 --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @role
func.func private @role(%x: tensor<64x8xf32>) -> tensor<f32> attributes {cutset.role = "forward"} {
  // The count of a shape is known; it is a constant from here on.
  // CHECK: cutset.constant dense<6.400000e+01> : tensor<f32>
  // CHECK-NOT: cutset.count
  %t = cutset.type_only : tensor<64x8xf32>
  %n = cutset.count %t <{axes = array<i64: 0>}> on "reference:0" id 1 : tensor<64x8xf32>
  // CHECK: cutset.reduce_sum {{.*}} {cutset.kernel = "reduce_sum.loop"}
  %s = cutset.reduce_sum %x on "reference:0" id 2 : tensor<64x8xf32>
  // CHECK: cutset.div {{.*}} {cutset.kernel = "div.loop"}
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
// Numbers that change with the step are no constant, however few; those of a step that is known are.
// CHECK-LABEL: @draws
func.func private @draws(%step: tensor<i64>) -> (tensor<4xf32>, tensor<4xf32>) attributes {cutset.role = "forward"} {
  %t = cutset.type_only : tensor<4xf32>
  %zero = cutset.constant dense<0> : tensor<i64>
  // CHECK: %[[A:.*]] = cutset.random_uniform %{{.*}}, %{{.*}} {cutset.kernel = "random_uniform.loop"}
  %a = cutset.random_uniform %t, %step <{seed = 1 : i64, stream = 2 : i64}> on "reference:0" id 1 : tensor<4xf32>, tensor<i64>
  // CHECK-NOT: cutset.random_uniform
  %b = cutset.random_uniform %t, %zero <{seed = 1 : i64, stream = 2 : i64}> on "reference:0" id 2 : tensor<4xf32>, tensor<i64>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}
