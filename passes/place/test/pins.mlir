// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --devices=reference:0,sim:0 --place | FileCheck %s
// RUN: not cutset-opt %s --devices=reference:0 --place 2>&1 | FileCheck %s --check-prefix=ABSENT

// ABSENT: pins.mlir:[[@LINE+5]]:8: error: 'cutset.relu' op is placed on "sim:0", which is not among the devices reference:0
func.func @evaluate(%x: tensor<8xf32> {cutset.input = "x"}) -> (tensor<8xf32> {cutset.output = "y"}) {
  // A pin is kept, and other ops with the same id get the same device.
  // CHECK: cutset.relu {{.*}} on "sim:0" because "user" id 1
  // CHECK: cutset.neg {{.*}} on "sim:0" because "user" id 1
  %0 = cutset.relu %x on "sim:0" because "user" id 1 : tensor<8xf32>
  %1 = cutset.neg %0 id 1 : tensor<8xf32>
  // The layers follow the order of the devices, so the next layer is also on the device of the pin, and the
  // first device is empty.
  // CHECK: cutset.tanh {{.*}} on "sim:0"
  %2 = cutset.tanh %1 id 2 : tensor<8xf32>
  return %2 : tensor<8xf32>
}
