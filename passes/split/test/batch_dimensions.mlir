// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --devices=reference:0,sim:0 --strategy="data(2,shares=5:2)" --split | FileCheck %s
// RUN: cutset-opt %s --split-input-file --devices=reference:0,sim:0 --strategy="data(2,shares=5:2)" --split --place --cut | FileCheck %s --check-prefix=CUT
// RUN: cutset-opt %s --split-input-file --devices=reference:0 --strategy="pipeline(1,micro_batches=3)" --split --place --cut | FileCheck %s --check-prefix=MICRO

// The batch is the second dimension of the input and of the output. Shards have starts along it.
// CHECK: func.func @evaluate(%[[X0:[a-z0-9]+]]: tensor<3x5x4xf32> {cutset.batch_dimension = 1 : i64, {{[^}]*}}rows 1>, cutset.rows = 7 : i64, cutset.start = 0 : i64},
// CHECK-SAME: %[[X1:[a-z0-9]+]]: tensor<3x2x4xf32> {{{[^}]*}}cutset.start = 5 : i64})
// CHECK-SAME: tensor<3x5x4xf32> {cutset.batch_dimension = 1 : i64, cutset.output = "y", cutset.rows = 7 : i64, cutset.start = 0 : i64}
// CHECK-SAME: tensor<3x2x4xf32> {cutset.batch_dimension = 1 : i64, cutset.output = "y", cutset.rows = 7 : i64, cutset.start = 5 : i64}
// CUT-LABEL: cutset.schedule @"evaluate/reference:0"
// CUT: cutset.input "x" along 1 {{.*}} : tensor<3x5x4xf32>
// CUT: cutset.output %{{.*}} "y" along 1 : tensor<3x5x4xf32>
// CUT-LABEL: cutset.schedule @"evaluate/sim:0"
// CUT: cutset.input "x" rows from 5 along 1 {{.*}} : tensor<3x2x4xf32>
// CUT: cutset.output %{{.*}} "y" rows from 5 along 1 : tensor<3x2x4xf32>
// MICRO: cutset.input "x" along 1 {{.*}} : tensor<3x3x4xf32>
// MICRO: cutset.input "x" rows from 3 along 1 {{.*}} : tensor<3x2x4xf32>
// MICRO: cutset.input "x" rows from 5 along 1 {{.*}} : tensor<3x2x4xf32>
func.func @evaluate(%x: tensor<3x7x4xf32> {cutset.input = "x", cutset.batch_dimension = 1 : i64}) -> (tensor<3x7x4xf32> {cutset.output = "y"}) {
  // CHECK: cutset.tanh %[[X0]]
  // CHECK: cutset.tanh %[[X1]]
  %y = cutset.tanh %x id 1 : tensor<3x7x4xf32>
  return %y : tensor<3x7x4xf32>
}

// -----

// A sample has one row of the tokens and three rows of the labels. The reshape keeps the split, and the
// shards of both end with the same sample. An input without a batch is one argument.
// CHECK: func.func @evaluate(%[[X0:[a-z0-9]+]]: tensor<5x3x4xf32> {{{[^}]*}}cutset.rows = 7 : i64, cutset.start = 0 : i64}, %[[X1:[a-z0-9]+]]: tensor<2x3x4xf32>
// CHECK-SAME: %[[L0:[a-z0-9]+]]: tensor<15xi32> {{{[^}]*}}cutset.rows = 21 : i64, cutset.several_rows, cutset.start = 0 : i64}
// CHECK-SAME: %[[L1:[a-z0-9]+]]: tensor<6xi32> {{{[^}]*}}cutset.rows = 21 : i64, cutset.several_rows, cutset.start = 15 : i64}
// CHECK-SAME: %[[MASK:[a-z0-9]+]]: tensor<3x4xf32> {cutset.batch_dimension = -1 : i64
// CHECK-SAME: cutset.shards = array<i64: 5, 2>
// CUT-LABEL: cutset.schedule @"evaluate/reference:0"
// CUT: cutset.input "label" {{.*}} : tensor<15xi32>
// CUT-LABEL: cutset.schedule @"evaluate/sim:0"
// CUT: cutset.input "label" rows from 15 {{.*}} : tensor<6xi32>
// MICRO: cutset.input "label" {{.*}} : tensor<9xi32>
// MICRO: cutset.input "label" rows from 9 {{.*}} : tensor<6xi32>
// MICRO: cutset.output %{{.*}} "loss" rows from 9 : tensor<6xf32>
// MICRO: cutset.input "label" rows from 15 {{.*}} : tensor<6xi32>
// MICRO: cutset.output %{{.*}} "loss" rows from 15 : tensor<6xf32>
func.func @evaluate(%x: tensor<7x3x4xf32> {cutset.input = "x"}, %l: tensor<21xi32> {cutset.input = "label", cutset.several_rows},
                    %m: tensor<3x4xf32> {cutset.input = "mask", cutset.batch_dimension = -1 : i64}, %step: tensor<i64> {cutset.input = "cutset.step", cutset.step})
    -> (tensor<21xf32> {cutset.output = "loss"}, tensor<7x3x4xf32> {cutset.output = "again"}) {
  // CHECK: %[[Y1:.*]] = cutset.add %[[X1]], %[[MASK]]
  %y = cutset.add %x, %m id 1 : tensor<7x3x4xf32>, tensor<3x4xf32>
  // CHECK: cutset.reshape %{{.*}} <{shape = array<i64: 15, 4>}> id 2 {{.*}} : tensor<5x3x4xf32>
  // CHECK: %[[Z1:.*]] = cutset.reshape %[[Y1]] <{shape = array<i64: 6, 4>}> replica 1 id 2 {{.*}} : tensor<2x3x4xf32>
  %z = cutset.reshape %y <{shape = array<i64: 21, 4>}> id 2 : tensor<7x3x4xf32>
  // Five samples with three rows of four elements lie before the second shard.
  // CHECK: %[[U1:.*]] = cutset.random_uniform {{.*}} <{first_element = 60 : i64, seed = 1 : i64, stream = 2 : i64}> replica 1
  %u = cutset.random_uniform %z, %step <{seed = 1 : i64, stream = 2 : i64}> id 3 : tensor<21x4xf32>, tensor<i64>
  // CHECK: %[[P1:.*]] = cutset.mul %[[Z1]], %[[U1]]
  %p = cutset.mul %z, %u id 4 : tensor<21x4xf32>, tensor<21x4xf32>
  // CHECK: cutset.softmax_cross_entropy %[[P1]], %[[L1]]
  %loss = cutset.softmax_cross_entropy %p, %l id 5 : tensor<21x4xf32>, tensor<21xi32>
  // CHECK: cutset.reshape %[[P1]] <{shape = array<i64: -1, 3, 4>}> replica 1 id 6 {{.*}} rows 0{{.*}} : tensor<6x4xf32>
  %again = cutset.reshape %p <{shape = array<i64: -1, 3, 4>}> id 6 : tensor<21x4xf32>
  // CHECK-NOT: cutset.concat
  return %loss, %again : tensor<21xf32>, tensor<7x3x4xf32>
}

// -----

// A batch of one sample is one shard, whatever the rules of the ops say. It has the whole value along any
// dimension.
// CHECK: cutset.reshape %arg0 <{shape = array<i64: -1, 4>}> id 1 {{.*}}rows 0
// CHECK: cutset.reduce_max %{{.*}} id 2 {{.*}}rows 0
// CHECK-NOT: cutset.concat
// CHECK: return %{{[a-z0-9]+}} : tensor<4xf32>
// MICRO: cutset.output %{{.*}} "y" : tensor<4xf32>
func.func @evaluate(%x: tensor<1x3x4xf32> {cutset.input = "x"}) -> (tensor<4xf32> {cutset.output = "y"}) {
  %r = cutset.reshape %x <{shape = array<i64: -1, 4>}> id 1 : tensor<1x3x4xf32>
  %y = cutset.reduce_max %r <{axes = array<i64: 0>}> id 2 : tensor<3x4xf32>
  return %y : tensor<4xf32>
}
