// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --devices=cpu:0,cpu:1 --strategy="pipeline(1, micro_batches=2) * tensor(2)" --shard | FileCheck %s

// All copies of a forward op are marked, although the loss needs only the copies on the first device.
// CHECK-COUNT-2: cutset.relu {{.*}} {cutset.forward,
// CHECK: cutset.add_n {{.*}} replica 1 id 3 {cutset.forward,
// CHECK: %[[Y0:.*]] = cutset.softmax {{.*}} id 4 {cutset.forward,
// CHECK: %[[Y1:.*]] = cutset.softmax {{.*}} replica 1 id 4 {cutset.forward,
// CHECK: cutset.reduce_sum %[[Y0]] {{.*}}id 5 {cutset.forward,

// The forms of a forward value that only backward ops read are also marked.
// CHECK: %[[H0:.*]] = cutset.concat {{.*}} id 2 {cutset.forward,
// CHECK: %[[H1:.*]] = cutset.concat {{.*}} replica 1 id 2 {cutset.forward,
// CHECK: cutset.softmax %[[H0]] {{.*}}id 2 {cutset.origin
// CHECK: cutset.softmax %[[H1]] {{.*}}replica 1 id 2 {cutset.origin

// Backward ops and the forms of their values have no mark, and neither do updates.
// CHECK-NOT: cutset.forward
cutset.variable @a : tensor<512x2048xf32>
cutset.variable @b : tensor<2048x513xf32>
cutset.variable @velocity : tensor<2048x513xf32> state_of @b
func.func @train(%x: tensor<256x512xf32> {cutset.input = "x"}, %r: tensor<f32> {cutset.input = "r"}) -> (tensor<f32> {cutset.output = "loss"}) {
  %a = cutset.read @a : tensor<512x2048xf32>
  %b = cutset.read @b : tensor<2048x513xf32>
  %v = cutset.read @velocity : tensor<2048x513xf32>
  %0 = cutset.matmul %x, %a id 1 : tensor<256x512xf32>, tensor<512x2048xf32>
  %1 = cutset.relu %0 id 2 : tensor<256x2048xf32>
  %2 = cutset.matmul %1, %b id 3 : tensor<256x2048xf32>, tensor<2048x513xf32>
  %3 = cutset.softmax %2 id 4 : tensor<256x513xf32>
  %loss = cutset.reduce_sum %3 id 5 : tensor<256x513xf32>
  %h = cutset.softmax %1 id 2 : tensor<256x2048xf32>
  %d = cutset.mul %3, %3 id 4 : tensor<256x513xf32>, tensor<256x513xf32>
  %g = cutset.matmul %h, %d <{transpose_x = true}> id 3 : tensor<256x2048xf32>, tensor<256x513xf32>
  %nb, %nv = cutset.sgd %b, %v, %g, %r, %r id 6 : tensor<2048x513xf32>, tensor<2048x513xf32>, tensor<2048x513xf32>, tensor<f32>, tensor<f32>
  cutset.assign @b, %nb : tensor<2048x513xf32>
  cutset.assign @velocity, %nv : tensor<2048x513xf32>
  return %loss : tensor<f32>
}
