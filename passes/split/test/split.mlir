// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --devices=reference:0,sim:0 --strategy="data(2,shares=5:2)" --split | FileCheck %s
// RUN: cutset-opt %s --devices=reference:0 --shards=3 --split | FileCheck %s --check-prefix=TIME
// RUN: cutset-opt %s --devices=reference:0,sim:0 --strategy="data(2,shares=2:1)" --shards=3 --split | FileCheck %s --check-prefix=BOTH
// RUN: cutset-opt %s --devices=reference:0 --split | FileCheck %s --check-prefix=ONE

cutset.variable @w : tensor<8xf32>
func.func @evaluate(%x: tensor<7x8xf32> {cutset.input = "x"}) -> (tensor<f32> {cutset.output = "mean"}, tensor<7x8xf32> {cutset.output = "y"}) {
  %w = cutset.read @w : tensor<8xf32>
  %y = cutset.mul %x, %w id 1 : tensor<7x8xf32>, tensor<8xf32>
  %s = cutset.reduce_sum %y id 2 : tensor<7x8xf32>
  %n = cutset.count %y id 3 : tensor<7x8xf32>
  %m = cutset.div %s, %n id 4 : tensor<f32>, tensor<f32>
  return %m, %y : tensor<f32>, tensor<7x8xf32>
}
// 7 samples are divided 5:2. The sum is a partial sum, which an all_reduce adds. The count depends only on
// the shape of the whole batch, so it is a constant. The rows of y are results.
// CHECK: func.func @evaluate(%[[X0:[a-z0-9]+]]: tensor<5x8xf32> {cutset.input = "x", {{[^}]*}}cutset.rows = 7 : i64, cutset.start = 0 : i64},
// CHECK-SAME: %[[X1:[a-z0-9]+]]: tensor<2x8xf32> {cutset.input = "x", {{[^}]*}}cutset.start = 5 : i64})
// CHECK-SAME: tensor<5x8xf32> {cutset.output = "y", cutset.rows = 7 : i64, cutset.start = 0 : i64}
// CHECK-SAME: tensor<2x8xf32> {cutset.output = "y", cutset.rows = 7 : i64, cutset.start = 5 : i64}
// CHECK-DAG: %[[W0:.*]] = cutset.read @w {
// CHECK-DAG: %[[W1:.*]] = cutset.read @w replica 1
// CHECK: %[[Y0:.*]] = cutset.mul %[[X0]], %[[W0]] id 1
// CHECK: %[[Y1:.*]] = cutset.mul %[[X1]], %[[W1]] replica 1 id 1
// CHECK: %[[S0:.*]] = cutset.reduce_sum %[[Y0]]
// CHECK: %[[S1:.*]] = cutset.reduce_sum %[[Y1]]
// CHECK-NOT: cutset.count
// CHECK: %[[N:.*]] = cutset.constant dense<5.600000e+01>
// CHECK: %[[S:.*]]:2 = cutset.all_reduce %[[S0]], %[[S1]] shards [0, 1, 1, 2]
// CHECK: %[[M:.*]] = cutset.div %[[S]]#0, %[[N]] id 4
// CHECK: return %[[M]], %[[Y0]], %[[Y1]]

// Micro-batches on one device: the tree over the shards 0, 1 and 2 divides them before shard 2.
// TIME: %[[S0:.*]] = cutset.reduce_sum {{.*}} tensor<3x8xf32>
// TIME: %[[S1:.*]] = cutset.reduce_sum {{.*}} tensor<2x8xf32>
// TIME: %[[S2:.*]] = cutset.reduce_sum {{.*}} tensor<2x8xf32>
// TIME: %[[L:.*]] = cutset.add_n %[[S0]], %[[S1]]
// TIME: cutset.add_n %[[L]], %[[S2]]
// TIME-NOT: all_reduce

// The same tree over two replicas: the first replica adds its two shards.
// BOTH: %[[S0:.*]] = cutset.reduce_sum {{.*}} tensor<3x8xf32>
// BOTH: %[[S1:.*]] = cutset.reduce_sum {{.*}} tensor<2x8xf32>
// BOTH: %[[S2:.*]] = cutset.reduce_sum {{.*}} replica 1 {{.*}} tensor<2x8xf32>
// BOTH: %[[L:.*]] = cutset.add_n %[[S0]], %[[S1]]
// BOTH: cutset.all_reduce %[[L]], %[[S2]] shards [0, 2, 2, 3]

// ONE: func.func @evaluate(%{{.*}}: tensor<7x8xf32>
// ONE-NOT: all_reduce
