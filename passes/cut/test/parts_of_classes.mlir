// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --devices=reference:0,sim:0 --cut | FileCheck %s

// The second device reads only the partial sum of the second class. This partial sum therefore belongs to the
// input part, and the partial sum of the first class to the weight part. The sum is added after the later
// part.
// CHECK: cutset.schedule @"train/reference:0"
// CHECK: %[[P0:.*]] = cutset.call @"train/reference:0/backward_weight0"({{.*}}) shard 0
// CHECK: %[[P1:.*]] = cutset.call @"train/reference:0/backward_input1"({{.*}}) shard 1
// CHECK-NEXT: cutset.send %[[P1]] to "sim:0"
// CHECK-NEXT: cutset.call @"train/reference:0/accumulate"(%[[P0]], %[[P1]]) shard 0
module attributes {cutset.devices = ["reference:0", "sim:0"]} {
  cutset.variable @v : tensor<f32> home ["reference:0"]
  cutset.variable @u : tensor<f32> home ["sim:0"]
  func.func @train(%x: tensor<3xf32> {cutset.input = "x", cutset.shard_class = 0 : i64}, %y: tensor<2xf32> {cutset.input = "x", cutset.shard_class = 1 : i64, cutset.start = 3 : i64}) attributes {cutset.schedule_name = "zb-h1", cutset.shard_classes = array<i64: 0, 1>, cutset.shard_replicas = array<i64: 0, 0>, cutset.shards = array<i64: 3, 2>, cutset.sum_along_tree = false} {
    %p = cutset.reduce_sum %x on "reference:0" because "r" id 1 {cutset.origin = #cutset.origin<value 2, shards 0 to 1, partial 0>, cutset.shard_class = 0 : i64} : tensor<3xf32>
    %q = cutset.reduce_sum %y on "reference:0" because "r" id 1 {cutset.origin = #cutset.origin<value 2, shards 1 to 2, partial 0>, cutset.shard_class = 1 : i64} : tensor<2xf32>
    %n = cutset.neg %q on "sim:0" because "r" id 2 {cutset.origin = #cutset.origin<value 3, shards 1 to 2, partial 0>, cutset.shard_class = 1 : i64} : tensor<f32>
    %s = cutset.sum_micro_batches %p, %q shards 0 to 2 : tensor<f32>, tensor<f32> -> tensor<f32>
    %t = cutset.sum_micro_batches %n shards 1 to 2 : tensor<f32> -> tensor<f32>
    cutset.assign @v, %s : tensor<f32>
    cutset.assign @u, %t : tensor<f32>
    return
  }
}
