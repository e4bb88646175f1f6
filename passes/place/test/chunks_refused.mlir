// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --devices=reference:0,sim:0 --strategy="pipeline(2,micro_batches=2,schedule=interleaved,chunks=2)" --split-input-file --verify-diagnostics --split --place

// After two changes of the device, no stage on reference:0 is left.
func.func @order(%x: tensor<4xf32> {cutset.input = "x"}) -> (tensor<4xf32> {cutset.output = "y"}) {
  %0 = cutset.neg %x on "sim:0" because "user" id 1 : tensor<4xf32>
  %1 = cutset.neg %0 on "reference:0" because "user" id 2 : tensor<4xf32>
  %2 = cutset.neg %1 on "sim:0" because "user" id 3 : tensor<4xf32>
  // expected-error@+1 {{is fixed to reference:0; the layers of a pipeline with 2 chunks per device follow its 4 stages, which are on reference:0, sim:0, reference:0, sim:0, and no stage of this device is left after the layers before the op (fix the devices of fewer ops, or use fewer chunks)}}
  %3 = cutset.neg %2 on "reference:0" because "user" id 4 : tensor<4xf32>
  return %3 : tensor<4xf32>
}
// -----
func.func @empty(%x: tensor<4xf32> {cutset.input = "x"}) -> (tensor<4xf32> {cutset.output = "y"}) {
  // expected-error@+1 {{is fixed to sim:0; the layers of a pipeline with 2 chunks per device follow its 4 stages, which are on reference:0, sim:0, reference:0, sim:0, and some stage has no layer with the devices that are fixed}}
  %0 = cutset.neg %x on "sim:0" because "user" id 1 : tensor<4xf32>
  %1 = cutset.neg %0 id 2 : tensor<4xf32>
  %2 = cutset.neg %1 id 3 : tensor<4xf32>
  %3 = cutset.neg %2 id 4 : tensor<4xf32>
  return %3 : tensor<4xf32>
}
// -----
// A module without functions has no stages, and is no error.
module {}
