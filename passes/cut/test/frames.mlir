// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --devices=reference:0,sim:0 --strategy="pipeline(2,micro_batches=3)" --split --place --cut | FileCheck %s

// Values that one role hands to the same roles of its device are a frame. %h is in no frame, because another
// device also reads it.
// CHECK: cutset.schedule @"train/reference:0"
// CHECK: %[[F:.*]]:2 = cutset.call @"train/reference:0/forward0"(%[[X:.*]]) shard 0 : (tensor<3x4xf32>) -> (tuple<tensor<3x4xf32>, tensor<3x4xf32>>, tensor<3x4xf32>)
// CHECK-NEXT: cutset.send %[[F]]#1
// CHECK: %[[B0:.*]] = cutset.call @"train/reference:0/backward0"(%[[F]]#0, %{{.*}}, %[[F]]#1) shard 0 : {{.*}} -> tuple<tensor<4xf32>, tensor<f32>>
// The classes have frames of the same form, so one role adds their partial sums.
// CHECK: %[[B1:.*]] = cutset.call @"train/reference:0/backward1"({{.*}}) shard 1 : {{.*}} -> tuple<tensor<4xf32>, tensor<f32>>
// CHECK-NEXT: %[[S:.*]] = cutset.call @"train/reference:0/accumulate"(%[[B0]], %[[B1]]) shard 0 to 2
// CHECK: %[[T:.*]] = cutset.call @"train/reference:0/accumulate"(%[[S]], %{{.*}}) shard 0 to 3
// CHECK-NEXT: %[[G:.*]]:2 = cutset.unpack %[[T]] : tuple<tensor<4xf32>, tensor<f32>> -> tensor<4xf32>, tensor<f32>
// CHECK-DAG: cutset.output %[[G]]#0 "gradient:a"
// CHECK-DAG: cutset.output %[[G]]#1 "gradient:s"

// The arguments of a role are the elements of its frames, one after the other.
// CHECK: func.func private @"train/reference:0/forward0"(%{{.*}}: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>)
// CHECK: func.func private @"train/reference:0/backward0"(%{{.*}}: tensor<3x4xf32>, %{{.*}}: tensor<3x4xf32>, %{{.*}}: tensor<3x4xf32>, %{{.*}}: tensor<3x4xf32>) -> (tensor<4xf32>, tensor<f32>)
// CHECK: func.func private @"train/reference:0/accumulate"({{.*}}: tensor<4xf32>, {{.*}}: tensor<f32>, {{.*}}: tensor<4xf32>, {{.*}}: tensor<f32>) -> (tensor<4xf32>, tensor<f32>)
func.func @train(%x: tensor<7x4xf32> {cutset.input = "x"}) -> (tensor<f32> {cutset.output = "loss"}, tensor<4xf32> {cutset.gradient, cutset.output = "gradient:a"}, tensor<f32> {cutset.gradient, cutset.output = "gradient:s"}) {
  %p = cutset.tanh %x on "reference:0" because "user" id 1 : tensor<7x4xf32>
  %q = cutset.exp %p on "reference:0" because "user" id 1 : tensor<7x4xf32>
  %h = cutset.neg %q on "reference:0" because "user" id 1 : tensor<7x4xf32>
  %loss = cutset.reduce_sum %h on "sim:0" because "user" id 2 : tensor<7x4xf32>
  %dh = cutset.tanh %h on "sim:0" because "user" id 2 : tensor<7x4xf32>
  %pa = cutset.mul %p, %dh on "reference:0" because "user" id 1 : tensor<7x4xf32>, tensor<7x4xf32>
  %pq = cutset.mul %q, %pa on "reference:0" because "user" id 1 : tensor<7x4xf32>, tensor<7x4xf32>
  %pb = cutset.mul %h, %pq on "reference:0" because "user" id 1 : tensor<7x4xf32>, tensor<7x4xf32>
  %ga = cutset.reduce_sum %pa <{axes = array<i64: 0>}> on "reference:0" because "user" id 1 : tensor<7x4xf32>
  %gs = cutset.reduce_sum %pb on "reference:0" because "user" id 1 : tensor<7x4xf32>
  return %loss, %ga, %gs : tensor<f32>, tensor<4xf32>, tensor<f32>
}
