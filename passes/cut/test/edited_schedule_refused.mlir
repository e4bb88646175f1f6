// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --devices=reference:0,sim:0 --cut --verify-diagnostics

module attributes {cutset.devices = ["reference:0", "sim:0"], cutset.schedules = {"2" = 1 : i64}} {
  cutset.variable @w : tensor<2x2xf32> home ["sim:0"]
  // expected-error@+1 {{the schedule of 2 micro-batches in cutset.schedules is not a string}}
  func.func @train(%x: tensor<2x2xf32> {cutset.input = "x", cutset.origin = #cutset.origin<value 0, shards 0 to 1, rows 0>, cutset.rows = 4 : i64, cutset.shard_class = 0 : i64, cutset.start = 0 : i64}) -> (tensor<2x2xf32> {cutset.output = "y", cutset.rows = 4 : i64, cutset.start = 0 : i64}) attributes {cutset.schedule_name = "1f1b", cutset.shard_classes = array<i64: 0, 0>, cutset.shard_replicas = array<i64: 0, 0>, cutset.shards = array<i64: 2, 2>, cutset.sum_along_tree = false} {
    %w = cutset.read @w : tensor<2x2xf32>
    %1 = cutset.tanh %x on "reference:0" because "user" id 1 {cutset.origin = #cutset.origin<value 2, shards 0 to 1, rows 0>, cutset.shard_class = 0 : i64} : tensor<2x2xf32>
    %2 = cutset.matmul %1, %w on "sim:0" because "user" id 2 {cutset.origin = #cutset.origin<value 3, shards 0 to 1, rows 0>, cutset.shard_class = 0 : i64} : tensor<2x2xf32>, tensor<2x2xf32>
    return %2 : tensor<2x2xf32>
  }
}
// -----
module attributes {cutset.devices = ["reference:0", "sim:0"], cutset.schedules = {"2" = "forward 0 0"}} {
  cutset.variable @w : tensor<2x2xf32> home ["sim:0"]
  // expected-error@+1 {{the schedule of 2 micro-batches: schedule:1:1: this is not a schedule}}
  func.func @train(%x: tensor<2x2xf32> {cutset.input = "x", cutset.origin = #cutset.origin<value 0, shards 0 to 1, rows 0>, cutset.rows = 4 : i64, cutset.shard_class = 0 : i64, cutset.start = 0 : i64}) -> (tensor<2x2xf32> {cutset.output = "y", cutset.rows = 4 : i64, cutset.start = 0 : i64}) attributes {cutset.schedule_name = "1f1b", cutset.shard_classes = array<i64: 0, 0>, cutset.shard_replicas = array<i64: 0, 0>, cutset.shards = array<i64: 2, 2>, cutset.sum_along_tree = false} {
    %w = cutset.read @w : tensor<2x2xf32>
    %1 = cutset.tanh %x on "reference:0" because "user" id 1 {cutset.origin = #cutset.origin<value 2, shards 0 to 1, rows 0>, cutset.shard_class = 0 : i64} : tensor<2x2xf32>
    %2 = cutset.matmul %1, %w on "sim:0" because "user" id 2 {cutset.origin = #cutset.origin<value 3, shards 0 to 1, rows 0>, cutset.shard_class = 0 : i64} : tensor<2x2xf32>, tensor<2x2xf32>
    return %2 : tensor<2x2xf32>
  }
}
// -----
module attributes {cutset.devices = ["reference:0", "sim:0"], cutset.schedules = {"2" = "cutset schedule 1\ndevice 0\nforward 0 0\nforward 0 1\nbackward 0 0\nbackward 0 1\ndevice 1\nforward 1 0\nforward 1 1\nbackward 1 0\n"}} {
  cutset.variable @w : tensor<2x2xf32> home ["sim:0"]
  // expected-error@+1 {{the schedule of 2 micro-batches: backward of stage 1, micro-batch 1, is missing on sim:0}}
  func.func @train(%x: tensor<2x2xf32> {cutset.input = "x", cutset.origin = #cutset.origin<value 0, shards 0 to 1, rows 0>, cutset.rows = 4 : i64, cutset.shard_class = 0 : i64, cutset.start = 0 : i64}) -> (tensor<2x2xf32> {cutset.output = "y", cutset.rows = 4 : i64, cutset.start = 0 : i64}) attributes {cutset.schedule_name = "1f1b", cutset.shard_classes = array<i64: 0, 0>, cutset.shard_replicas = array<i64: 0, 0>, cutset.shards = array<i64: 2, 2>, cutset.sum_along_tree = false} {
    %w = cutset.read @w : tensor<2x2xf32>
    %1 = cutset.tanh %x on "reference:0" because "user" id 1 {cutset.origin = #cutset.origin<value 2, shards 0 to 1, rows 0>, cutset.shard_class = 0 : i64} : tensor<2x2xf32>
    %2 = cutset.matmul %1, %w on "sim:0" because "user" id 2 {cutset.origin = #cutset.origin<value 3, shards 0 to 1, rows 0>, cutset.shard_class = 0 : i64} : tensor<2x2xf32>, tensor<2x2xf32>
    return %2 : tensor<2x2xf32>
  }
}
// -----
module attributes {cutset.devices = ["reference:0", "sim:0"], cutset.schedules = {"2" = "cutset schedule 1\ndevice 0\nforward 0 0\nforward 0 1\nbackward 0 0\nbackward 0 1\ndevice 1\nbackward 1 0\nforward 1 0\nforward 1 1\nbackward 1 1\n"}} {
  cutset.variable @w : tensor<2x2xf32> home ["sim:0"]
  // expected-error@+1 {{the schedule of 2 micro-batches: sim:0: backward of stage 1, micro-batch 0 (action 0), uses the result of forward of stage 1, micro-batch 0 (action 1), which comes later}}
  func.func @train(%x: tensor<2x2xf32> {cutset.input = "x", cutset.origin = #cutset.origin<value 0, shards 0 to 1, rows 0>, cutset.rows = 4 : i64, cutset.shard_class = 0 : i64, cutset.start = 0 : i64}) -> (tensor<2x2xf32> {cutset.output = "y", cutset.rows = 4 : i64, cutset.start = 0 : i64}) attributes {cutset.schedule_name = "1f1b", cutset.shard_classes = array<i64: 0, 0>, cutset.shard_replicas = array<i64: 0, 0>, cutset.shards = array<i64: 2, 2>, cutset.sum_along_tree = false} {
    %w = cutset.read @w : tensor<2x2xf32>
    %1 = cutset.tanh %x on "reference:0" because "user" id 1 {cutset.origin = #cutset.origin<value 2, shards 0 to 1, rows 0>, cutset.shard_class = 0 : i64} : tensor<2x2xf32>
    %2 = cutset.matmul %1, %w on "sim:0" because "user" id 2 {cutset.origin = #cutset.origin<value 3, shards 0 to 1, rows 0>, cutset.shard_class = 0 : i64} : tensor<2x2xf32>, tensor<2x2xf32>
    return %2 : tensor<2x2xf32>
  }
}
// -----
module attributes {cutset.devices = ["reference:0", "sim:0"], cutset.schedules = {"2" = "cutset schedule 1\ndevice 0\nforward 0 0\nbackward 0 0\nforward 0 1\nbackward 0 1\ndevice 1\nforward 1 1\nbackward 1 1\nforward 1 0\nbackward 1 0\n"}} {
  cutset.variable @w : tensor<2x2xf32> home ["sim:0"]
  // expected-error@+1 {{the schedule of 2 micro-batches: actions wait for each other: reference:0 cannot run backward of stage 0, micro-batch 0 (action 1), before sim:0 has run backward of stage 1, micro-batch 0 (action 3), and sim:0 cannot run forward of stage 1, micro-batch 1 (action 0), before reference:0 has run forward of stage 0, micro-batch 1 (action 2)}}
  func.func @train(%x: tensor<2x2xf32> {cutset.input = "x", cutset.origin = #cutset.origin<value 0, shards 0 to 1, rows 0>, cutset.rows = 4 : i64, cutset.shard_class = 0 : i64, cutset.start = 0 : i64}) -> (tensor<2x2xf32> {cutset.output = "y", cutset.rows = 4 : i64, cutset.start = 0 : i64}) attributes {cutset.schedule_name = "1f1b", cutset.shard_classes = array<i64: 0, 0>, cutset.shard_replicas = array<i64: 0, 0>, cutset.shards = array<i64: 2, 2>, cutset.sum_along_tree = false} {
    %w = cutset.read @w : tensor<2x2xf32>
    %1 = cutset.tanh %x on "reference:0" because "user" id 1 {cutset.origin = #cutset.origin<value 2, shards 0 to 1, rows 0>, cutset.shard_class = 0 : i64} : tensor<2x2xf32>
    %2 = cutset.matmul %1, %w on "sim:0" because "user" id 2 {cutset.origin = #cutset.origin<value 3, shards 0 to 1, rows 0>, cutset.shard_class = 0 : i64} : tensor<2x2xf32>, tensor<2x2xf32>
    return %2 : tensor<2x2xf32>
  }
}
