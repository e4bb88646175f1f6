// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --make-functions --verify-diagnostics

cutset.variable @m : tensor<4xf32>
func.func @graph(%x: tensor<4xf32> {cutset.input = "x"}) -> (tensor<4xf32> {cutset.output = "x"}) {
  // expected-error@+1 {{takes effect in 'train', which this graph does not have (call minimize)}}
  cutset.assign @m, %x : tensor<4xf32>
  return %x : tensor<4xf32>
}
