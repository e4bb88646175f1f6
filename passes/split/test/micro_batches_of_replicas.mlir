// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --devices=reference:0,sim:0 --strategy="data(2, shares=5:2) * pipeline(1, micro_batches=2)" --split | FileCheck %s
// RUN: cutset-opt %s --devices=reference:0,sim:0 --strategy="data(2, shares=5:2) * pipeline(1, micro_batches=2)" --shards=8 --split | FileCheck %s --check-prefix=TREE

// Ten rows in shares 5:2 are 7 and 3, in micro-batches of 4, 3 and of 2, 1. The replicas have different
// classes.
// CHECK: cutset.shard_classes = array<i64: 0, 1, 2, 3>, cutset.shard_replicas = array<i64: 0, 0, 1, 1>, cutset.shards = array<i64: 4, 3, 2, 1>, cutset.sum_along_tree = false
// Replica 0 has the first six of eight shards: two nodes of the tree. Each node is summed separately.
// TREE: cutset.shard_classes = array<i64: 0, 0, 1, 1, 1, 1, 2, 2>, cutset.shard_replicas = array<i64: 0, 0, 0, 0, 0, 0, 1, 1>, cutset.shards = array<i64: 2, 2, 1, 1, 1, 1, 1, 1>, cutset.sum_along_tree = true
func.func @evaluate(%x: tensor<10x8xf32> {cutset.input = "x"}) -> (tensor<8xf32> {cutset.output = "sum"}) {
  // CHECK: %[[S0:.*]] = cutset.sum_micro_batches %{{.*}}, %{{.*}} shards 0 to 2 {cutset.origin = #cutset.origin<value 1, shards 0 to 2, partial 0>}
  // CHECK: %[[S1:.*]] = cutset.sum_micro_batches %{{.*}}, %{{.*}} shards 2 to 4 {cutset.origin = #cutset.origin<value 1, shards 2 to 4, partial 0>}
  // CHECK: %[[SUM:.*]]:2 = cutset.all_reduce %[[S0]], %[[S1]] shards [0, 1, 1, 2]
  // TREE: %[[S0:.*]] = cutset.sum_micro_batches %{{.*}}, %{{.*}} shards 0 to 4
  // TREE: %[[S1:.*]] = cutset.sum_micro_batches %{{.*}} shards 4 to 6
  // TREE: %[[S2:.*]] = cutset.sum_micro_batches %{{.*}} shards 6 to 8
  // TREE: %[[SUM:.*]]:2 = cutset.all_reduce %[[S0]], %[[S1]], %[[S2]] shards [0, 4, 4, 6, 6, 8]
  %s = cutset.reduce_sum %x <{axes = array<i64: 0>}> id 1 : tensor<10x8xf32>
  // CHECK: cutset.neg %[[SUM]]#0
  %n = cutset.neg %s id 2 : tensor<8xf32>
  return %n : tensor<8xf32>
}
