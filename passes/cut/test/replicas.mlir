// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --cut | FileCheck %s

// A sum over replicas starts after the role that computes the partial sum. The wait precedes the role that
// reads the sum. If an update reads the sum, the wait precedes the commit.
cutset.variable @w : tensor<f32> home ["reference:0", "sim:0"]
func.func @train(%x: tensor<3xf32> {cutset.input = "x", cutset.rows = 5 : i64, cutset.start = 0 : i64},
                 %y: tensor<2xf32> {cutset.input = "x", cutset.rows = 5 : i64, cutset.start = 3 : i64}, %r: tensor<f32> {cutset.input = "r", cutset.hyper_parameter = 0.1}) -> (tensor<f32> {cutset.output = "loss"}) {
  %w0 = cutset.read @w : tensor<f32>
  %w1 = cutset.read @w replica 1 : tensor<f32>
  %p0 = cutset.reduce_sum %x on "reference:0" id 1 : tensor<3xf32>
  %p1 = cutset.reduce_sum %y on "sim:0" replica 1 id 1 : tensor<2xf32>
  %s:2 = cutset.all_reduce %p0, %p1 shards [0, 1, 1, 2] : tensor<f32>, tensor<f32> -> tensor<f32>, tensor<f32>
  %a0, %b0 = cutset.sgd %w0, %w0, %s#0, %r, %r on "reference:0" id 2 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
  %a1, %b1 = cutset.sgd %w1, %w1, %s#1, %r, %r on "sim:0" replica 1 id 2 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
  cutset.assign @w, %a0 : tensor<f32>
  cutset.assign @w, %a1 replica 1 : tensor<f32>
  return %s#0 : tensor<f32>
}
// CHECK: cutset.schedule @"train/reference:0"
// CHECK-NEXT: %[[X:.*]] = cutset.input "x"
// CHECK-NEXT: %[[P:.*]] = cutset.call @"train/reference:0/forward0"(%[[X]])
// CHECK-NEXT: cutset.all_reduce_start %[[P]] collective 0 shards [0, 1]
// CHECK-NEXT: %[[S:.*]] = cutset.all_reduce_wait collective 0
// CHECK-NEXT: %[[R:.*]] = cutset.input "r"
// CHECK-NEXT: cutset.output %[[S]] "loss"
// CHECK-NEXT: %[[F:.*]] = cutset.call @"train/reference:0/check"(%[[S]])
// CHECK-NEXT: cutset.commit %[[F]]
// CHECK-NEXT: cutset.call @"train/reference:0/update"(%[[S]], %[[R]])
// CHECK: cutset.schedule @"train/sim:0"
// CHECK-NEXT: cutset.input "x" rows from 3
// CHECK: cutset.all_reduce_start %{{.*}} collective 0 shards [1, 2]
// CHECK: cutset.read @w replica 1
