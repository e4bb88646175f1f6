// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --devices=sim:0,reference:0,sim:1 --strategy=model --place | FileCheck %s
// RUN: cutset-opt %s --devices=sim:0,reference:0,sim:1 --strategy="pipeline(3,micro_batches=1)" --place \
// RUN:   | FileCheck %s --check-prefix=PIPELINE

// Under `model`, a transfer takes longer than these ops, so one device has all of them and every variable, also
// the variable that no op reads. The other devices have the estimated seconds of the busiest device: as placed,
// and if they ran an op.
// CHECK: module attributes {{.*}}cutset.empty_devices =
// CHECK-SAME: {"sim:0" = array<f64: {{[0-9.Ee-]+}}, {{[0-9.Ee-]+}}>, "sim:1" =
// CHECK: cutset.variable @unread : tensor<8xf32> home ["reference:0"]
// CHECK: cutset.variable @w : tensor<8xf32> home ["reference:0"]
// CHECK: cutset.add {{.*}} on "reference:0" because "not split: {{100.*}} of the time" id 1
// CHECK: cutset.relu {{.*}} on "reference:0"
// CHECK: cutset.neg {{.*}} on "reference:0"

// A pipeline gives every device an op.
// PIPELINE-NOT: cutset.empty_devices
// PIPELINE: cutset.add {{.*}} on "sim:0" because "split 1 of 3
// PIPELINE: cutset.relu {{.*}} on "reference:0"
// PIPELINE: cutset.neg {{.*}} on "sim:1" because "split 3 of 3
cutset.variable @unread : tensor<8xf32>
cutset.variable @w : tensor<8xf32>
func.func @evaluate(%x: tensor<8xf32> {cutset.input = "x"}) -> (tensor<8xf32> {cutset.output = "y"}) {
  %w = cutset.read @w : tensor<8xf32>
  %0 = cutset.add %x, %w id 1 : tensor<8xf32>, tensor<8xf32>
  %1 = cutset.relu %0 id 2 : tensor<8xf32>
  %2 = cutset.neg %1 id 3 : tensor<8xf32>
  return %2 : tensor<8xf32>
}
