// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --devices=reference:0,cpu:0 --fuse --split-input-file | FileCheck %s
// RUN: cutset-opt %s --devices=reference:0,cpu:0 --fuse --no-fuse --split-input-file | \
// RUN:   FileCheck %s --check-prefix=SEPARATE
// SEPARATE-NOT: fused

// A bias and relu after a product become its epilogue. The fused op has the placement of the product and the
// origin of the last op.
// CHECK-LABEL: @epilogue
func.func private @epilogue(%x: tensor<64x8xf32>, %w: tensor<5x8xf32>, %b: tensor<5xf32>) -> tensor<64x5xf32> attributes {cutset.role = "forward"} {
  %z = cutset.matmul %x, %w <{transpose_y = true}> on "cpu:0" id 1 : tensor<64x8xf32>, tensor<5x8xf32>
  %a = cutset.add %z, %b on "cpu:0" id 2 : tensor<64x5xf32>, tensor<5xf32>
  // CHECK-NEXT: %[[Y:.*]] = cutset.fused_matmul %{{.*}}, %{{.*}}, %{{.*}} <{relu = true, transpose_y = true}> on "cpu:0" id 1 {cutset.origin = #cutset.origin<value 7, shards 0 to 1, whole>}
  %y = cutset.relu %a on "cpu:0" id 3 {cutset.origin = #cutset.origin<value 7, shards 0 to 1, whole>} : tensor<64x5xf32>
  // CHECK-NEXT: return %[[Y]]
  return %y : tensor<64x5xf32>
}
// -----
// CHECK-LABEL: @convolution
func.func private @convolution(%x: tensor<2x4x9x7xf32>, %w: tensor<6x2x3x3xf32>) -> tensor<2x6x7x5xf32> attributes {cutset.role = "forward"} {
  %c = cutset.conv %x, %w <{groups = 2 : i64}> on "cpu:0" id 1 : tensor<2x4x9x7xf32>, tensor<6x2x3x3xf32>
  // CHECK-NEXT: cutset.fused_conv %{{.*}}, %{{.*}} <{groups = 2 : i64}> on "cpu:0" id 1
  %y = cutset.relu %c on "cpu:0" id 2 : tensor<2x6x7x5xf32>
  // CHECK-NEXT: return
  return %y : tensor<2x6x7x5xf32>
}
// -----
// The bias may be the first operand. tanh cannot be an epilogue.
// CHECK-LABEL: @first_operand
func.func private @first_operand(%x: tensor<64x8xf32>, %w: tensor<8x5xf32>, %b: tensor<5xf32>) -> tensor<64x5xf32> attributes {cutset.role = "forward"} {
  %z = cutset.matmul %x, %w on "cpu:0" id 1 : tensor<64x8xf32>, tensor<8x5xf32>
  // CHECK-NEXT: %[[Z:.*]] = cutset.fused_matmul %{{.*}}, %{{.*}}, %{{.*}} on "cpu:0" id 1
  %a = cutset.add %b, %z on "cpu:0" id 2 : tensor<5xf32>, tensor<64x5xf32>
  // CHECK-NEXT: cutset.tanh %[[Z]]
  %y = cutset.tanh %a on "cpu:0" id 3 : tensor<64x5xf32>
  return %y : tensor<64x5xf32>
}
// -----
// A value that another op, or the caller, reads is not fused. A bias per row and a matrix do not become part
// of an epilogue.
// CHECK-LABEL: @stays
func.func private @stays(%x: tensor<4x8xf32>, %w: tensor<8x5xf32>, %b: tensor<5xf32>, %r: tensor<4x1xf32>, %s: tensor<3x4x5xf32>, %i: tensor<1x1x3x3xf32>, %o: tensor<1x1x2x2xf32>) -> (tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<3x4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>) attributes {cutset.role = "forward"} {
  // CHECK-NOT: fused
  %z = cutset.matmul %x, %w on "cpu:0" id 1 : tensor<4x8xf32>, tensor<8x5xf32>
  %a = cutset.add %z, %b on "cpu:0" id 2 : tensor<4x5xf32>, tensor<5xf32>
  %n = cutset.neg %z on "cpu:0" id 3 : tensor<4x5xf32>
  %y = cutset.matmul %x, %w on "cpu:0" id 4 : tensor<4x8xf32>, tensor<8x5xf32>
  %d = cutset.add %y, %y on "cpu:0" id 5 : tensor<4x5xf32>, tensor<4x5xf32>
  %v = cutset.matmul %x, %w on "cpu:0" id 6 : tensor<4x8xf32>, tensor<8x5xf32>
  %e = cutset.add %v, %r on "cpu:0" id 7 : tensor<4x5xf32>, tensor<4x1xf32>
  %u = cutset.matmul %x, %w on "cpu:0" id 8 : tensor<4x8xf32>, tensor<8x5xf32>
  %f = cutset.add %u, %s on "cpu:0" id 9 : tensor<4x5xf32>, tensor<3x4x5xf32>
  %k = cutset.matmul %x, %w on "cpu:0" id 10 : tensor<4x8xf32>, tensor<8x5xf32>
  %l = cutset.add %k, %b on "cpu:0" id 11 : tensor<4x5xf32>, tensor<5xf32>
  %c = cutset.conv %i, %o on "cpu:0" id 12 : tensor<1x1x3x3xf32>, tensor<1x1x2x2xf32>
  %g = cutset.relu %c on "cpu:0" id 13 : tensor<1x1x2x2xf32>
  %h = cutset.neg %c on "cpu:0" id 14 : tensor<1x1x2x2xf32>
  return %a, %n, %d, %e, %f, %k, %l, %g, %h : tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<3x4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>
}
// -----
// Ops on different devices stay. Ops also stay if the device has only a reference kernel for the fused op, or
// if its first kernel refuses the type.
// CHECK-LABEL: @devices
func.func private @devices(%x: tensor<4x8xf32>, %w: tensor<8x5xf32>, %b: tensor<5xf32>, %p: tensor<4x8xf64>, %q: tensor<8x5xf64>, %c: tensor<5xf64>, %m: tensor<1024x1024xf64>, %n: tensor<1024xf64>) -> (tensor<4x5xf32>, tensor<4x5xf64>, tensor<4x5xf32>, tensor<1024x1024xf64>) attributes {cutset.role = "forward"} {
  // CHECK-NOT: fused
  %z = cutset.matmul %x, %w on "cpu:0" id 1 : tensor<4x8xf32>, tensor<8x5xf32>
  %a = cutset.add %z, %b on "reference:0" id 2 : tensor<4x5xf32>, tensor<5xf32>
  %y = cutset.matmul %p, %q on "cpu:0" id 3 : tensor<4x8xf64>, tensor<8x5xf64>
  %d = cutset.add %y, %c on "cpu:0" id 4 : tensor<4x5xf64>, tensor<5xf64>
  %v = cutset.matmul %x, %w on "reference:0" id 5 : tensor<4x8xf32>, tensor<8x5xf32>
  %e = cutset.add %v, %b on "reference:0" id 6 : tensor<4x5xf32>, tensor<5xf32>
  %u = cutset.matmul %m, %m on "cpu:0" id 7 : tensor<1024x1024xf64>, tensor<1024x1024xf64>
  %f = cutset.add %u, %n on "cpu:0" id 8 : tensor<1024x1024xf64>, tensor<1024xf64>
  return %a, %d, %e, %f : tensor<4x5xf32>, tensor<4x5xf64>, tensor<4x5xf32>, tensor<1024x1024xf64>
}
