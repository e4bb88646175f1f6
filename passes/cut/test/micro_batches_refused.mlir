// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --devices=reference:0 --cut --verify-diagnostics

// expected-error@+1 {{has cutset.shard_classes, but no matching cutset.shards, cutset.shard_replicas and cutset.sum_along_tree}}
func.func @rows(%x: tensor<2xf32> {cutset.input = "x"}) -> (tensor<2xf32> {cutset.output = "y"}) attributes {cutset.shard_classes = array<i64: 0, 0>, cutset.shard_replicas = array<i64: 0, 0>, cutset.shards = array<i64: 2>, cutset.sum_along_tree = false} {
  return %x : tensor<2xf32>
}
// -----
// expected-error@+1 {{the classes of its shards do not count up from 0}}
func.func @classes(%x: tensor<2xf32> {cutset.input = "x"}) -> (tensor<2xf32> {cutset.output = "y"}) attributes {cutset.shard_classes = array<i64: 1, 0>, cutset.shard_replicas = array<i64: 0, 0>, cutset.shards = array<i64: 2, 2>, cutset.sum_along_tree = false} {
  return %x : tensor<2xf32>
}
// -----
// expected-error@+1 {{argument 0 has a cutset.shard_class that is out of range}}
func.func @argument(%x: tensor<2xf32> {cutset.input = "x", cutset.shard_class = 1 : i64}) -> (tensor<2xf32> {cutset.output = "y"}) attributes {cutset.shard_classes = array<i64: 0, 0>, cutset.shard_replicas = array<i64: 0, 0>, cutset.shards = array<i64: 2, 2>, cutset.sum_along_tree = false} {
  return %x : tensor<2xf32>
}
// -----
func.func @no_classes(%x: tensor<2xf32> {cutset.input = "x"}) -> (tensor<2xf32> {cutset.output = "y"}) {
  // expected-error@+1 {{has a cutset.shard_class that is out of range}}
  %y = cutset.neg %x on "reference:0" because "r" id 1 {cutset.shard_class = 0 : i64} : tensor<2xf32>
  return %y : tensor<2xf32>
}
// -----
func.func @whole(%x: tensor<2xf32> {cutset.input = "x", cutset.shard_class = 0 : i64}) -> (tensor<2xf32> {cutset.output = "y"}) attributes {cutset.shard_classes = array<i64: 0, 0>, cutset.shard_replicas = array<i64: 0, 0>, cutset.shards = array<i64: 2, 2>, cutset.sum_along_tree = false} {
  // expected-error@+1 {{reads operand 0, which belongs to another class of micro-batches}}
  %y = cutset.neg %x on "reference:0" because "r" id 1 : tensor<2xf32>
  return %y : tensor<2xf32>
}
// -----
func.func @sum(%x: tensor<2xf32> {cutset.input = "x", cutset.shard_class = 0 : i64}) -> (tensor<f32> {cutset.output = "y"}) attributes {cutset.shard_classes = array<i64: 0, 1>, cutset.shard_replicas = array<i64: 0, 0>, cutset.shards = array<i64: 2, 1>, cutset.sum_along_tree = false} {
  %y = cutset.reduce_sum %x on "reference:0" because "r" id 1 {cutset.origin = #cutset.origin<value 1, shards 0 to 1, partial 0>, cutset.shard_class = 0 : i64} : tensor<2xf32>
  // expected-error@+1 {{has 1 operands for 2 classes of shards}}
  %s = cutset.sum_micro_batches %y shards 0 to 2 : tensor<f32> -> tensor<f32>
  return %s : tensor<f32>
}
// -----
// expected-error@+1 {{cutset.schedule_name must be a string, and the function must have cutset.shard_classes}}
func.func @schedule(%x: tensor<2xf32> {cutset.input = "x"}) -> (tensor<2xf32> {cutset.output = "y"}) attributes {cutset.schedule_name = 3 : i64, cutset.shard_classes = array<i64: 0>, cutset.shard_replicas = array<i64: 0>, cutset.shards = array<i64: 2>, cutset.sum_along_tree = false} {
  return %x : tensor<2xf32>
}
// -----
func.func @devices(%x: tensor<2xf32> {cutset.input = "x", cutset.shard_class = 0 : i64}, %y: tensor<1xf32> {cutset.input = "x", cutset.shard_class = 1 : i64}) -> (tensor<f32> {cutset.output = "y"}) attributes {cutset.shard_classes = array<i64: 0, 1>, cutset.shard_replicas = array<i64: 0, 0>, cutset.shards = array<i64: 2, 1>, cutset.sum_along_tree = false} {
  %p = cutset.reduce_sum %x on "reference:0" because "r" id 1 {cutset.origin = #cutset.origin<value 1, shards 0 to 1, partial 0>, cutset.shard_class = 0 : i64} : tensor<2xf32>
  %q = cutset.reduce_sum %y on "sim:0" because "r" id 1 {cutset.origin = #cutset.origin<value 1, shards 1 to 2, partial 0>, cutset.shard_class = 1 : i64} : tensor<1xf32>
  // expected-error@+1 {{sums values that are computed on several devices, in several stages, or at different times}}
  %s = cutset.sum_micro_batches %p, %q shards 0 to 2 : tensor<f32>, tensor<f32> -> tensor<f32>
  return %s : tensor<f32>
}
// -----
// expected-error@+1 {{the shards of a class belong to several replicas, or the shards of a replica are not consecutive}}
func.func @replicas(%x: tensor<2xf32> {cutset.input = "x"}) -> (tensor<2xf32> {cutset.output = "y"}) attributes {cutset.shard_classes = array<i64: 0, 1, 0>, cutset.shard_replicas = array<i64: 0, 1, 0>, cutset.shards = array<i64: 2, 2, 2>, cutset.sum_along_tree = false} {
  return %x : tensor<2xf32>
}
// -----
// expected-error@+1 {{the shards of a class belong to several replicas, or the shards of a replica are not consecutive}}
func.func @shared_class(%x: tensor<2xf32> {cutset.input = "x"}) -> (tensor<2xf32> {cutset.output = "y"}) attributes {cutset.shard_classes = array<i64: 0, 0>, cutset.shard_replicas = array<i64: 0, 1>, cutset.shards = array<i64: 2, 2>, cutset.sum_along_tree = false} {
  return %x : tensor<2xf32>
}
// -----
func.func @two_replicas(%x: tensor<2xf32> {cutset.input = "x", cutset.shard_class = 0 : i64}, %y: tensor<1xf32> {cutset.input = "x", cutset.shard_class = 1 : i64}) -> (tensor<f32> {cutset.output = "y"}) attributes {cutset.shard_classes = array<i64: 0, 1>, cutset.shard_replicas = array<i64: 0, 1>, cutset.shards = array<i64: 2, 1>, cutset.sum_along_tree = false} {
  %p = cutset.reduce_sum %x on "reference:0" because "r" id 1 {cutset.origin = #cutset.origin<value 1, shards 0 to 1, partial 0>, cutset.shard_class = 0 : i64} : tensor<2xf32>
  %q = cutset.reduce_sum %y on "reference:0" because "r" id 1 {cutset.origin = #cutset.origin<value 1, shards 1 to 2, partial 0>, cutset.shard_class = 1 : i64} : tensor<1xf32>
  // expected-error@+1 {{adds micro-batches of several replicas}}
  %s = cutset.sum_micro_batches %p, %q shards 0 to 2 : tensor<f32>, tensor<f32> -> tensor<f32>
  return %s : tensor<f32>
}
// -----
func.func @too_many(%x: tensor<2xf32> {cutset.input = "x", cutset.shard_class = 0 : i64}) -> (tensor<f32> {cutset.output = "y"}) attributes {cutset.shard_classes = array<i64: 0, 0>, cutset.shard_replicas = array<i64: 0, 0>, cutset.shards = array<i64: 2, 2>, cutset.sum_along_tree = false} {
  %p = cutset.reduce_sum %x on "reference:0" because "r" id 1 {cutset.origin = #cutset.origin<value 1, shards 0 to 1, partial 0>, cutset.shard_class = 0 : i64} : tensor<2xf32>
  // expected-error@+1 {{adds the shards before 3, and there are 2}}
  %s = cutset.sum_micro_batches %p shards 0 to 3 : tensor<f32> -> tensor<f32>
  return %s : tensor<f32>
}
// -----
module attributes {cutset.devices = ["reference:0", "sim:0"], cutset.replicas = 2 : i64} {
  // expected-error@+1 {{the micro-batches of class 1 have ops on "reference:0", which belongs to another replica}}
  func.func @other_replica(%x: tensor<2xf32> {cutset.input = "x", cutset.shard_class = 1 : i64}) -> (tensor<2xf32> {cutset.output = "y"}) attributes {cutset.shard_classes = array<i64: 0, 1>, cutset.shard_replicas = array<i64: 0, 1>, cutset.shards = array<i64: 2, 2>, cutset.sum_along_tree = false} {
    %y = cutset.neg %x on "reference:0" because "r" replica 1 id 1 {cutset.origin = #cutset.origin<value 1, shards 1 to 2, rows 0>, cutset.shard_class = 1 : i64} : tensor<2xf32>
    return %y : tensor<2xf32>
  }
}
// -----
module attributes {cutset.devices = ["reference:0", "sim:0"], cutset.replicas = 3 : i64} {
  // expected-error@+1 {{the 2 devices of the module do not make 3 groups of equal size, one per replica}}
  func.func @groups(%x: tensor<2xf32> {cutset.input = "x", cutset.shard_class = 0 : i64}) -> (tensor<2xf32> {cutset.output = "y"}) attributes {cutset.shard_classes = array<i64: 0, 0>, cutset.shard_replicas = array<i64: 0, 0>, cutset.shards = array<i64: 2, 2>, cutset.sum_along_tree = false} {
    %y = cutset.neg %x on "reference:0" because "r" id 1 {cutset.origin = #cutset.origin<value 1, shards 0 to 1, rows 0>, cutset.shard_class = 0 : i64} : tensor<2xf32>
    return %y : tensor<2xf32>
  }
}
// -----
func.func @origin(%x: tensor<2xf32> {cutset.input = "x", cutset.shard_class = 0 : i64}) -> (tensor<2xf32> {cutset.output = "y"}) attributes {cutset.shard_classes = array<i64: 0>, cutset.shard_replicas = array<i64: 0>, cutset.shards = array<i64: 2>, cutset.sum_along_tree = false} {
  // expected-error@+1 {{belongs to a micro-batch, and has no cutset.origin (run --split first)}}
  %y = cutset.neg %x on "reference:0" because "r" id 1 {cutset.shard_class = 0 : i64} : tensor<2xf32>
  return %y : tensor<2xf32>
}
// -----
// expected-error@+1 {{a shard has -1 samples}}
func.func @samples(%x: tensor<2xf32> {cutset.input = "x"}) -> (tensor<2xf32> {cutset.output = "y"}) attributes {cutset.shards = array<i64: 3, -1>} {
  return %x : tensor<2xf32>
}
