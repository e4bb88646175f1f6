// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --devices=reference:0,sim:0 --cut --verify-diagnostics

// The third stage runs after the first stage on the same device, so the first stage cannot read its values.
module attributes {cutset.devices = ["reference:0", "sim:0"]} {
  func.func @backwards(%x: tensor<2xf32> {cutset.input = "x", cutset.shard_class = 0 : i64}) -> (tensor<2xf32> {cutset.output = "y"}) attributes {cutset.chunks = 2 : i64, cutset.schedule_name = "interleaved", cutset.shard_classes = array<i64: 0, 0>, cutset.shard_replicas = array<i64: 0, 0>, cutset.shards = array<i64: 2, 2>, cutset.sum_along_tree = false} {
    // expected-error@+1 {{belongs to stage 2 of "reference:0", and an action before it on the same device needs its result (use schedule=gpipe with chunks=1, or place the ops so that values flow from each stage to the next one)}}
    %0 = cutset.neg %x on "reference:0" because "r" id 1 {cutset.origin = #cutset.origin<value 1, shards 0 to 1, rows 0>, cutset.shard_class = 0 : i64, cutset.stage = 2 : i64} : tensor<2xf32>
    %1 = cutset.neg %0 on "reference:0" because "r" id 2 {cutset.origin = #cutset.origin<value 2, shards 0 to 1, rows 0>, cutset.shard_class = 0 : i64, cutset.stage = 0 : i64} : tensor<2xf32>
    return %1 : tensor<2xf32>
  }
}
// -----
module attributes {cutset.devices = ["reference:0", "sim:0"]} {
  // expected-error@+1 {{stage 1 has ops on "reference:0", which is the device of other stages}}
  func.func @device(%x: tensor<2xf32> {cutset.input = "x", cutset.shard_class = 0 : i64}) -> (tensor<2xf32> {cutset.output = "y"}) attributes {cutset.chunks = 2 : i64, cutset.schedule_name = "interleaved", cutset.shard_classes = array<i64: 0, 0>, cutset.shard_replicas = array<i64: 0, 0>, cutset.shards = array<i64: 2, 2>, cutset.sum_along_tree = false} {
    %0 = cutset.neg %x on "reference:0" because "r" id 1 {cutset.origin = #cutset.origin<value 1, shards 0 to 1, rows 0>, cutset.shard_class = 0 : i64, cutset.stage = 1 : i64} : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
// -----
module attributes {cutset.devices = ["reference:0", "sim:0"]} {
  func.func @stages(%x: tensor<2xf32> {cutset.input = "x", cutset.shard_class = 0 : i64}, %y: tensor<1xf32> {cutset.input = "x", cutset.shard_class = 1 : i64}) -> (tensor<f32> {cutset.output = "y"}) attributes {cutset.chunks = 2 : i64, cutset.schedule_name = "interleaved", cutset.shard_classes = array<i64: 0, 1>, cutset.shard_replicas = array<i64: 0, 0>, cutset.shards = array<i64: 2, 1>, cutset.sum_along_tree = false} {
    %p = cutset.reduce_sum %x on "reference:0" because "r" id 1 {cutset.origin = #cutset.origin<value 1, shards 0 to 1, partial 0>, cutset.shard_class = 0 : i64, cutset.stage = 0 : i64} : tensor<2xf32>
    %q = cutset.reduce_sum %y on "reference:0" because "r" id 1 {cutset.origin = #cutset.origin<value 1, shards 1 to 2, partial 0>, cutset.shard_class = 1 : i64, cutset.stage = 2 : i64} : tensor<1xf32>
    // expected-error@+1 {{sums values that are computed on several devices, in several stages, or at different times}}
    %s = cutset.sum_micro_batches %p, %q shards 0 to 2 : tensor<f32>, tensor<f32> -> tensor<f32>
    return %s : tensor<f32>
  }
}
// -----
// expected-error@+1 {{the attribute 'cutset.chunks' is 65 : i64; it must be a 64-bit integer from 1 to 64}}
func.func private @chunks() attributes {cutset.chunks = 65 : i64}
