// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --devices=reference:0 --strategy="pipeline(1,micro_batches=3)" --split --place --cut | FileCheck %s

// The roles of the two classes are called once per micro-batch, and their sums are added after each call.
// CHECK: cutset.schedule @"train/reference:0"
// CHECK: %[[X0:.*]] = cutset.input "x" {cutset.origin = #cutset.origin<value 0, shards 0 to 1, rows 0>} : tensor<3xf32>
// CHECK: %[[C0:.*]]:2 = cutset.call @"train/reference:0/micro_batch0"(%[[X0]]) shard 0
// CHECK: cutset.output %[[C0]]#0 "y" : tensor<3xf32>
// CHECK: %[[X1:.*]] = cutset.input "x" rows from 3 {cutset.origin = #cutset.origin<value 0, shards 1 to 2, rows 0>} : tensor<2xf32>
// CHECK: %[[C1:.*]]:2 = cutset.call @"train/reference:0/micro_batch1"(%[[X1]]) shard 1
// CHECK: cutset.output %[[C1]]#0 "y" rows from 3 : tensor<2xf32>
// CHECK: %[[A1:.*]] = cutset.call @"train/reference:0/accumulate"(%[[C0]]#1, %[[C1]]#1) shard 0 to 2 :
// CHECK: %[[X2:.*]] = cutset.input "x" rows from 5 {cutset.origin = #cutset.origin<value 0, shards 2 to 3, rows 0>} : tensor<2xf32>
// CHECK: %[[C2:.*]]:2 = cutset.call @"train/reference:0/micro_batch1"(%[[X2]]) shard 2 :
// CHECK: %[[A2:.*]] = cutset.call @"train/reference:0/accumulate"(%[[A1]], %[[C2]]#1) shard 0 to 3 :
// CHECK: %[[S:.*]] = cutset.unpack %[[A2]] : tuple<tensor<f32>> -> tensor<f32>
// CHECK: cutset.call @"train/reference:0/forward0"(%[[S]])
// A role has the origins of the first micro-batch of its class.
// CHECK: func.func private @"train/reference:0/micro_batch1"({{.*}}cutset.first_shard = 1
// The sum of the squares is needed by every micro-batch, so there is a second round.
// CHECK: cutset.schedule @"two_rounds/reference:0"
// CHECK: cutset.call @"two_rounds/reference:0/micro_batch0"({{.*}}) shard 0
// CHECK: cutset.call @"two_rounds/reference:0/micro_batch1"({{.*}}) shard 1
// CHECK: cutset.call @"two_rounds/reference:0/accumulate"
// CHECK: cutset.call @"two_rounds/reference:0/micro_batch1"({{.*}}) shard 2
// CHECK: %[[FRAME:.*]] = cutset.call @"two_rounds/reference:0/accumulate"
// CHECK: %[[SUM:.*]] = cutset.unpack %[[FRAME]]
// CHECK-NOT: cutset.input
// CHECK: cutset.call @"two_rounds/reference:0/micro_batch0'"({{.*}}%[[SUM]]{{.*}}) shard 0
// CHECK: cutset.call @"two_rounds/reference:0/micro_batch1'"({{.*}}%[[SUM]]{{.*}}) shard 1
// CHECK: cutset.call @"two_rounds/reference:0/micro_batch1'"({{.*}}%[[SUM]]{{.*}}) shard 2
// An op is in the latest round that is possible: the first round computes only what the sum needs.
// CHECK: func.func private @"two_rounds/reference:0/micro_batch0"
// CHECK-NEXT: cutset.mul
// CHECK-NEXT: cutset.reduce_sum
// CHECK-NEXT: return
// CHECK: func.func private @"two_rounds/reference:0/micro_batch0'"
// CHECK-NEXT: cutset.neg
// CHECK-NEXT: cutset.div
// CHECK-NEXT: return
func.func @train(%x: tensor<7xf32> {cutset.input = "x"}) -> (tensor<7xf32> {cutset.output = "y"}, tensor<f32> {cutset.output = "s"}) {
  %n = cutset.neg %x id 1 : tensor<7xf32>
  %y = cutset.exp %n id 2 : tensor<7xf32>
  %s = cutset.reduce_sum %y id 3 : tensor<7xf32>
  %t = cutset.tanh %s id 4 : tensor<f32>
  return %y, %t : tensor<7xf32>, tensor<f32>
}
func.func @two_rounds(%x: tensor<7xf32> {cutset.input = "x"}) -> (tensor<7xf32> {cutset.output = "y"}) {
  %n = cutset.neg %x id 4 : tensor<7xf32>
  %q = cutset.mul %x, %x id 1 : tensor<7xf32>, tensor<7xf32>
  %s = cutset.reduce_sum %q id 2 : tensor<7xf32>
  %y = cutset.div %n, %s id 3 : tensor<7xf32>, tensor<f32>
  return %y : tensor<7xf32>
}
