// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --devices=reference:0,sim:0 --strategy="data(2)" --split | FileCheck %s

// The copies of a variable stay equal: all replicas assign the value that the first replica computed, because
// another device may round differently. Variables, inputs and sums over replicas are equal in all replicas,
// so each replica assigns its own value.
cutset.variable @a : tensor<f32>
cutset.variable @b : tensor<f32>
cutset.variable @c : tensor<f32>
cutset.variable @d : tensor<6xf32>
// CHECK: func.func @train
func.func @train(%x: tensor<6xf32> {cutset.input = "x"}, %s: tensor<f32> {cutset.input = "s"}) -> (tensor<f32> {cutset.output = "loss"}) {
  %a = cutset.read @a : tensor<f32>
  %sum = cutset.reduce_sum %x id 1 : tensor<6xf32>
  %value = cutset.mul %a, %sum id 2 : tensor<f32>, tensor<f32>
  // CHECK: %[[SUM:.*]]:2 = cutset.all_reduce
  // CHECK: %[[FIRST:.*]] = cutset.mul %{{.*}}, %[[SUM]]#0
  // CHECK: cutset.assign @a, %[[FIRST]] {
  // CHECK: cutset.assign @a, %[[FIRST]] replica 1
  cutset.assign @a, %value : tensor<f32>
  // CHECK: cutset.assign @b, %[[SUM]]#0
  // CHECK: cutset.assign @b, %[[SUM]]#1 replica 1
  cutset.assign @b, %sum : tensor<f32>
  // CHECK: cutset.assign @c, %[[S:[a-z0-9]*]] {
  // CHECK: cutset.assign @c, %[[S]] replica 1
  cutset.assign @c, %s : tensor<f32>
  // CHECK: %[[J0:.*]] = cutset.concat
  // CHECK: %[[J1:.*]] = cutset.concat
  // CHECK: cutset.assign @d, %[[J0]]
  // CHECK: cutset.assign @d, %[[J1]] replica 1
  cutset.assign @d, %x : tensor<6xf32>
  return %sum : tensor<f32>
}
