// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --cut | FileCheck %s

// Before the commit, each device tests whether the values that its updates read from other roles are finite.
// Scalars that the session feeds are not tested, because the session has tested them.
cutset.variable @w : tensor<8xf32> home ["reference:0"]
cutset.variable @v : tensor<8xf32> state_of @w home ["reference:0"]
cutset.variable @n : tensor<f32> home ["sim:0"]
cutset.variable @count : tensor<i64> home ["sim:0"]
func.func @train(%x: tensor<8xf32> {cutset.input = "x"}, %i: tensor<i64> {cutset.input = "i"}, %r: tensor<f32> {cutset.input = "learning_rate", cutset.hyper_parameter = 0.1}) -> (tensor<f32> {cutset.output = "loss"}) {
  %w = cutset.read @w : tensor<8xf32>
  %v = cutset.read @v : tensor<8xf32>
  %0 = cutset.mul %x, %w on "reference:0" id 1 : tensor<8xf32>, tensor<8xf32>
  %1 = cutset.reduce_sum %0 on "sim:0" id 2 : tensor<8xf32>
  %2 = cutset.add %i, %i on "sim:0" id 3 : tensor<i64>, tensor<i64>
  %nw, %nv = cutset.sgd %w, %v, %0, %r, %r on "reference:0" id 4 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<f32>, tensor<f32>
  cutset.assign @w, %nw : tensor<8xf32>
  cutset.assign @v, %nv : tensor<8xf32>
  cutset.assign @n, %1 : tensor<f32>
  cutset.assign @count, %2 : tensor<i64>
  return %1 : tensor<f32>
}
// CHECK: cutset.schedule @"train/reference:0"
// CHECK: %[[G:.*]] = cutset.call @"train/reference:0/forward0"
// CHECK: %[[R:.*]] = cutset.input "learning_rate"
// CHECK: %[[F:.*]] = cutset.call @"train/reference:0/check"(%[[G]])
// CHECK-NEXT: cutset.commit %[[F]] : tensor<i1>
// CHECK-NEXT: cutset.call @"train/reference:0/update"(%[[G]], %[[R]])
// CHECK: func.func private @"train/reference:0/check"(%[[A:.*]]: tensor<8xf32>) -> tensor<i1>
// CHECK-NEXT: %[[B:.*]] = cutset.all_finite %[[A]] on "reference:0" because "before the commit" id 5 {cutset.finite = ["the gradient of variable 'w'"]}
// CHECK-NEXT: return %[[B]]
// CHECK: func.func private @"train/sim:0/check"(%{{.*}}: tensor<f32>) -> tensor<i1>
// CHECK-NEXT: cutset.all_finite {{.*}} {cutset.finite = ["the new value of variable 'n'"]}
