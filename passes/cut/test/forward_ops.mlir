// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --devices=reference:0,sim:0 --strategy="pipeline(2,micro_batches=2)" --split --place --cut | FileCheck %s

// No result needs %c, %e and %f. The backward pass of the second stage reads %c, which has a mark. The first
// stage therefore computes %c, and the value on which %c depends, in its forward role. The second stage does
// not wait for the backward pass of the first stage.
// CHECK: func.func private @"train/reference:0/forward0"
// CHECK: %[[H:.*]] = cutset.mul
// CHECK-NEXT: %[[N:.*]] = cutset.neg %[[H]]
// CHECK-NEXT: %[[C:.*]] = cutset.tanh %[[N]]
// CHECK-NEXT: return %[[H]], %[[C]]

// Only backward ops of the first stage read %e, and %f has no mark. So both are computed in the backward
// role.
// CHECK: func.func private @"train/reference:0/backward0"
// CHECK: cutset.exp
// CHECK-NEXT: cutset.sigmoid
cutset.variable @a : tensor<4xf32>
cutset.variable @"a/velocity" : tensor<4xf32> state_of @a
func.func @train(%x: tensor<6x4xf32> {cutset.input = "x"}, %r: tensor<f32> {cutset.input = "learning_rate", cutset.hyper_parameter = 0.1}) -> (tensor<f32> {cutset.output = "loss"}) {
  %a = cutset.read @a : tensor<4xf32>
  %va = cutset.read @"a/velocity" : tensor<4xf32>
  %h = cutset.mul %x, %a on "reference:0" because "user" id 1 : tensor<6x4xf32>, tensor<4xf32>
  %n = cutset.neg %h on "reference:0" because "user" id 1 : tensor<6x4xf32>
  %c = cutset.tanh %n on "reference:0" because "user" id 1 {cutset.forward} : tensor<6x4xf32>
  %e = cutset.exp %h on "reference:0" because "user" id 1 {cutset.forward} : tensor<6x4xf32>
  %f = cutset.sigmoid %h on "reference:0" because "user" id 1 : tensor<6x4xf32>
  %y = cutset.sqrt %h on "sim:0" because "user" id 2 : tensor<6x4xf32>
  %loss = cutset.reduce_sum %y on "sim:0" because "user" id 2 : tensor<6x4xf32>
  %dc = cutset.add %y, %c on "sim:0" because "user" id 2 : tensor<6x4xf32>, tensor<6x4xf32>
  %dy = cutset.add %dc, %f on "sim:0" because "user" id 2 : tensor<6x4xf32>, tensor<6x4xf32>
  %pa = cutset.mul %dy, %e on "reference:0" because "user" id 1 : tensor<6x4xf32>, tensor<6x4xf32>
  %ga = cutset.reduce_sum %pa <{axes = array<i64: 0>}> on "reference:0" because "user" id 1 : tensor<6x4xf32>
  %na, %nva = cutset.sgd %a, %va, %ga, %r, %r id 3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>
  cutset.assign @a, %na : tensor<4xf32>
  cutset.assign @"a/velocity", %nva : tensor<4xf32>
  return %loss : tensor<f32>
}
