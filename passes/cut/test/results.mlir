// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --cut --split-input-file --verify-diagnostics | FileCheck %s

// Results that no op computes: the home of a variable returns the variable, and a device that has ops returns
// an input or a constant.
cutset.variable @w : tensor<8xf32> home ["sim:0"]
func.func @evaluate(%x: tensor<8xf32> {cutset.input = "x"}, %y: tensor<8xf32> {cutset.input = "y"})
    -> (tensor<8xf32> {cutset.output = "x"}, tensor<8xf32> {cutset.output = "y"}, tensor<8xf32> {cutset.output = "w"},
        tensor<f32> {cutset.output = "one"}, tensor<8xf32> {cutset.output = "z"}) {
  %w = cutset.read @w : tensor<8xf32>
  %one = cutset.constant dense<1.0> : tensor<f32>
  %z = cutset.relu %x on "reference:0" id 1 : tensor<8xf32>
  return %x, %y, %w, %one, %z : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<f32>, tensor<8xf32>
}
// CHECK: cutset.schedule @"evaluate/reference:0"
// CHECK: cutset.input "x"
// CHECK: cutset.call
// CHECK-DAG: cutset.output %{{.*}} "one"
// CHECK-DAG: cutset.output %{{.*}} "z"
// CHECK-DAG: cutset.output %{{.*}} "x"
// CHECK-DAG: cutset.output %{{.*}} "y"
// Each output is handed over once.
// CHECK-NOT: cutset.output %{{.*}} "one"
// CHECK: cutset.schedule @"evaluate/sim:0"
// CHECK-NEXT: %[[W:.*]] = cutset.call @"evaluate/sim:0/forward0"()
// CHECK-NEXT: cutset.output %[[W]] "w"
// -----
// A function without ops: the first device returns the input.
// CHECK-LABEL: cutset.schedule @"f/sim:1"
// CHECK-NEXT: %[[X:.*]] = cutset.input "x"
// CHECK-NEXT: cutset.output %[[X]] "y"
module attributes {cutset.devices = ["sim:1", "sim:0"]} {
  func.func @f(%x: tensor<8xf32> {cutset.input = "x"}) -> (tensor<8xf32> {cutset.output = "y"}) {
    return %x : tensor<8xf32>
  }
}
// -----
// expected-error@+1 {{the function returns an input or a constant, and the module names no device that could return it}}
func.func @f(%x: tensor<8xf32> {cutset.input = "x"}) -> (tensor<8xf32> {cutset.output = "y"}) {
  return %x : tensor<8xf32>
}
// -----
// A variable has the name that a role would get, so the role gets another name.
cutset.variable @"f/sim:0/forward0" : tensor<8xf32> home ["sim:0"]
// CHECK: cutset.call @"f/sim:0/forward0'"
func.func @f(%x: tensor<8xf32> {cutset.input = "x"}) -> (tensor<8xf32> {cutset.output = "y"}) {
  %y = cutset.relu %x on "sim:0" id 1 : tensor<8xf32>
  return %y : tensor<8xf32>
}
