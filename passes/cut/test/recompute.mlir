// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --devices=reference:0,sim:0 --strategy="pipeline(2,micro_batches=2,recompute=true)" --split --place --recompute | FileCheck %s
// RUN: cutset-opt %s --devices=reference:0,sim:0 --strategy="pipeline(2,micro_batches=2,recompute=true)" --split --place --recompute --cut | FileCheck %s --check-prefix=CUT
// RUN: cutset-opt %s --devices=reference:0,sim:0 --strategy="pipeline(2,micro_batches=2)" --split --place --recompute | FileCheck %s --check-prefix=KEPT

// RUN: cutset-opt %s --devices=reference:0,sim:0 --strategy="pipeline(2,micro_batches=2,recompute=1)" --split --place --recompute | FileCheck %s --check-prefix=SECOND
// RUN: cutset-opt %s --devices=reference:0,sim:0 --strategy="pipeline(2,micro_batches=2,recompute=0)" --split --place --recompute | FileCheck %s --check-prefix=FIRST

// The backward ops of the first stage read copies of its forward ops, and a copy reads copies. The value of
// the other stage is not computed again. An op that two backward ops read is copied once.
// CHECK-LABEL: func.func @train
// CHECK: %[[A:.*]] = cutset.read @a
// CHECK: %[[H:.*]] = cutset.mul %[[X:.*]], %[[A]] on "reference:0"
// CHECK: %[[Y:.*]] = cutset.tanh %[[H]] on "reference:0"
// CHECK: %[[Z:.*]] = cutset.tanh %[[Y]] on "sim:0"
// CHECK: %[[Z2:.*]] = cutset.tanh %[[Y]] on "sim:0"
// CHECK: %[[DY:.*]] = cutset.tanh_backward %[[Z2]], %[[Z2]] on "sim:0"
// CHECK: %[[H2:.*]] = cutset.mul %[[X]], %[[A]] on "reference:0"
// CHECK: %[[Y2:.*]] = cutset.tanh %[[H2]] on "reference:0"
// CHECK: %[[DH:.*]] = cutset.tanh_backward %[[DY]], %[[Y2]] on "reference:0"
// CHECK: cutset.mul %[[DH]], %[[Y2]] on "reference:0"

// So the forward role of the first stage returns only what the other stage reads.
// CUT: cutset.schedule @"train/reference:0"
// CUT: %[[Y:.*]] = cutset.call @"train/reference:0/forward0"
// CUT-NEXT: cutset.send %[[Y]] to "sim:0"

// With `recompute=1`, only the second stage computes its activation again.
// SECOND: cutset.tanh %{{.*}} on "reference:0"
// SECOND-COUNT-2: cutset.tanh %{{.*}} on "sim:0"
// SECOND-NOT: cutset.tanh %
// With `recompute=0`, only the first stage does.
// FIRST: cutset.tanh %{{.*}} on "reference:0"
// FIRST: cutset.tanh %{{.*}} on "sim:0"
// FIRST: cutset.tanh %{{.*}} on "reference:0"
// FIRST-NOT: cutset.tanh %

// KEPT-COUNT-2: cutset.tanh %
// KEPT-NOT: cutset.tanh %
cutset.variable @a : tensor<4xf32>
cutset.variable @"a/velocity" : tensor<4xf32> state_of @a
func.func @train(%x: tensor<6x4xf32> {cutset.input = "x"}, %r: tensor<f32> {cutset.input = "learning_rate", cutset.hyper_parameter = 0.1}) -> (tensor<f32> {cutset.output = "loss"}) {
  %a = cutset.read @a : tensor<4xf32>
  %va = cutset.read @"a/velocity" : tensor<4xf32>
  %h = cutset.mul %x, %a on "reference:0" because "user" id 1 : tensor<6x4xf32>, tensor<4xf32>
  %y = cutset.tanh %h on "reference:0" because "user" id 1 : tensor<6x4xf32>
  %z = cutset.tanh %y on "sim:0" because "user" id 2 : tensor<6x4xf32>
  %loss = cutset.reduce_sum %z on "sim:0" because "user" id 2 : tensor<6x4xf32>
  %dy = cutset.tanh_backward %z, %z on "sim:0" because "user" id 2 : tensor<6x4xf32>, tensor<6x4xf32>
  %dh = cutset.tanh_backward %dy, %y on "reference:0" because "user" id 1 : tensor<6x4xf32>, tensor<6x4xf32>
  %pa = cutset.mul %dh, %y on "reference:0" because "user" id 1 : tensor<6x4xf32>, tensor<6x4xf32>
  %ga = cutset.sum_to_size %pa, %a on "reference:0" because "user" id 1 : tensor<6x4xf32>, tensor<4xf32>
  %na, %nva = cutset.sgd %a, %va, %ga, %r, %r id 3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>
  cutset.assign @a, %na : tensor<4xf32>
  cutset.assign @"a/velocity", %nva : tensor<4xf32>
  return %loss : tensor<f32>
}
