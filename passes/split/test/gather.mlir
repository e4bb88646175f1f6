// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --devices=sim:0,sim:1 --strategy="data(2, shares=1:1, shard=parameters)" --split | FileCheck %s
// RUN: cutset-opt %s --devices=sim:0,sim:1 --strategy="data(2, shares=1:1, shard=parameters)" --split --place --cut | FileCheck %s --check-prefix=CUT
// RUN: cutset-opt %s --devices=sim:0,sim:1 --strategy="data(2, shares=1:1, shard=parameters) * pipeline(1, micro_batches=2)" --split | FileCheck %s --check-prefix=MICRO

cutset.variable @w : tensor<4x4xf32>
cutset.variable @w_velocity : tensor<4x4xf32> state_of @w
cutset.variable @b : tensor<4xf32>
cutset.variable @b_velocity : tensor<4xf32> state_of @b
func.func @train(%x: tensor<6x4xf32> {cutset.input = "x"}, %r: tensor<f32> {cutset.input = "r"}) -> (tensor<6x4xf32> {cutset.output = "y"}) {
  %w = cutset.read @w : tensor<4x4xf32>
  %v = cutset.read @w_velocity : tensor<4x4xf32>
  %b = cutset.read @b : tensor<4xf32>
  %c = cutset.read @b_velocity : tensor<4xf32>
  // Each op that reads the matrix reads and joins its pieces again.
  // CHECK: cutset.read @b_velocity replica 1
  // CHECK-NEXT: %[[P0:.*]] = cutset.read @w {{.*}}tensor<2x4xf32>
  // CHECK-NEXT: %[[P1:.*]] = cutset.read @w replica 1 {{.*}}tensor<2x4xf32>
  // CHECK: %[[W0:.*]] = cutset.concat %[[P0]], %[[P1]] <{axis = 0 : i64}> id 1 {cutset.begins_role{{.*}}tensor<2x4xf32>
  // CHECK: %[[W1:.*]] = cutset.concat %[[P0]], %[[P1]] <{axis = 0 : i64}> replica 1 id 1 {cutset.begins_role
  // CHECK: cutset.matmul %arg0, %[[W0]]
  // CHECK: cutset.matmul %arg1, %[[W1]]
  %0 = cutset.matmul %x, %w id 1 : tensor<6x4xf32>, tensor<4x4xf32>
  // A vector is joined once, for all ops that read it.
  // CHECK: %[[B0:.*]] = cutset.concat {{.*}} id 2 {cutset.origin{{.*}}tensor<2xf32>
  // CHECK: cutset.add {{.*}}, %[[B0]]
  %1 = cutset.add %0, %b id 2 : tensor<6x4xf32>, tensor<4xf32>
  // CHECK: %[[Q0:.*]] = cutset.read @w {{.*}}tensor<2x4xf32>
  // CHECK: %[[Q1:.*]] = cutset.read @w replica 1 {{.*}}tensor<2x4xf32>
  // CHECK: %[[U0:.*]] = cutset.concat %[[Q0]], %[[Q1]] <{axis = 0 : i64}> id 3 {cutset.begins_role
  // CHECK: %[[U1:.*]] = cutset.concat %[[Q0]], %[[Q1]] <{axis = 0 : i64}> replica 1 id 3 {cutset.begins_role
  // CHECK: cutset.matmul {{.*}}, %[[U0]]
  // CHECK: cutset.matmul {{.*}}, %[[U1]]
  %y = cutset.matmul %1, %w id 3 : tensor<6x4xf32>, tensor<4x4xf32>
  // CHECK-NOT: cutset.begins_role
  // CHECK: cutset.add {{.*}}, %[[B0]]
  %z = cutset.add %y, %b id 4 : tensor<6x4xf32>, tensor<4xf32>
  %gw = cutset.matmul %x, %y <{transpose_x = true}> id 5 : tensor<6x4xf32>, tensor<6x4xf32>
  %gb = cutset.reduce_sum %y <{axes = array<i64: 0>, keepdims = false}> id 6 : tensor<6x4xf32>
  %nw, %nv = cutset.sgd %w, %v, %gw, %r, %r id 7 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>, tensor<f32>
  %nb, %nc = cutset.sgd %b, %c, %gb, %r, %r id 8 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>
  cutset.assign @w, %nw : tensor<4x4xf32>
  cutset.assign @w_velocity, %nv : tensor<4x4xf32>
  cutset.assign @b, %nb : tensor<4xf32>
  cutset.assign @b_velocity, %nc : tensor<4xf32>
  return %z : tensor<6x4xf32>
}

// A role begins with each gather of the matrix, so the whole matrix is needed only while this role runs.
// CUT: func.func private @"train/sim:0/forward1"
// CUT: cutset.concat {{.*}}cutset.begins_role
// CUT: cutset.matmul
// CUT: cutset.add
// CUT: return
// CUT: func.func private @"train/sim:0/forward2"
// CUT-NEXT: cutset.read @w
// CUT-NEXT: cutset.concat {{.*}}cutset.begins_role
// CUT-NEXT: cutset.matmul
// CUT: cutset.add
// CUT: return

// The micro-batches share the values that are joined before the first micro-batch.
// MICRO-NOT: cutset.begins_role
