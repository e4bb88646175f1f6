// RUN: cutset-opt %s --split-input-file --devices=reference:0 --cut --verify-diagnostics

// expected-error@+1 {{has cutset.shard_classes, but no matching cutset.shards and cutset.sum_along_tree}}
func.func @rows(%x: tensor<2xf32> {cutset.input = "x"}) -> (tensor<2xf32> {cutset.output = "y"}) attributes {cutset.shard_classes = array<i64: 0, 0>, cutset.shards = array<i64: 2>, cutset.sum_along_tree = false} {
  return %x : tensor<2xf32>
}
// -----
// expected-error@+1 {{the classes of its shards do not count up from 0}}
func.func @classes(%x: tensor<2xf32> {cutset.input = "x"}) -> (tensor<2xf32> {cutset.output = "y"}) attributes {cutset.shard_classes = array<i64: 1, 0>, cutset.shards = array<i64: 2, 2>, cutset.sum_along_tree = false} {
  return %x : tensor<2xf32>
}
// -----
// expected-error@+1 {{argument 0 has a cutset.shard_class that is out of range}}
func.func @argument(%x: tensor<2xf32> {cutset.input = "x", cutset.shard_class = 1 : i64}) -> (tensor<2xf32> {cutset.output = "y"}) attributes {cutset.shard_classes = array<i64: 0, 0>, cutset.shards = array<i64: 2, 2>, cutset.sum_along_tree = false} {
  return %x : tensor<2xf32>
}
// -----
func.func @no_classes(%x: tensor<2xf32> {cutset.input = "x"}) -> (tensor<2xf32> {cutset.output = "y"}) {
  // expected-error@+1 {{has a cutset.shard_class that is out of range}}
  %y = cutset.neg %x on "reference:0" because "r" id 1 {cutset.shard_class = 0 : i64} : tensor<2xf32>
  return %y : tensor<2xf32>
}
// -----
func.func @whole(%x: tensor<2xf32> {cutset.input = "x", cutset.shard_class = 0 : i64}) -> (tensor<2xf32> {cutset.output = "y"}) attributes {cutset.shard_classes = array<i64: 0, 0>, cutset.shards = array<i64: 2, 2>, cutset.sum_along_tree = false} {
  // expected-error@+1 {{reads operand 0, which belongs to another class of micro-batches}}
  %y = cutset.neg %x on "reference:0" because "r" id 1 : tensor<2xf32>
  return %y : tensor<2xf32>
}
// -----
func.func @sum(%x: tensor<2xf32> {cutset.input = "x", cutset.shard_class = 0 : i64}) -> (tensor<f32> {cutset.output = "y"}) attributes {cutset.shard_classes = array<i64: 0, 1>, cutset.shards = array<i64: 2, 1>, cutset.sum_along_tree = false} {
  %y = cutset.reduce_sum %x on "reference:0" because "r" id 1 {cutset.shard_class = 0 : i64} : tensor<2xf32>
  // expected-error@+1 {{has 1 operands for 2 classes of shards}}
  %s = cutset.sum_micro_batches %y : tensor<f32> -> tensor<f32>
  return %s : tensor<f32>
}
// -----
// expected-error@+1 {{cutset.schedule_name must be a string, and the function must have cutset.shard_classes}}
func.func @schedule(%x: tensor<2xf32> {cutset.input = "x"}) -> (tensor<2xf32> {cutset.output = "y"}) attributes {cutset.schedule_name = 3 : i64, cutset.shard_classes = array<i64: 0>, cutset.shards = array<i64: 2>, cutset.sum_along_tree = false} {
  return %x : tensor<2xf32>
}
// -----
func.func @devices(%x: tensor<2xf32> {cutset.input = "x", cutset.shard_class = 0 : i64}, %y: tensor<1xf32> {cutset.input = "x", cutset.shard_class = 1 : i64}) -> (tensor<f32> {cutset.output = "y"}) attributes {cutset.shard_classes = array<i64: 0, 1>, cutset.shards = array<i64: 2, 1>, cutset.sum_along_tree = false} {
  %p = cutset.reduce_sum %x on "reference:0" because "r" id 1 {cutset.shard_class = 0 : i64} : tensor<2xf32>
  %q = cutset.reduce_sum %y on "sim:0" because "r" id 1 {cutset.shard_class = 1 : i64} : tensor<1xf32>
  // expected-error@+1 {{sums values that are computed on several devices, or at different times}}
  %s = cutset.sum_micro_batches %p, %q : tensor<f32>, tensor<f32> -> tensor<f32>
  return %s : tensor<f32>
}
