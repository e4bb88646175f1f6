// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --devices=reference:0,sim:0 --strategy="pipeline(2,micro_batches=3,schedule=zb-h1)" --split --place --cut | FileCheck %s

// The first stage sends nothing back, so its backward pass is one role. It adds the gradient after each call.
// CHECK: cutset.schedule @"train/reference:0"
// CHECK: cutset.call @"train/reference:0/forward0"({{.*}}) shard 0
// CHECK: cutset.call @"train/reference:0/forward0"({{.*}}) shard 1
// CHECK: %[[G0:.*]] = cutset.call @"train/reference:0/backward_weight0"({{.*}}) shard 0 : {{.*}} -> tuple<tensor<4xf32>>
// CHECK: cutset.call @"train/reference:0/forward0"({{.*}}) shard 2
// CHECK: %[[G1:.*]] = cutset.call @"train/reference:0/backward_weight0"({{.*}}) shard 1
// CHECK: %[[S1:.*]] = cutset.call @"train/reference:0/accumulate"(%[[G0]], %[[G1]]) shard 0
// CHECK: %[[G2:.*]] = cutset.call @"train/reference:0/backward_weight0"({{.*}}) shard 2
// CHECK: %[[S2:.*]] = cutset.call @"train/reference:0/accumulate"(%[[S1]], %[[G2]]) shard 0
// CHECK: %[[G:.*]] = cutset.unpack %[[S2]] : tuple<tensor<4xf32>> -> tensor<4xf32>
// CHECK: cutset.commit
// CHECK: cutset.call @"train/reference:0/update"({{.*}}%[[G]]

// The second stage sends the gradient after the input part, and runs the weight part one micro-batch later.
// The weight part reads results of forward and of the input part.
// CHECK: cutset.schedule @"train/sim:0"
// CHECK: %[[F0:.*]]:2 = cutset.call @"train/sim:0/forward0"({{.*}}) shard 0
// CHECK: %[[B0:.*]]:2 = cutset.call @"train/sim:0/backward_input0"(%[[F0]]#0) shard 0
// CHECK-NEXT: cutset.send %[[B0]]#1 to "reference:0"
// CHECK: cutset.call @"train/sim:0/forward0"({{.*}}) shard 1
// CHECK: cutset.call @"train/sim:0/backward_input0"({{.*}}) shard 1
// CHECK-NEXT: cutset.send
// CHECK-NEXT: %[[W0:.*]] = cutset.call @"train/sim:0/backward_weight0"(%{{.*}}, %[[B0]]#0) shard 0
// CHECK: cutset.call @"train/sim:0/backward_input0"({{.*}}) shard 2
// CHECK: %[[W1:.*]] = cutset.call @"train/sim:0/backward_weight0"({{.*}}) shard 1
// CHECK-NEXT: cutset.call @"train/sim:0/accumulate'"(%[[W0]], %[[W1]]) shard 0
// CHECK-NEXT: cutset.call @"train/sim:0/backward_weight0"({{.*}}) shard 2
// CHECK-NEXT: cutset.call @"train/sim:0/accumulate'"

// CHECK: func.func private @"train/sim:0/backward_input0"
// CHECK-SAME: cutset.role = "backward_input"
// CHECK-NEXT: cutset.tanh
// CHECK: cutset.mul
// CHECK-NEXT: return
// CHECK: func.func private @"train/sim:0/backward_weight0"
// CHECK-SAME: cutset.role = "backward_weight"
// CHECK-NEXT: cutset.mul
// CHECK-NEXT: cutset.reduce_sum
// CHECK-NEXT: return
cutset.variable @a : tensor<4xf32>
cutset.variable @b : tensor<4xf32>
cutset.variable @"a/velocity" : tensor<4xf32> state_of @a
cutset.variable @"b/velocity" : tensor<4xf32> state_of @b
func.func @train(%x: tensor<6x4xf32> {cutset.input = "x"}, %r: tensor<f32> {cutset.input = "learning_rate", cutset.hyper_parameter = 0.1}) -> (tensor<f32> {cutset.output = "loss"}) {
  %a = cutset.read @a : tensor<4xf32>
  %b = cutset.read @b : tensor<4xf32>
  %va = cutset.read @"a/velocity" : tensor<4xf32>
  %vb = cutset.read @"b/velocity" : tensor<4xf32>
  %h = cutset.mul %x, %a on "reference:0" because "user" id 1 : tensor<6x4xf32>, tensor<4xf32>
  %y = cutset.mul %h, %b on "sim:0" because "user" id 2 : tensor<6x4xf32>, tensor<4xf32>
  %loss = cutset.reduce_sum %y on "sim:0" because "user" id 2 : tensor<6x4xf32>
  %dy = cutset.tanh %y on "sim:0" because "user" id 2 : tensor<6x4xf32>
  %pb = cutset.mul %h, %dy on "sim:0" because "user" id 2 : tensor<6x4xf32>, tensor<6x4xf32>
  %gb = cutset.reduce_sum %pb <{axes = array<i64: 0>}> on "sim:0" because "user" id 2 : tensor<6x4xf32>
  %dh = cutset.mul %dy, %b on "sim:0" because "user" id 2 : tensor<6x4xf32>, tensor<4xf32>
  %pa = cutset.mul %x, %dh on "reference:0" because "user" id 1 : tensor<6x4xf32>, tensor<6x4xf32>
  %ga = cutset.reduce_sum %pa <{axes = array<i64: 0>}> on "reference:0" because "user" id 1 : tensor<6x4xf32>
  %na, %nva = cutset.sgd %a, %va, %ga, %r, %r id 3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>
  %nb, %nvb = cutset.sgd %b, %vb, %gb, %r, %r id 4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>
  cutset.assign @a, %na : tensor<4xf32>
  cutset.assign @b, %nb : tensor<4xf32>
  cutset.assign @"a/velocity", %nva : tensor<4xf32>
  cutset.assign @"b/velocity", %nvb : tensor<4xf32>
  return %loss : tensor<f32>
}
