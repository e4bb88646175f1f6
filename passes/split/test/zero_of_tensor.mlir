// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --devices=sim:0,sim:1,sim:2,sim:3 --strategy="data(2, shares=1:1, shard=gradients) * tensor(2)" --shard --split --place | FileCheck %s

// Each of the two devices of the tensor axis has 4 of 8 columns, and each of the two replicas has two of
// these 4. Piece 2 k + r is on device k of replica r, which has number 2 r + k.
// CHECK: cutset.variable @w : tensor<3x8xf32> divided 1 home ["sim:0", "sim:2", "sim:1", "sim:3"] pieces [1, 4, 1] {cutset.divided_before = array<i64: 1, 2, 1>}
// CHECK: cutset.variable @w_velocity : tensor<3x8xf32> state_of @w home ["sim:0", "sim:2", "sim:1", "sim:3"] pieces [1, 4, 1]
// Both devices of the axis have the whole bias, so all four devices divide it.
// CHECK: cutset.variable @b : tensor<6xf32> home ["sim:0", "sim:2", "sim:1", "sim:3"] pieces [0, 4, 1] {cutset.divided_before = array<i64>}
cutset.variable @w : tensor<3x8xf32> divided 1
cutset.variable @w_velocity : tensor<3x8xf32> state_of @w
cutset.variable @b : tensor<6xf32>
cutset.variable @b_velocity : tensor<6xf32> state_of @b
func.func @train(%x: tensor<6x3xf32> {cutset.input = "x"}, %z: tensor<6x6xf32> {cutset.input = "z"}, %r: tensor<f32> {cutset.input = "r"}) -> (tensor<6x8xf32> {cutset.output = "y"}, tensor<6x6xf32> {cutset.output = "u"}) {
  // The first device of the axis needs the pieces 0 and 1 of the weight, and all pieces of the bias.
  // CHECK-DAG: %[[W0:.*]] = cutset.read @w {{.*}}piece [1, -1, 0, 4, 1]>} : tensor<3x2xf32>
  // CHECK-DAG: %[[W1:.*]] = cutset.read @w replica 1 {{.*}}piece [1, -1, 1, 4, 1]>} : tensor<3x2xf32>
  // CHECK-DAG: %[[W2:.*]] = cutset.read @w replica 2 {{.*}}piece [1, -1, 2, 4, 1]>} : tensor<3x2xf32>
  // CHECK-DAG: %[[W3:.*]] = cutset.read @w replica 3 {{.*}}piece [1, -1, 3, 4, 1]>} : tensor<3x2xf32>
  // CHECK-DAG: cutset.concat %[[W0]], %[[W1]] <{axis = 1 : i64}> on "sim:0"
  // CHECK-DAG: cutset.concat %[[W0]], %[[W1]] <{axis = 1 : i64}> on "sim:2" {{.*}}replica 2
  // CHECK-DAG: cutset.concat %[[W2]], %[[W3]] <{axis = 1 : i64}> on "sim:1" {{.*}}replica 1
  // CHECK-DAG: cutset.concat %[[W2]], %[[W3]] <{axis = 1 : i64}> on "sim:3" {{.*}}replica 3
  // CHECK-DAG: cutset.concat %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} <{axis = 0 : i64}> on "sim:2"
  // CHECK-DAG: cutset.sgd %[[W0]], {{.*}} on "sim:0" because "home of @w" id 5
  // CHECK-DAG: cutset.sgd %[[W1]], {{.*}} on "sim:2" because "home of @w" replica 2 id 5
  // CHECK-DAG: cutset.sgd %[[W2]], {{.*}} on "sim:1" because "home of @w" replica 1 id 5
  // CHECK-DAG: cutset.sgd %[[W3]], {{.*}} on "sim:3" because "home of @w" replica 3 id 5
  // CHECK-DAG: cutset.assign @w, {{.*}} replica 3 {{.*}}tensor<3x2xf32>
  %w = cutset.read @w : tensor<3x8xf32>
  %v = cutset.read @w_velocity : tensor<3x8xf32>
  %b = cutset.read @b : tensor<6xf32>
  %c = cutset.read @b_velocity : tensor<6xf32>
  %y = cutset.matmul %x, %w id 1 : tensor<6x3xf32>, tensor<3x8xf32>
  %u = cutset.add %z, %b id 2 : tensor<6x6xf32>, tensor<6xf32>
  %gw = cutset.matmul %x, %y <{transpose_x = true}> id 3 : tensor<6x3xf32>, tensor<6x8xf32>
  %gb = cutset.reduce_sum %u <{axes = array<i64: 0>, keepdims = false}> id 4 : tensor<6x6xf32>
  %nw, %nv = cutset.sgd %w, %v, %gw, %r, %r id 5 : tensor<3x8xf32>, tensor<3x8xf32>, tensor<3x8xf32>, tensor<f32>, tensor<f32>
  %nb, %nc = cutset.sgd %b, %c, %gb, %r, %r id 6 : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<f32>, tensor<f32>
  cutset.assign @w, %nw : tensor<3x8xf32>
  cutset.assign @w_velocity, %nv : tensor<3x8xf32>
  cutset.assign @b, %nb : tensor<6xf32>
  cutset.assign @b_velocity, %nc : tensor<6xf32>
  return %y, %u : tensor<6x8xf32>, tensor<6x6xf32>
}
