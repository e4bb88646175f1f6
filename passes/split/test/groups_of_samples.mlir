// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --devices=reference:0,sim:0 --strategy="data(2, shares=1:1)" --split | FileCheck %s
// RUN: cutset-opt %s --devices=reference:0,sim:0 --strategy="data(2, shares=5:3)" --split | FileCheck %s --check-prefix=CUT
// RUN: cutset-opt %s --devices=reference:0 --strategy="pipeline(1,micro_batches=4)" --split | FileCheck %s --check-prefix=MICRO

// Each replica has four samples, which are two groups of two, so no rows are joined.
// CHECK: cutset.reshape %arg0 {{.*}}shards 0 to 1{{.*}} : tensor<4x4xf32>
// CHECK: cutset.reshape %arg1 {{.*}} : tensor<4x4xf32>
// CHECK-NOT: cutset.concat
// CHECK-NOT: cutset.whole
// CHECK: return {{.*}} : tensor<2x4xf32>, tensor<2x4xf32>

// A share of five samples would cut a group, so the rows are joined.
// CUT: cutset.concat
// CUT: cutset.reshape {{.*}}cutset.whole = "'reshape' (groups_of_samples.mlir:[[# @LINE + 6]]) can be split by dimension 0 of operand 0 after each 2 rows, and a sample of the batch has 1 of them"

// Four micro-batches of one group each share the ops.
// MICRO: cutset.reshape %arg0 {{.*}} : tensor<2x4xf32>
// MICRO: return {{.*}} : tensor<1x4xf32>
func.func @evaluate(%x: tensor<8x4xf32> {cutset.input = "x"}) -> (tensor<4x4xf32> {cutset.output = "y"}) {
  %0 = cutset.reshape %x <{shape = array<i64: -1, 2, 4>}> id 1 : tensor<8x4xf32>
  %1 = cutset.reduce_sum %0 <{axes = array<i64: 1>}> id 2 : tensor<4x2x4xf32>
  return %1 : tensor<4x4xf32>
}
