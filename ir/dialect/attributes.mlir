// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt --split-input-file --verify-diagnostics %s | FileCheck %s

// CHECK-LABEL: @origins
// CHECK-SAME: %arg0: tensor<4xf32> {cutset.origin = #cutset.origin<value 0, shards 0 to 3, rows 0>}
func.func @origins(%x: tensor<4xf32> {cutset.origin = #cutset.origin<value 0, shards 0 to 3, rows 0>}) {
  // CHECK: #cutset.origin<value 1, shards 1 to 2, partial 1>
  %a = cutset.relu %x {cutset.origin = #cutset.origin<value 1, shards 1 to 2, partial 1>} : tensor<4xf32>
  // CHECK: #cutset.origin<value 2, shards 0 to 1, partial, whole>
  %b = cutset.relu %a {cutset.origin = #cutset.origin<value 2, shards 0 to 1, partial, whole>} : tensor<4xf32>
  // CHECK: [#cutset.origin<value 3, shards 0 to 1>, #cutset.origin<value 9, shards 0 to 1, whole>]
  %c = cutset.relu %b {cutset.origin = [#cutset.origin<value 3, shards 0 to 1>, #cutset.origin<value 9, shards 0 to 1, whole>]} : tensor<4xf32>
  return
}

// -----

// expected-error@+1 {{an origin has the value -2, which is not from -1 to 2147483647}}
func.func @value(%x: tensor<4xf32> {cutset.origin = #cutset.origin<value -2, shards 0 to 3>}) { return }

// -----

// expected-error@+1 {{an origin covers the shards 3 to 3; the first must be at least 0 and below the last}}
func.func @shards(%x: tensor<4xf32> {cutset.origin = #cutset.origin<value 1, shards 3 to 3>}) { return }

// -----

// expected-error@+1 {{an origin has rows along dimension 8, which is not from 0 to 7}}
func.func @rows(%x: tensor<4xf32> {cutset.origin = #cutset.origin<value 1, shards 0 to 3, rows 8>}) { return }

// -----

// expected-error@+1 {{an origin has the factor -7, which is not from -1 to 2147483647}}
func.func @factor(%x: tensor<4xf32> {cutset.origin = #cutset.origin<value 1, shards 0 to 3, partial -7>}) { return }

// -----

// expected-error@+1 {{must be #cutset.origin, or a list with one per tensor}}
func.func @type(%x: tensor<4xf32> {cutset.origin = array<i64: 1>}) { return }
