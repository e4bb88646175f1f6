// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --devices=reference:0,sim:0 --strategy="pipeline(2,micro_batches=2)" --split --place --cut | FileCheck %s

// Ops that only compute gradients are backward ops, even if the gradients are results of the function.
// Otherwise the forward action of the first stage would wait for the second stage.
// CHECK: cutset.schedule @"train/reference:0"
// CHECK: cutset.call @"train/reference:0/forward0"({{.*}}) shard 0
// CHECK: cutset.call @"train/reference:0/forward0"({{.*}}) shard 1
// CHECK: cutset.call @"train/reference:0/backward0"({{.*}}) shard 0
// CHECK: cutset.call @"train/reference:0/backward0"({{.*}}) shard 1
// CHECK: %[[S:.*]] = cutset.call @"train/reference:0/accumulate"
// CHECK-NEXT: %[[G:.*]] = cutset.unpack %[[S]]
// CHECK: cutset.output %[[G]] "gradient:a"
cutset.variable @a : tensor<4xf32>
func.func @train(%x: tensor<6x4xf32> {cutset.input = "x"}) -> (tensor<f32> {cutset.output = "loss"}, tensor<4xf32> {cutset.gradient, cutset.output = "gradient:a"}) {
  %a = cutset.read @a : tensor<4xf32>
  %h = cutset.mul %x, %a on "reference:0" because "user" id 1 : tensor<6x4xf32>, tensor<4xf32>
  %loss = cutset.reduce_sum %h on "sim:0" because "user" id 2 : tensor<6x4xf32>
  %dh = cutset.tanh %h on "sim:0" because "user" id 2 : tensor<6x4xf32>
  %pa = cutset.mul %x, %dh on "reference:0" because "user" id 1 : tensor<6x4xf32>, tensor<6x4xf32>
  %ga = cutset.reduce_sum %pa <{axes = array<i64: 0>}> on "reference:0" because "user" id 1 : tensor<6x4xf32>
  return %loss, %ga : tensor<f32>, tensor<4xf32>
}
