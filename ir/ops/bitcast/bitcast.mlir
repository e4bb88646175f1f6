// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%x: tensor<4x2xf64>, %m: tensor<3xi1>, %h: tensor<4xf16>) -> (tensor<4x2xi64>, tensor<3xui8>, tensor<4xbf16>) {
  // CHECK: cutset.bitcast %{{.*}} <{dtype = i64}> : tensor<4x2xf64>
  %a = cutset.bitcast %x <{dtype = i64}> : tensor<4x2xf64>
  %b = cutset.bitcast %m <{dtype = ui8}> : tensor<3xi1>
  %c = cutset.bitcast %h <{dtype = bf16}> : tensor<4xf16>
  return %a, %b, %c : tensor<4x2xi64>, tensor<3xui8>, tensor<4xbf16>
}
// -----
func.func @c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{C1: elements of f32 have 4 bytes, and elements of i64 have 8}}
  %y = cutset.bitcast %x <{dtype = i64}> : tensor<4xf32>
  return
}
// -----
func.func @c2(%x: tensor<4xui8>) {
  // expected-error@+1 {{C2: bytes of u8 are no truth values (cast them)}}
  %y = cutset.bitcast %x <{dtype = i1}> : tensor<4xui8>
  return
}
