// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --devices=reference:0,reference:1 --strategy="pipeline(2,micro_batches=2,schedule=interleaved)" --split --place | FileCheck %s

// The ops 5 and 6 belong to @evaluate alone. They are placed beside the ops between which they lie, and not
// in the last stage, so the stages of @evaluate ascend, too.
// CHECK-LABEL: func.func @train
// CHECK: cutset.matmul {{.*}} id 1 {{.*}}cutset.stage = 0 : i64
// CHECK: cutset.matmul {{.*}} id 2 {{.*}}cutset.stage = 1 : i64
// CHECK: cutset.matmul {{.*}} id 3 {{.*}}cutset.stage = 2 : i64
// CHECK: cutset.matmul {{.*}} id 4 {{.*}}cutset.stage = 3 : i64
// CHECK-LABEL: func.func @evaluate
// CHECK: cutset.neg {{.*}} id 5 {{.*}}cutset.stage = 0 : i64
// CHECK: cutset.matmul {{.*}} id 1 {{.*}}cutset.stage = 0 : i64
// CHECK: cutset.neg {{.*}} id 6 {{.*}}cutset.stage = 0 : i64
// CHECK: cutset.matmul {{.*}} id 2 {{.*}}cutset.stage = 1 : i64
cutset.variable @w : tensor<8x8xf32>
cutset.variable @n : tensor<f32> frozen
func.func @train(%x: tensor<4x8xf32> {cutset.input = "x"}) -> (tensor<4x8xf32> {cutset.output = "y"}) {
  %w = cutset.read @w : tensor<8x8xf32>
  %0 = cutset.matmul %x, %w id 1 : tensor<4x8xf32>, tensor<8x8xf32>
  %1 = cutset.matmul %0, %w id 2 : tensor<4x8xf32>, tensor<8x8xf32>
  %2 = cutset.matmul %1, %w id 3 : tensor<4x8xf32>, tensor<8x8xf32>
  %3 = cutset.matmul %2, %w id 4 : tensor<4x8xf32>, tensor<8x8xf32>
  %n = cutset.read @n : tensor<f32>
  cutset.assign @n, %n : tensor<f32>
  return %3 : tensor<4x8xf32>
}
func.func @evaluate(%x: tensor<4x8xf32> {cutset.input = "x"}) -> (tensor<4x8xf32> {cutset.output = "y"}) {
  %w = cutset.read @w : tensor<8x8xf32>
  %n = cutset.neg %x id 5 : tensor<4x8xf32>
  %0 = cutset.matmul %n, %w id 1 : tensor<4x8xf32>, tensor<8x8xf32>
  %m = cutset.neg %0 id 6 : tensor<4x8xf32>
  %1 = cutset.matmul %m, %w id 2 : tensor<4x8xf32>, tensor<8x8xf32>
  %2 = cutset.matmul %1, %w id 3 : tensor<4x8xf32>, tensor<8x8xf32>
  %3 = cutset.matmul %2, %w id 4 : tensor<4x8xf32>, tensor<8x8xf32>
  return %3 : tensor<4x8xf32>
}
