// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --devices=reference:0 --strategy="pipeline(1,micro_batches=3)" --split | FileCheck %s
// RUN: cutset-opt %s --split-input-file --devices=reference:0 --strategy="pipeline(1,micro_batches=3)" --shards=7 --split | FileCheck %s --check-prefix=TREE

// Seven rows in three micro-batches are 3, 2 and 2: two classes, with one copy of each op per class.
// CHECK: func.func @evaluate(%[[X0:[a-z0-9]+]]: tensor<3x8xf32> {{{[^}]*}}value 0, shards 0 to 1, rows 0>, cutset.rows = 7 : i64, cutset.shard_class = 0 : i64, cutset.start = 0 : i64}, %[[X1:[a-z0-9]+]]: tensor<2x8xf32> {{{[^}]*}}shards 1 to 2, rows 0>, cutset.rows = 7 : i64, cutset.shard_class = 1 : i64, cutset.start = 3 : i64}
// CHECK-SAME: cutset.shard_classes = array<i64: 0, 1, 1>, cutset.shard_replicas = array<i64: 0, 0, 0>, cutset.shards = array<i64: 3, 2, 2>, cutset.sum_along_tree = false
// TREE: cutset.shard_classes = array<i64: 0, 0, 0, 0, 0, 0, 0>, cutset.shard_replicas = array<i64: 0, 0, 0, 0, 0, 0, 0>, cutset.shards = array<i64: 1, 1, 1, 1, 1, 1, 1>, cutset.sum_along_tree = true
func.func @evaluate(%x: tensor<7x8xf32> {cutset.input = "x"}, %step: tensor<i64> {cutset.input = "cutset.step", cutset.step}) -> (tensor<7x8xf32> {cutset.output = "y"}, tensor<8xf32> {cutset.output = "sum"}) {
  // The class has the random numbers of its first micro-batch. A call for another micro-batch moves the first
  // element.
  // CHECK: %[[U0:.*]] = cutset.random_uniform %{{.*}}, %{{.*}} <{seed = 1 : i64, stream = 2 : i64}> {{.*}}cutset.shard_class = 0 : i64} : tensor<3x8xf32>
  // CHECK: %[[U1:.*]] = cutset.random_uniform %{{.*}}, %{{.*}} <{first_element = 24 : i64, seed = 1 : i64, stream = 2 : i64}> {{.*}}cutset.shard_class = 1 : i64} : tensor<2x8xf32>
  // CHECK-NOT: random_uniform
  %u = cutset.random_uniform %x, %step <{seed = 1 : i64, stream = 2 : i64}> id 1 : tensor<7x8xf32>, tensor<i64>
  // CHECK: %[[Y0:.*]] = cutset.mul %[[X0]], %[[U0]]
  // CHECK: %[[Y1:.*]] = cutset.mul %[[X1]], %[[U1]]
  %y = cutset.mul %x, %u id 2 : tensor<7x8xf32>, tensor<7x8xf32>
  // CHECK: %[[P0:.*]] = cutset.reduce_sum %[[Y0]]
  // CHECK: %[[P1:.*]] = cutset.reduce_sum %[[Y1]]
  // CHECK: %[[S:.*]] = cutset.sum_micro_batches %[[P0]], %[[P1]] shards 0 to 3 {cutset.origin = #cutset.origin<value 4, shards 0 to 3, whole>}
  %s = cutset.reduce_sum %y <{axes = array<i64: 0>}> id 3 : tensor<7x8xf32>
  // CHECK: return %[[Y0]], %[[Y1]], %[[S]]
  return %y, %s : tensor<7x8xf32>, tensor<8xf32>
}
