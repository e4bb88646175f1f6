// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --devices=reference:0 --strategy="pipeline(1,micro_batches=3)" --split | FileCheck %s

// A micro-batch reads its rows of an input without a batch. A call for the second micro-batch of class 1
// begins two samples later, and moves the rows by four.
// CHECK-LABEL: func.func @evaluate
func.func @evaluate(%x: tensor<7x2xf32> {cutset.input = "x"}, %m: tensor<14xf32> {cutset.input = "m", cutset.batch_dimension = -1 : i64}) -> (tensor<14xf32> {cutset.output = "y"}) {
  %r = cutset.reshape %x <{shape = array<i64: -1>}> id 1 : tensor<7x2xf32>
  // CHECK: %[[M0:.*]] = cutset.slice %{{.*}} <{axis = 0 : i64, length = 6 : i64, rows_per_sample = 2 : i64}> {{.*}}shards 0 to 1, rows 0>, cutset.shard_class = 0 : i64}
  // CHECK: %[[M1:.*]] = cutset.slice %{{.*}} <{axis = 0 : i64, length = 4 : i64, rows_per_sample = 2 : i64, start = 6 : i64}> {{.*}}shards 1 to 2, rows 0>, cutset.shard_class = 1 : i64}
  // CHECK: cutset.mul %{{.*}}, %[[M0]]
  // CHECK: cutset.mul %{{.*}}, %[[M1]]
  // CHECK-NOT: cutset.slice
  %y = cutset.mul %r, %m id 2 : tensor<14xf32>, tensor<14xf32>
  return %y : tensor<14xf32>
}

// -----

// The elements of a shard along the second dimension have gaps, so the numbers are drawn for the whole batch.
// CHECK-LABEL: func.func @evaluate
func.func @evaluate(%x: tensor<3x6xf32> {cutset.input = "x", cutset.batch_dimension = 1 : i64}, %step: tensor<i64> {cutset.input = "cutset.step", cutset.step}) -> (tensor<3x6xf32> {cutset.output = "y"}) {
  // CHECK: %[[U:.*]] = cutset.random_uniform
  // CHECK-NOT: cutset.random_uniform
  %u = cutset.random_uniform %x, %step <{seed = 1 : i64, stream = 2 : i64}> id 1 : tensor<3x6xf32>, tensor<i64>
  // CHECK: cutset.slice %[[U]] <{axis = 1 : i64, length = 2 : i64, rows_per_sample = 1 : i64}>
  %y = cutset.mul %x, %u id 2 : tensor<3x6xf32>, tensor<3x6xf32>
  return %y : tensor<3x6xf32>
}
