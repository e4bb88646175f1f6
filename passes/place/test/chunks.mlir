// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --devices=reference:0,sim:0 --strategy="pipeline(2,micro_batches=2,schedule=interleaved)" --split --place | FileCheck %s
// RUN: cutset-opt %s --devices=reference:0,sim:0 --strategy="pipeline(2,micro_batches=2,schedule=interleaved)" --split --place --cut | FileCheck %s --check-prefix=CUT

// Two chunks per device make four stages, which are dealt out to the devices in turn. The third op is pinned
// to the first device, so it can be in the third stage.
// CHECK: cutset.variable @w : tensor<8x8xf32> home ["reference:0"]
// CHECK: cutset.chunks = 2 : i64, cutset.schedule_name = "interleaved"
// CHECK: cutset.matmul {{.*}} on "reference:0" because "stage 1 of 4, chunk 1 of reference:0: {{.*}} of the time" id 1 {{.*}}cutset.stage = 0 : i64
// CHECK: cutset.matmul {{.*}} on "sim:0" because "stage 2 of 4, chunk 1 of sim:0: {{.*}} of the time" id 2 {{.*}}cutset.stage = 1 : i64
// CHECK: cutset.matmul {{.*}} on "reference:0" because "user" id 3 {{.*}}cutset.stage = 2 : i64
// CHECK: cutset.matmul {{.*}} on "sim:0" because "stage 4 of 4, chunk 2 of sim:0: {{.*}} of the time" id 4 {{.*}}cutset.stage = 3 : i64

// Each device has one forward role per stage. With two micro-batches, the first stage runs twice before the
// third one.
// CUT: cutset.schedule @"evaluate/reference:0"
// CUT: cutset.call @"evaluate/reference:0/stage0/forward0"({{.*}}) shard 0
// CUT-NEXT: cutset.send {{.*}} to "sim:0" channel 0
// CUT: cutset.call @"evaluate/reference:0/stage0/forward0"({{.*}}) shard 1
// CUT-NEXT: cutset.send {{.*}} to "sim:0" channel 1
// CUT: cutset.call @"evaluate/reference:0/stage2/forward0"({{.*}}) shard 0
// CUT: cutset.call @"evaluate/reference:0/stage2/forward0"({{.*}}) shard 1
// CUT: cutset.schedule @"evaluate/sim:0"
// CUT: cutset.call @"evaluate/sim:0/stage1/forward0"({{.*}}) shard 0
// CUT: cutset.call @"evaluate/sim:0/stage1/forward0"({{.*}}) shard 1
// CUT: cutset.call @"evaluate/sim:0/stage3/forward0"({{.*}}) shard 0
// CUT: cutset.output
cutset.variable @w : tensor<8x8xf32>
func.func @evaluate(%x: tensor<4x8xf32> {cutset.input = "x"}) -> (tensor<4x8xf32> {cutset.output = "y"}) {
  %w = cutset.read @w : tensor<8x8xf32>
  %0 = cutset.matmul %x, %w id 1 : tensor<4x8xf32>, tensor<8x8xf32>
  %1 = cutset.matmul %0, %w id 2 : tensor<4x8xf32>, tensor<8x8xf32>
  %2 = cutset.matmul %1, %w on "reference:0" because "user" id 3 : tensor<4x8xf32>, tensor<8x8xf32>
  %3 = cutset.matmul %2, %w id 4 : tensor<4x8xf32>, tensor<8x8xf32>
  return %3 : tensor<4x8xf32>
}
