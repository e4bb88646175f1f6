// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --devices=cpu:0,cpu:1 --strategy="data(2, shares=1:1)" --split | FileCheck %s

// A shape that names the size of the batch gets the rows of each shard. Without that, the 12 elements of a
// shard would fit the shape as 6x2, and both replicas would compute wrong rows.
func.func @evaluate(%x: tensor<6x4xf32> {cutset.input = "x"}) -> (tensor<6x1x4xf32> {cutset.output = "y"}) {
  // CHECK: cutset.reshape %arg0 <{shape = array<i64: 3, -1>}> id 1
  // CHECK: cutset.reshape %arg1 <{shape = array<i64: 3, -1>}> replica 1 id 1
  %0 = cutset.reshape %x <{shape = array<i64: 6, -1>}> id 1 : tensor<6x4xf32>
  // A dimension of size 1 ahead of the batch moves the batch, which is not an end of the division.
  // CHECK: cutset.reshape %{{.*}} <{shape = array<i64: 1, 3, -1>}> id 2 {{.*}}rows 1
  %1 = cutset.reshape %0 <{shape = array<i64: 1, 6, -1>}> id 2 : tensor<6x4xf32>
  // CHECK: cutset.reshape %{{.*}} <{shape = array<i64: 3, 1, -1>}> id 3 {{.*}}rows 0
  %2 = cutset.reshape %1 <{shape = array<i64: 6, 1, -1>}> id 3 : tensor<1x6x4xf32>
  // CHECK-NOT: concat
  return %2 : tensor<6x1x4xf32>
}
