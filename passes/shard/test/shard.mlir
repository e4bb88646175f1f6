// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --devices=cpu:0,cpu:1 --strategy="tensor(2)" --shard | FileCheck %s

// If the first product is divided by columns and the second by rows, a single all_reduce suffices.
// CHECK: cutset.variable @a : tensor<512x2047xf32> pieces [1, 2, 1]
// CHECK: cutset.variable @bias : tensor<2047xf32> pieces [0, 2, 1]
// CHECK: cutset.variable @b : tensor<2047x512xf32> pieces [0, 2, 1]
// The scale is added to whole values, so every device has all of it.
// CHECK: cutset.variable @scale : tensor<512xf32>{{$}}
cutset.variable @a : tensor<512x2047xf32>
cutset.variable @bias : tensor<2047xf32>
cutset.variable @b : tensor<2047x512xf32>
cutset.variable @scale : tensor<512xf32>
func.func @evaluate(%x: tensor<256x512xf32> {cutset.input = "x"}) -> (tensor<256x512xf32> {cutset.output = "y"}) {
  // Pieces of 2047 columns are 1024 and 1023.
  // CHECK: %[[A0:.*]] = cutset.read @a {{.*}}piece [1, -1, 0, 2, 1]>} : tensor<512x1024xf32>
  // CHECK: %[[A1:.*]] = cutset.read @a replica 1 {{.*}}piece [1, -1, 1, 2, 1]>} : tensor<512x1023xf32>
  %a = cutset.read @a : tensor<512x2047xf32>
  %bias = cutset.read @bias : tensor<2047xf32>
  %b = cutset.read @b : tensor<2047x512xf32>
  %scale = cutset.read @scale : tensor<512xf32>
  // CHECK: %[[H0:.*]] = cutset.matmul %{{.*}}, %[[A0]] {{.*}}: tensor<256x512xf32>, tensor<512x1024xf32>
  // CHECK: %[[H1:.*]] = cutset.matmul %{{.*}}, %[[A1]] replica 1 {{.*}}: tensor<256x512xf32>, tensor<512x1023xf32>
  %0 = cutset.matmul %x, %a id 1 : tensor<256x512xf32>, tensor<512x2047xf32>
  %1 = cutset.add %0, %bias id 2 : tensor<256x2047xf32>, tensor<2047xf32>
  // CHECK: %[[R0:.*]] = cutset.relu %{{.*}} : tensor<256x1024xf32>
  // CHECK: %[[R1:.*]] = cutset.relu %{{.*}} : tensor<256x1023xf32>
  %2 = cutset.relu %1 id 3 : tensor<256x2047xf32>
  // CHECK: %[[P0:.*]] = cutset.matmul %[[R0]], {{.*}}piece [-2, 2, 0, 2, 1]>} : tensor<256x1024xf32>, tensor<1024x512xf32>
  // CHECK: %[[P1:.*]] = cutset.matmul %[[R1]], {{.*}}piece [-2, 2, 1, 2, 1]>} : tensor<256x1023xf32>, tensor<1023x512xf32>
  %3 = cutset.matmul %2, %b id 4 : tensor<256x2047xf32>, tensor<2047x512xf32>
  // CHECK: %[[Y:.*]]:2 = cutset.all_reduce %[[P0]], %[[P1]] shards [0, 1, 1, 2]
  // CHECK-NOT: concat
  // CHECK: cutset.add %[[Y]]#0
  %4 = cutset.add %3, %scale id 5 : tensor<256x512xf32>, tensor<512xf32>
  %5 = cutset.softmax %4 id 6 : tensor<256x512xf32>
  return %5 : tensor<256x512xf32>
}
// -----
// It is cheaper to compute a small product twice than to transfer its pieces.
// CHECK: cutset.variable @w : tensor<1x65536xf32>{{$}}
cutset.variable @w : tensor<1x65536xf32>
func.func @whole(%x: tensor<2x1xf32> {cutset.input = "x"}) -> (tensor<2x65536xf32> {cutset.output = "y"}) {
  %w = cutset.read @w : tensor<1x65536xf32>
  // CHECK: cutset.matmul %arg0, %{{.*}} tensor<1x65536xf32>
  // CHECK-NOT: concat
  %0 = cutset.matmul %x, %w id 1 : tensor<2x1xf32>, tensor<1x65536xf32>
  %1 = cutset.softmax %0 id 2 : tensor<2x65536xf32>
  return %1 : tensor<2x65536xf32>
}
