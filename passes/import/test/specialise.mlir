// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --inputs=image=61x1x8x8 --specialise | FileCheck %s
// RUN: cutset-opt %s --f64 --specialise | FileCheck %s --check-prefix=F64
// RUN: not cutset-opt %s --inputs=nobody=1 --specialise 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not cutset-opt %s --inputs=image=61x2x8x8 --specialise 2>&1 | FileCheck %s --check-prefix=WRONG

// UNKNOWN: no input named 'nobody'
// WRONG: specialise.mlir:[[@LINE+10]]:8: error: 'cutset.conv' op C3: 2 input channels
cutset.variable @w : tensor<4x1x3x3xf32>
// CHECK-LABEL: @graph
// CHECK-SAME: (%{{.*}}: tensor<61x1x8x8xf32> {{.*}}) -> (tensor<f32>
// F64: cutset.variable @w : tensor<4x1x3x3xf64>
// F64: func.func @graph(%{{.*}}: tensor<64x1x8x8xf64>
func.func @graph(%x: tensor<64x1x8x8xf32> {cutset.input = "image"}) -> (tensor<f32> {cutset.output = "loss"}) {
  // F64: cutset.constant dense<5.000000e-01> : tensor<f64>
  %half = cutset.constant dense<0.5> : tensor<f32>
  %w = cutset.read @w : tensor<4x1x3x3xf32>
  %0 = cutset.conv %x, %w : tensor<64x1x8x8xf32>, tensor<4x1x3x3xf32>
  // CHECK: cutset.reshape {{.*}} : tensor<61x4x6x6xf32>
  %1 = cutset.reshape %0 <{shape = array<i64: 0, -1>}> : tensor<64x4x6x6xf32>
  // CHECK: cutset.equal {{.*}} : tensor<61x144xf32>
  %2 = cutset.equal %1, %1 : tensor<64x144xf32>, tensor<64x144xf32>
  // F64: cutset.cast {{.*}} <{dtype = f64}>
  %3 = cutset.cast %2 <{dtype = f32}> : tensor<64x144xi1>
  %4 = cutset.reduce_sum %3 : tensor<64x144xf32>
  %5 = cutset.mul %4, %half : tensor<f32>, tensor<f32>
  return %5 : tensor<f32>
}
