// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --devices=reference:0 --place | FileCheck %s --check-prefix=ONE
// RUN: cutset-opt %s --devices=reference:0,sim:0 --strategy=model --place | FileCheck %s --check-prefix=TWO
// RUN: not cutset-opt %s --devices=reference:0 --strategy="average(2)" --place 2>&1 | FileCheck %s --check-prefix=LATER
// RUN: not cutset-opt %s --devices=reference:0,sim:0 --strategy=one_device --place 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not cutset-opt %s --devices=nowhere:0 --place 2>&1 | FileCheck %s --check-prefix=NOWHERE

// LATER: strategy 'average' does not exist yet (the strategies are one_device, model, data(N)
// MANY: strategy 'one_device' uses one device, but there are 2 devices
// NOWHERE: no backend for devices of kind 'nowhere'
// The home of a variable is the device of the first op that reads it.
// ONE: cutset.variable @w : tensor<64x64xf32> home ["reference:0"]
// TWO: cutset.variable @w : tensor<64x64xf32> home ["reference:0"]
// TWO: cutset.variable @v : tensor<64x64xf32> home ["sim:0"]
cutset.variable @w : tensor<64x64xf32>
cutset.variable @v : tensor<64x64xf32>
func.func @evaluate(%x: tensor<64x64xf32> {cutset.input = "x"}) -> (tensor<64x64xf32> {cutset.output = "y"}) {
  %w = cutset.read @w : tensor<64x64xf32>
  %v = cutset.read @v : tensor<64x64xf32>
  // ONE: cutset.matmul {{.*}} on "reference:0" because "the only device" id 1
  // TWO: cutset.matmul {{.*}} on "reference:0" because "split 1 of 2: {{.*}} of the time" id 1
  %0 = cutset.matmul %x, %w id 1 : tensor<64x64xf32>, tensor<64x64xf32>
  // TWO: cutset.matmul {{.*}} on "sim:0" because "split 2 of 2: {{.*}} of the time" id 2
  %1 = cutset.matmul %0, %v id 2 : tensor<64x64xf32>, tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}
