// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --bucket-bytes=48 --bucket-all-reduces | FileCheck %s
// RUN: cutset-opt %s --bucket-bytes=0 --bucket-all-reduces | FileCheck %s --check-prefix=NONE

func.func private @r(tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<4xf32>, tensor<f32>)
func.func private @c(tensor<f32>) -> tensor<8xf32>
func.func private @check(tensor<8xf32>, tensor<8xf32>, tensor<4xf32>) -> tensor<i1>
func.func private @u(tensor<8xf32>, tensor<8xf32>, tensor<4xf32>)
// The first two tensors make a bucket of 64 bytes, which is closed; the third tensor is summed alone. The
// loss is read before the commit, so it is not merged.
// CHECK-LABEL: cutset.schedule @a
// CHECK: %[[R:.*]]:4 = cutset.call @r
// CHECK-NEXT: cutset.all_reduce_start %[[R]]#0, %[[R]]#1 collective 0 shards [0, 1]
// CHECK-NEXT: cutset.all_reduce_start %[[R]]#2 collective 1 shards [0, 1]
// CHECK-NEXT: cutset.all_reduce_start %[[R]]#3 collective 2
// CHECK: %[[L:.*]] = cutset.all_reduce_wait collective 2
// CHECK: %[[B:.*]]:2 = cutset.all_reduce_wait collective 0
// CHECK: %[[C:.*]] = cutset.all_reduce_wait collective 1
// The finite check also reads the sums, which does not prevent their merging.
// CHECK-NEXT: %[[F:.*]] = cutset.call @check(%[[B]]#0, %[[B]]#1, %[[C]])
// CHECK-NEXT: cutset.commit %[[F]]
// CHECK: cutset.call @u(%[[B]]#0, %[[B]]#1, %[[C]])
// NONE: collective 3
cutset.schedule @a for "train" on "reference:0" {
  %x = cutset.input "x" : tensor<8xf32>
  %g:4 = cutset.call @r(%x) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<4xf32>, tensor<f32>)
  cutset.all_reduce_start %g#0 collective 0 shards [0, 1] : tensor<8xf32>
  cutset.all_reduce_start %g#1 collective 1 shards [0, 1] : tensor<8xf32>
  cutset.all_reduce_start %g#2 collective 2 shards [0, 1] : tensor<4xf32>
  cutset.all_reduce_start %g#3 collective 3 shards [0, 1] : tensor<f32>
  %l = cutset.all_reduce_wait collective 3 : tensor<f32>
  %m = cutset.call @c(%l) : (tensor<f32>) -> tensor<8xf32>
  %0 = cutset.all_reduce_wait collective 0 : tensor<8xf32>
  %1 = cutset.all_reduce_wait collective 1 : tensor<8xf32>
  %2 = cutset.all_reduce_wait collective 2 : tensor<4xf32>
  %f = cutset.call @check(%0, %1, %2) : (tensor<8xf32>, tensor<8xf32>, tensor<4xf32>) -> (tensor<i1>)
  cutset.commit %f : tensor<i1>
  cutset.call @u(%0, %1, %2) : (tensor<8xf32>, tensor<8xf32>, tensor<4xf32>) -> ()
}
// CHECK-LABEL: cutset.schedule @b
// CHECK: all_reduce_start %{{.*}}#0, %{{.*}}#1 collective 0 shards [1, 2]
// CHECK: cutset.all_reduce_wait collective 0 : tensor<8xf32>, tensor<8xf32>
cutset.schedule @b for "train" on "sim:0" {
  %x = cutset.input "x" : tensor<8xf32>
  %g:4 = cutset.call @r(%x) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<4xf32>, tensor<f32>)
  cutset.all_reduce_start %g#0 collective 0 shards [1, 2] : tensor<8xf32>
  cutset.all_reduce_start %g#1 collective 1 shards [1, 2] : tensor<8xf32>
  cutset.all_reduce_start %g#2 collective 2 shards [1, 2] : tensor<4xf32>
  cutset.all_reduce_start %g#3 collective 3 shards [1, 2] : tensor<f32>
  %l = cutset.all_reduce_wait collective 3 : tensor<f32>
  %m = cutset.call @c(%l) : (tensor<f32>) -> tensor<8xf32>
  %0 = cutset.all_reduce_wait collective 0 : tensor<8xf32>
  %1 = cutset.all_reduce_wait collective 1 : tensor<8xf32>
  %2 = cutset.all_reduce_wait collective 2 : tensor<4xf32>
  %f = cutset.call @check(%0, %1, %2) : (tensor<8xf32>, tensor<8xf32>, tensor<4xf32>) -> (tensor<i1>)
  cutset.commit %f : tensor<i1>
  cutset.call @u(%0, %1, %2) : (tensor<8xf32>, tensor<8xf32>, tensor<4xf32>) -> ()
}
