// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --devices=reference:0,sim:0 --strategy="data(2,shares=5:2)" --split | FileCheck %s

// A scalar that the session feeds is whole in every replica, so it stays one argument.
// CHECK: func.func @evaluate(%[[X0:[a-z0-9]+]]: tensor<5x8xf32> {{.*}}, %[[X1:[a-z0-9]+]]: tensor<2x8xf32> {{[^%]*}}, %[[STEP:[a-z0-9]+]]: tensor<i64> {cutset.input = "cutset.step", {{[^}]*}}cutset.step})
func.func @evaluate(%x: tensor<7x8xf32> {cutset.input = "x"}, %step: tensor<i64> {cutset.input = "cutset.step", cutset.step}) -> (tensor<7x8xf32> {cutset.output = "y"}) {
  // Each replica draws its own rows. The rows of the second replica begin with element 5 * 8 of the whole
  // tensor.
  // CHECK: %[[U0:.*]] = cutset.random_uniform %{{.*}}, %[[STEP]] <{seed = 1 : i64, stream = 2 : i64}> {{.*}} : tensor<5x8xf32>, tensor<i64>
  // CHECK: %[[U1:.*]] = cutset.random_uniform %{{.*}}, %[[STEP]] <{first_element = 40 : i64, seed = 1 : i64, stream = 2 : i64}> replica 1 {{.*}} : tensor<2x8xf32>, tensor<i64>
  %u = cutset.random_uniform %x, %step <{seed = 1 : i64, stream = 2 : i64}> id 1 : tensor<7x8xf32>, tensor<i64>
  // CHECK: cutset.mul %[[X0]], %[[U0]]
  // CHECK: cutset.mul %[[X1]], %[[U1]]
  %y = cutset.mul %x, %u id 2 : tensor<7x8xf32>, tensor<7x8xf32>
  return %y : tensor<7x8xf32>
}
