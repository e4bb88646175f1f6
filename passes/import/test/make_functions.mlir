// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --make-functions --split-input-file --verify-diagnostics | FileCheck %s
// RUN: cutset-opt %s --function=predict --make-functions --split-input-file | FileCheck %s --check-prefix=ONLY
// RUN: cutset-opt %s --inputs=y=7 --make-functions --specialise --split-input-file | FileCheck %s --check-prefix=UNUSED

// An input that no function needs is still known by name.
// CHECK: module attributes {cutset.inputs = ["x", "label", "y"], cutset.next_id = 9 : i64}
// UNUSED: module attributes
module {
  cutset.variable @m : tensor<f32>
  // Each function has the ops and inputs that its results need. An op has the same id in all functions. Only
  // @train has assignments.
  // CHECK: func.func @train(%{{.*}}: tensor<4xf32> {cutset.input = "x"}, %{{.*}}: tensor<4xf32> {cutset.input = "label"}) -> (tensor<4xf32> {cutset.output = "z"}, tensor<f32> {cutset.minimize = {}, cutset.output = "loss"})
  // CHECK-NOT: cutset.neg
  // CHECK: cutset.relu {{.*}} id 6
  // CHECK: cutset.sub {{.*}} id 7
  // CHECK: cutset.reduce_sum {{.*}} id 5
  // CHECK: cutset.assign @m
  // CHECK: func.func @evaluate
  // CHECK-SAME: "label"
  // CHECK: cutset.relu {{.*}} id 6
  // CHECK-NOT: cutset.assign
  // CHECK: func.func @predict(%{{.*}}: tensor<4xf32> {cutset.input = "x"}) -> (tensor<4xf32> {cutset.output = "logits"}, tensor<4xf32> {cutset.output = "x"})
  // CHECK-NEXT: cutset.relu {{.*}} id 6
  // CHECK-NEXT: cutset.neg {{.*}} id 8
  // CHECK-NEXT: return %{{.*}}, %arg0
  // CHECK-NOT: func.func
  // ONLY-NOT: @train
  // ONLY: func.func @predict
  // ONLY-NEXT: cutset.relu {{.*}} id 6
  // ONLY-NEXT: cutset.neg {{.*}} id 8
  // ONLY-NOT: @evaluate
  func.func @graph(%x: tensor<4xf32> {cutset.input = "x"}, %label: tensor<4xf32> {cutset.input = "label"}, %y: tensor<9xf32> {cutset.input = "y"})
      -> (tensor<4xf32> {cutset.output = "z"}, tensor<f32> {cutset.minimize = {}, cutset.output = "loss"},
          tensor<4xf32> {cutset.function = "predict", cutset.output = "logits"}, tensor<4xf32> {cutset.function = "predict", cutset.output = "x"}) {
    %0 = cutset.relu %x : tensor<4xf32>
    %1 = cutset.sub %0, %label : tensor<4xf32>, tensor<4xf32>
    %2 = cutset.reduce_sum %1 id 5 : tensor<4xf32>
    %3 = cutset.neg %0 : tensor<4xf32>
    cutset.assign @m, %2 : tensor<f32>
    return %1, %2, %3, %x : tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<4xf32>
  }
}
// -----
// If the user defines @evaluate, it replaces the default @evaluate, which has all outputs that name no
// function.
// CHECK: func.func @evaluate(%{{.*}}: tensor<4xf32> {cutset.input = "x"}) -> (tensor<4xf32> {cutset.output = "b"})
// CHECK-NOT: "a"
func.func @graph(%x: tensor<4xf32> {cutset.input = "x"}, %y: tensor<4xf32> {cutset.input = "y"})
    -> (tensor<4xf32> {cutset.output = "a"}, tensor<4xf32> {cutset.function = "evaluate", cutset.output = "b"}, tensor<4xf32> {cutset.function = "predict", cutset.output = "c"}) {
  return %y, %x, %x : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
