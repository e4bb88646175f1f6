// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --devices=sim:0,sim:1 --strategy="data(2, shares=1:1, shard=optimizer)" --split | FileCheck %s --check-prefixes=CHECK,OPTIMIZER
// RUN: cutset-opt %s --devices=sim:0,sim:1 --strategy="data(2, shares=1:1, shard=gradients)" --split | FileCheck %s --check-prefixes=CHECK,GRADIENTS

// The largest dimension is divided, and the state of the optimizer follows its variable.
// CHECK: cutset.variable @w : tensor<3x5xf32> pieces [1, 2, 1]
// CHECK: cutset.variable @w_velocity : tensor<3x5xf32> state_of @w pieces [1, 2, 1]
// A variable that is not trained is not divided.
// CHECK: cutset.variable @b : tensor<1xf32>{{$}}
cutset.variable @w : tensor<3x5xf32>
cutset.variable @w_velocity : tensor<3x5xf32> state_of @w
cutset.variable @b : tensor<1xf32>
func.func @train(%x: tensor<6x3xf32> {cutset.input = "x"}, %r: tensor<f32> {cutset.input = "r"}) -> (tensor<6x5xf32> {cutset.output = "y"}) {
  // CHECK: %[[W0:.*]] = cutset.read @w {{.*}}piece [1, -1, 0, 2, 1]>} : tensor<3x3xf32>
  // CHECK: %[[W1:.*]] = cutset.read @w replica 1 {{.*}}piece [1, -1, 1, 2, 1]>} : tensor<3x2xf32>
  // CHECK: %[[V0:.*]] = cutset.read @w_velocity
  // CHECK: %[[V1:.*]] = cutset.read @w_velocity replica 1
  // CHECK: %[[ALL0:.*]] = cutset.concat %[[W0]], %[[W1]] <{axis = 1 : i64}> id 1
  // CHECK: %[[ALL1:.*]] = cutset.concat %[[W0]], %[[W1]] <{axis = 1 : i64}> replica 1 id 1
  // CHECK: cutset.matmul %arg0, %[[ALL0]]
  // CHECK: cutset.matmul %arg1, %[[ALL1]]
  %w = cutset.read @w : tensor<3x5xf32>
  %v = cutset.read @w_velocity : tensor<3x5xf32>
  %b = cutset.read @b : tensor<1xf32>
  %0 = cutset.matmul %x, %w id 1 : tensor<6x3xf32>, tensor<3x5xf32>
  %y = cutset.add %0, %b id 2 : tensor<6x5xf32>, tensor<1xf32>
  %g = cutset.matmul %x, %0 <{transpose_x = true}> id 3 : tensor<6x3xf32>, tensor<6x5xf32>
  // CHECK: %[[P0:.*]] = cutset.matmul {{.*}}partial 2
  // CHECK: %[[P1:.*]] = cutset.matmul {{.*}}partial 2
  // OPTIMIZER: %[[SUM:.*]]:2 = cutset.all_reduce %[[P0]], %[[P1]]
  // OPTIMIZER: %[[G0:.*]] = cutset.slice %[[SUM]]#0 <{axis = 1 : i64, length = 3 : i64}> id 3
  // OPTIMIZER: %[[G1:.*]] = cutset.slice %[[SUM]]#1 <{axis = 1 : i64, length = 2 : i64, start = 3 : i64}> replica 1 id 3
  // GRADIENTS-NOT: all_reduce
  // GRADIENTS: %[[A:.*]] = cutset.slice %[[P0]] <{axis = 1 : i64, length = 3 : i64}> id 3 {{.*}}partial 2, piece [1, -1, 0, 2, 1]
  // GRADIENTS: %[[B:.*]] = cutset.slice %[[P1]] <{axis = 1 : i64, length = 3 : i64}> replica 1 id 3
  // GRADIENTS: %[[G0:.*]] = cutset.add_n %[[A]], %[[B]] id 3 {{.*}}whole, piece [1, -1, 0, 2, 1]
  // GRADIENTS: %[[C:.*]] = cutset.slice %[[P0]] <{axis = 1 : i64, length = 2 : i64, start = 3 : i64}> id 3
  // GRADIENTS: %[[D:.*]] = cutset.slice %[[P1]] <{axis = 1 : i64, length = 2 : i64, start = 3 : i64}> replica 1 id 3
  // GRADIENTS: %[[G1:.*]] = cutset.add_n %[[C]], %[[D]] replica 1 id 3
  // CHECK: %[[NW0:.*]], %[[NV0:.*]] = cutset.sgd %[[W0]], %[[V0]], %[[G0]], %arg2, %arg2
  // CHECK: %[[NW1:.*]], %[[NV1:.*]] = cutset.sgd %[[W1]], %[[V1]], %[[G1]], %arg2, %arg2
  // CHECK: cutset.assign @w, %[[NW0]] {{.*}}tensor<3x3xf32>
  // CHECK: cutset.assign @w, %[[NW1]] replica 1 {{.*}}tensor<3x2xf32>
  %nw, %nv = cutset.sgd %w, %v, %g, %r, %r id 4 : tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<f32>, tensor<f32>
  cutset.assign @w, %nw : tensor<3x5xf32>
  cutset.assign @w_velocity, %nv : tensor<3x5xf32>
  return %y : tensor<6x5xf32>
}
