// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --devices=cpu:0,cpu:1,cpu:2,cpu:3 --strategy="data(2, shares=1:1) * tensor(2)" --shard --split | FileCheck %s

// An op that reads a value of the batch only for its type is divided like the value: each copy has three of
// six rows.
func.func @evaluate(%x: tensor<6x8xf32> {cutset.input = "x"}, %s: tensor<f32> {cutset.input = "s"}) -> (tensor<6x8xf32> {cutset.output = "y"}) {
  // CHECK: %[[T0:.*]] = cutset.type_only : tensor<3x8xf32>
  // CHECK: cutset.expand %{{.*}}, %[[T0]] {{.*}}shards 0 to 1, rows 0>} : tensor<f32>, tensor<3x8xf32>
  // CHECK: %[[T1:.*]] = cutset.type_only : tensor<3x8xf32>
  // CHECK: cutset.expand %{{.*}}, %[[T1]] <{{.*}}> replica 2 {{.*}}shards 1 to 2, rows 0>} : tensor<f32>, tensor<3x8xf32>
  // CHECK-NOT: tensor<6x8xf32>
  %0 = cutset.relu %x id 1 : tensor<6x8xf32>
  %1 = cutset.expand %s, %0 <{axes = array<i64: 0, 1>}> id 2 : tensor<f32>, tensor<6x8xf32>
  %2 = cutset.mul %0, %1 id 3 : tensor<6x8xf32>, tensor<6x8xf32>
  return %2 : tensor<6x8xf32>
}
