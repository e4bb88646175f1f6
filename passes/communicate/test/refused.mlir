// SPDX-License-Identifier: Apache-2.0
// A tensor that is too large for any machine is an error at its op. A second run of the pass leaves buckets
// unchanged.
// RUN: cutset-opt %s --bucket-bytes=1000 --split-input-file --verify-diagnostics --bucket-all-reduces --bucket-all-reduces

func.func private @r() -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
func.func private @u(tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
cutset.schedule @a for "train" on "reference:0" {
  %g:3 = cutset.call @r() : () -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  cutset.all_reduce_start %g#0, %g#1 collective 0 shards [0, 1] : tensor<4xf32>, tensor<4xf32>
  cutset.all_reduce_start %g#2 collective 1 shards [0, 1] : tensor<4xf32>
  %0, %1 = cutset.all_reduce_wait collective 0 : tensor<4xf32>, tensor<4xf32>
  %2 = cutset.all_reduce_wait collective 1 : tensor<4xf32>
  cutset.commit
  cutset.call @u(%0, %1, %2) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> ()
}
// -----
cutset.schedule @a for "train" on "reference:0" {
  // expected-error@+1 {{too large}}
  %x = cutset.input "x" : tensor<4611686018427387904xf32>
}
