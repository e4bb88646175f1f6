// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK: cutset.variable @w : tensor<4xf32>
cutset.variable @w : tensor<4xf32>
// CHECK-LABEL: @step
func.func @step(%x: tensor<4xf32>) {
  // CHECK: cutset.read @w : tensor<4xf32>
  %w = cutset.read @w : tensor<4xf32>
  %s = cutset.accumulate %x, %w : tensor<4xf32>, tensor<4xf32>
  // CHECK: cutset.assign @w
  cutset.assign @w, %s : tensor<4xf32>
  return
}
// -----
func.func @c1() {
  // expected-error@+1 {{C1: @w is not a variable}}
  %w = cutset.read @w : tensor<4xf32>
  return
}
// -----
cutset.variable @w : tensor<4xf32>
func.func @c2() {
  // expected-error@+1 {{C2: has type}}
  %w = cutset.read @w : tensor<5xf32>
  return
}
// -----
cutset.variable @w : tensor<4xf32>
func.func @c3(%x: tensor<4xf32>) {
  cutset.assign @w, %x : tensor<4xf32>
  // expected-error@+1 {{C3: @w is assigned twice in one step}}
  cutset.assign @w, %x : tensor<4xf32>
  return
}
// -----
func.func @constant_c1() {
  // expected-error@+1 {{C1: 1028 bytes; a constant holds at most 1024}}
  %c = cutset.constant dense<0.0> : tensor<257xf32>
  return
}
// -----
func.func @sum_to_c2(%x: tensor<4x5xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{C2: [4] does not broadcast to [4, 5]}}
  %s = cutset.sum_to %x, %y : tensor<4x5xf32>, tensor<4xf32>
  return
}
// -----
func.func @expand_c1(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  // expected-error@+1 {{C1: axis 2 is not a dimension of [4, 5]}}
  %s = cutset.expand %x, %y <{axes = array<i64: 2>}> : tensor<4xf32>, tensor<4x5xf32>
  return
}
// -----
func.func @accumulate_c1(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected-error@+1 {{C1: 5xf32 and 4xf32 differ}}
  %s = cutset.accumulate %x, %y : tensor<4xf32>, tensor<5xf32>
  return
}
// -----
func.func private @role(tensor<4xf32>) -> tensor<4xf32>
cutset.schedule @s for "train" on "cpu:0" {
  %x = cutset.recv from "sim:0" channel 1 : tensor<5xf32>
  // expected-error@+1 {{C2: types do not match @role}}
  %y = cutset.call @role(%x) : (tensor<5xf32>) -> tensor<4xf32>
}
