// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --cut | FileCheck %s

cutset.variable @w : tensor<8xf32> home ["sim:0"]
// Only the signature of the function is left.
// CHECK: func.func private @evaluate(tensor<8xf32> {cutset.input = "x"}) -> (tensor<8xf32> {cutset.output = "y"})
func.func @evaluate(%x: tensor<8xf32> {cutset.input = "x"}) -> (tensor<8xf32> {cutset.output = "y"}) {
  %w = cutset.read @w : tensor<8xf32>
  %0 = cutset.relu %x on "reference:0" id 1 : tensor<8xf32>
  // Two ops on sim:0 read %0, which is sent once. An operand that is read only for its type is not sent.
  %1 = cutset.mul %0, %w on "sim:0" id 2 : tensor<8xf32>, tensor<8xf32>
  %2 = cutset.add %1, %0 on "sim:0" id 3 : tensor<8xf32>, tensor<8xf32>
  %3 = cutset.full_like %2 <{value = 2.0}> on "reference:0" id 4 : tensor<8xf32>
  %4 = cutset.mul %2, %3 on "reference:0" id 5 : tensor<8xf32>, tensor<8xf32>
  return %4 : tensor<8xf32>
}
// CHECK: cutset.schedule @"evaluate/reference:0" for "evaluate" on "reference:0" {
// CHECK-NEXT: %[[X:.*]] = cutset.input "x"
// CHECK-NEXT: %[[R:.*]]:2 = cutset.call @"evaluate/reference:0/forward0"(%[[X]])
// CHECK-NEXT: cutset.send %[[R]]#{{.}} to "sim:0" channel 0
// CHECK-NEXT: %[[B:.*]] = cutset.recv from "sim:0" channel 1
// CHECK-NEXT: %[[Y:.*]] = cutset.call @"evaluate/reference:0/forward2"(%[[B]], %[[R]]#{{.}})
// CHECK-NEXT: cutset.output %[[Y]] "y"
// CHECK-NEXT: }
// CHECK: func.func private @"evaluate/reference:0/forward0"(%{{.*}}: tensor<8xf32>)
// CHECK: cutset.type_only : tensor<8xf32>
// CHECK: cutset.schedule @"evaluate/sim:0" for "evaluate" on "sim:0" {
// CHECK-NEXT: %[[A:.*]] = cutset.recv from "reference:0" channel 0
// CHECK-NEXT: %[[S:.*]] = cutset.call @"evaluate/sim:0/forward1"(%[[A]])
// CHECK-NEXT: cutset.send %[[S]] to "reference:0" channel 1
// CHECK-NEXT: }
// The variable is read inside the role on its home.
// CHECK: func.func private @"evaluate/sim:0/forward1"
// CHECK: cutset.read @w
