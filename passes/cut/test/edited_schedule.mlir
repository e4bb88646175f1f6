// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --devices=reference:0,sim:0 --cut | FileCheck %s

// The module has a schedule for two micro-batches. Both devices begin with the second micro-batch, and the
// second device changes the order.
// CHECK: cutset.schedule @"train/reference:0"
// CHECK: cutset.call @"train/reference:0/forward0"({{.*}}) shard 1
// CHECK-NEXT: cutset.send {{.*}} to "sim:0" channel 1
// CHECK: cutset.call @"train/reference:0/forward0"({{.*}}) shard 0
// CHECK-NEXT: cutset.send {{.*}} to "sim:0" channel 0
// CHECK: cutset.schedule @"train/sim:0"
// CHECK: cutset.recv from "reference:0" channel 0
// CHECK-NEXT: cutset.call @"train/sim:0/forward0"({{.*}}) shard 0
// CHECK-NEXT: cutset.output {{.*}} "y" : tensor
// CHECK: cutset.recv from "reference:0" channel 1
// CHECK-NEXT: cutset.call @"train/sim:0/forward0"({{.*}}) shard 1
// CHECK-NEXT: cutset.output {{.*}} "y" rows from 2
module attributes {cutset.devices = ["reference:0", "sim:0"], cutset.schedules = {"2" = "cutset schedule 1\ndevice 0\nforward 0 1\nforward 0 0\nbackward_input 0 0\nbackward_weight 0 0\nbackward 0 1\ndevice 1\nforward 1 0\nforward 1 1\nbackward 1 1\nbackward 1 0\n"}} {
  cutset.variable @w : tensor<2x2xf32> home ["sim:0"]
  func.func @train(%x: tensor<2x2xf32> {cutset.input = "x", cutset.origin = #cutset.origin<value 0, shards 0 to 1, rows 0>, cutset.rows = 4 : i64, cutset.shard_class = 0 : i64, cutset.start = 0 : i64}) -> (tensor<2x2xf32> {cutset.output = "y", cutset.rows = 4 : i64, cutset.start = 0 : i64}) attributes {cutset.schedule_name = "1f1b", cutset.shard_classes = array<i64: 0, 0>, cutset.shard_replicas = array<i64: 0, 0>, cutset.shards = array<i64: 2, 2>, cutset.sum_along_tree = false} {
    %w = cutset.read @w : tensor<2x2xf32>
    %1 = cutset.tanh %x on "reference:0" because "user" id 1 {cutset.origin = #cutset.origin<value 2, shards 0 to 1, rows 0>, cutset.shard_class = 0 : i64} : tensor<2x2xf32>
    %2 = cutset.matmul %1, %w on "sim:0" because "user" id 2 {cutset.origin = #cutset.origin<value 3, shards 0 to 1, rows 0>, cutset.shard_class = 0 : i64} : tensor<2x2xf32>, tensor<2x2xf32>
    return %2 : tensor<2x2xf32>
  }
}
