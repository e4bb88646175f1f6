// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --devices=sim:0,sim:1,sim:2 --strategy="tensor(3)" --shard | FileCheck %s

// Each device has some rows of the table, and its op has the number of the first row. The op returns 0 for
// rows that the device does not have, so the sum of the results is the whole result. The gradient of a piece
// needs no collective.
// CHECK: cutset.variable @table : tensor<500x6xf32> divided 0 pieces [0, 3, 1]
cutset.variable @table : tensor<500x6xf32> divided 0
cutset.variable @velocity : tensor<500x6xf32> state_of @table
func.func @train(%i: tensor<7xi32> {cutset.input = "i"}, %r: tensor<f32> {cutset.input = "r"}) -> (tensor<f32> {cutset.output = "y"}) {
  // CHECK: %[[T0:.*]] = cutset.read @table {{.*}}tensor<167x6xf32>
  // CHECK: %[[T1:.*]] = cutset.read @table replica 1 {{.*}}tensor<167x6xf32>
  // CHECK: %[[T2:.*]] = cutset.read @table replica 2 {{.*}}tensor<166x6xf32>
  %t = cutset.read @table : tensor<500x6xf32>
  %v = cutset.read @velocity : tensor<500x6xf32>
  // CHECK: %[[P0:.*]] = cutset.gather %[[T0]], %arg0 <{table_rows = 500 : i64}> id 1 {{.*}}piece [-2, 2, 0, 3, 1]
  // CHECK: %[[P1:.*]] = cutset.gather %[[T1]], %arg0 <{first_row = 167 : i64, table_rows = 500 : i64}> replica 1
  // CHECK: %[[P2:.*]] = cutset.gather %[[T2]], %arg0 <{first_row = 334 : i64, table_rows = 500 : i64}> replica 2
  // CHECK: %[[H:.*]]:3 = cutset.all_reduce %[[P0]], %[[P1]], %[[P2]]
  %h = cutset.gather %t, %i id 1 : tensor<500x6xf32>, tensor<7xi32>
  %s = cutset.tanh %h id 2 : tensor<7x6xf32>
  %y = cutset.reduce_sum %s <{axes = array<i64: 0, 1>, keepdims = false}> id 3 : tensor<7x6xf32>
  // CHECK: %[[G0:.*]] = cutset.gather_backward {{.*}}table_rows = 500 : i64}> id 4 {{.*}}piece [0, -1, 0, 3, 1]>} : tensor<7x6xf32>, tensor<7xi32>, tensor<167x6xf32>
  // CHECK: %[[G1:.*]] = cutset.gather_backward {{.*}}first_row = 167 : i64, table_rows = 500 : i64
  // CHECK: %[[G2:.*]] = cutset.gather_backward {{.*}}first_row = 334 : i64, table_rows = 500 : i64{{.*}}tensor<166x6xf32>
  // CHECK-NOT: all_reduce
  // CHECK: cutset.sgd %[[T0]], %{{.*}}, %[[G0]]
  // CHECK: cutset.sgd %[[T1]], %{{.*}}, %[[G1]]
  // CHECK: cutset.sgd %[[T2]], %{{.*}}, %[[G2]]
  %g = cutset.gather_backward %s, %i, %t id 4 : tensor<7x6xf32>, tensor<7xi32>, tensor<500x6xf32>
  %nt, %nv = cutset.sgd %t, %v, %g, %r, %r id 5 : tensor<500x6xf32>, tensor<500x6xf32>, tensor<500x6xf32>, tensor<f32>, tensor<f32>
  cutset.assign @table, %nt : tensor<500x6xf32>
  cutset.assign @velocity, %nv : tensor<500x6xf32>
  return %y : tensor<f32>
}
