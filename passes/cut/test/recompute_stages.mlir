// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --devices=reference:0,reference:1,sim:0,sim:1 --strategy="pipeline(2,micro_batches=2,recompute=true) * tensor(2)" --recompute | FileCheck %s

// A stage computes its activations again on all devices of the tensor axis. The second stage recomputes from
// the value that the first stage has sent, and not from the value that the first stage recomputes, although
// the backward op sqrt of the first stage comes first.
// CHECK: %[[P0:.*]] = cutset.exp
// CHECK-NEXT: %[[P1:.*]] = cutset.neg
// CHECK-NEXT: %[[H:.*]] = cutset.add %[[P0]], %[[P1]]
// CHECK-NEXT: cutset.tanh %[[H]]
// CHECK-DAG: %[[AGAIN0:.*]] = cutset.exp {{.*}} on "reference:0"
// CHECK-DAG: %[[AGAIN1:.*]] = cutset.neg {{.*}} on "reference:1"
// CHECK: %[[AGAIN:.*]] = cutset.add %[[AGAIN0]], %[[AGAIN1]]
// CHECK-NEXT: %[[C:.*]] = cutset.sqrt %[[AGAIN]]
// CHECK-NEXT: %[[Y:.*]] = cutset.tanh %[[H]]
// CHECK-NEXT: cutset.tanh_backward %[[C]], %[[Y]]
func.func @train(%x: tensor<3x4xf32> {cutset.input = "x", cutset.shard_class = 0 : i64}) -> (tensor<3x4xf32> {cutset.output = "y"}) attributes {cutset.schedule_name = "1f1b"} {
  %0 = cutset.exp %x on "reference:0" because "r" id 1 {cutset.shard_class = 0 : i64} : tensor<3x4xf32>
  %1 = cutset.neg %x on "reference:1" because "r" replica 1 id 1 {cutset.shard_class = 0 : i64} : tensor<3x4xf32>
  %2 = cutset.add %0, %1 on "reference:0" because "r" id 2 {cutset.shard_class = 0 : i64} : tensor<3x4xf32>, tensor<3x4xf32>
  %3 = cutset.tanh %2 on "sim:0" because "r" id 3 {cutset.shard_class = 0 : i64} : tensor<3x4xf32>
  %4 = cutset.sqrt %2 on "reference:0" because "r" id 2 {cutset.shard_class = 0 : i64} : tensor<3x4xf32>
  %5 = cutset.tanh_backward %4, %3 on "sim:0" because "r" id 3 {cutset.shard_class = 0 : i64} : tensor<3x4xf32>, tensor<3x4xf32>
  return %3 : tensor<3x4xf32>
}
