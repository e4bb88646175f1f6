// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @lstm
func.func @lstm(%x: tensor<2x5x12xf32>, %w: tensor<12x3xf32>, %s: tensor<2x3xf32>, %n: tensor<2xi32>) -> (tensor<2x5x3xf32>, tensor<2x5x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  // CHECK: cutset.lstm %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} <{reverse = true}> : tensor<2x5x12xf32>, tensor<12x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xi32>
  %h, %c, %lh, %lc = cutset.lstm %x, %w, %s, %s, %n <{reverse = true}> : tensor<2x5x12xf32>, tensor<12x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xi32>
  return %h, %c, %lh, %lc : tensor<2x5x3xf32>, tensor<2x5x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}
// CHECK-LABEL: @lstm_backward
func.func @lstm_backward(%x: tensor<2x5x12xf32>, %g: tensor<2x5x3xf32>, %w: tensor<12x3xf32>) -> (tensor<2x5x12xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  // CHECK: cutset.lstm_backward
  %a, %b, %c = cutset.lstm_backward %g, %g, %x, %x, %g, %w : tensor<2x5x3xf32>, tensor<2x5x3xf32>, tensor<2x5x12xf32>, tensor<2x5x12xf32>, tensor<2x5x3xf32>, tensor<12x3xf32>
  return %a, %b, %c : tensor<2x5x12xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}
// CHECK-LABEL: @gru
func.func @gru(%x: tensor<2x5x9xf64>, %w: tensor<9x3xf64>, %b: tensor<3xf64>, %s: tensor<2x3xf64>) -> (tensor<2x5x3xf64>, tensor<2x3xf64>) {
  // CHECK: cutset.gru %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} <{linear_before_reset = false}> : tensor<2x5x9xf64>, tensor<9x3xf64>, tensor<3xf64>, tensor<2x3xf64>
  %h, %l = cutset.gru %x, %w, %b, %s <{linear_before_reset = false}> : tensor<2x5x9xf64>, tensor<9x3xf64>, tensor<3xf64>, tensor<2x3xf64>
  return %h, %l : tensor<2x5x3xf64>, tensor<2x3xf64>
}
// CHECK-LABEL: @gru_backward
func.func @gru_backward(%x: tensor<2x5x9xf32>, %g: tensor<2x5x3xf32>, %w: tensor<9x3xf32>) -> (tensor<2x5x9xf32>, tensor<2x5x3xf32>, tensor<2x3xf32>) {
  // CHECK: cutset.gru_backward
  %a, %b, %c = cutset.gru_backward %g, %x, %x, %g, %w : tensor<2x5x3xf32>, tensor<2x5x9xf32>, tensor<2x5x9xf32>, tensor<2x5x3xf32>, tensor<9x3xf32>
  return %a, %b, %c : tensor<2x5x9xf32>, tensor<2x5x3xf32>, tensor<2x3xf32>
}
// CHECK-LABEL: @rnn
func.func @rnn(%x: tensor<2x5x3xf32>, %w: tensor<3x3xf32>, %s: tensor<2x3xf32>, %n: tensor<2xi64>) -> (tensor<2x5x3xf32>, tensor<2x3xf32>, tensor<2x5x3xf32>, tensor<2x3xf32>) {
  // CHECK: cutset.rnn %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} <{nonlinearity = "relu"}> : tensor<2x5x3xf32>, tensor<3x3xf32>, tensor<2x3xf32>, tensor<2xi64>
  %h, %l = cutset.rnn %x, %w, %s, %n <{nonlinearity = "relu"}> : tensor<2x5x3xf32>, tensor<3x3xf32>, tensor<2x3xf32>, tensor<2xi64>
  // CHECK: cutset.rnn_backward
  %d, %e = cutset.rnn_backward %x, %h, %w : tensor<2x5x3xf32>, tensor<2x5x3xf32>, tensor<3x3xf32>
  return %h, %l, %d, %e : tensor<2x5x3xf32>, tensor<2x3xf32>, tensor<2x5x3xf32>, tensor<2x3xf32>
}
// -----
func.func @c1_type(%x: tensor<2x5x3xi32>, %w: tensor<3x3xi32>, %s: tensor<2x3xi32>) {
  // expected-error@+1 {{C1: x is 2x5x3xi32; it must be [batch, steps, hidden] with one step or more and a floating-point type}}
  %h:2 = cutset.rnn %x, %w, %s : tensor<2x5x3xi32>, tensor<3x3xi32>, tensor<2x3xi32>
  return
}
// -----
func.func @c1_no_steps(%x: tensor<2x0x12xf32>, %w: tensor<12x3xf32>, %s: tensor<2x3xf32>) {
  // expected-error@+1 {{C1: x is 2x0x12xf32; it must be [batch, steps, 4 hidden] with one step or more}}
  %h:4 = cutset.lstm %x, %w, %s, %s : tensor<2x0x12xf32>, tensor<12x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
  return
}
// -----
func.func @c1_rank(%x: tensor<2x9xf32>, %w: tensor<9x3xf32>, %b: tensor<3xf32>, %s: tensor<2x3xf32>) {
  // expected-error@+1 {{C1: x is 2x9xf32; it must be [batch, steps, 3 hidden]}}
  %h:2 = cutset.gru %x, %w, %b, %s : tensor<2x9xf32>, tensor<9x3xf32>, tensor<3xf32>, tensor<2x3xf32>
  return
}
// -----
func.func @c2_parts(%x: tensor<2x5x12xf32>, %w: tensor<9x3xf32>, %s: tensor<2x3xf32>) {
  // expected-error@+1 {{C2: the weight is 9x3xf32; for x of 2x5x12xf32 it must be [4 hidden, hidden]}}
  %h:4 = cutset.lstm %x, %w, %s, %s : tensor<2x5x12xf32>, tensor<9x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
  return
}
// -----
func.func @c2_type(%x: tensor<2x5x3xf32>, %w: tensor<3x3xf64>, %s: tensor<2x3xf32>) {
  // expected-error@+1 {{C2: the weight is 3x3xf64; for x of 2x5x3xf32 it must be [hidden, hidden]}}
  %h:2 = cutset.rnn %x, %w, %s : tensor<2x5x3xf32>, tensor<3x3xf64>, tensor<2x3xf32>
  return
}
// -----
func.func @c2_no_units(%x: tensor<2x5x0xf32>, %w: tensor<0x0xf32>, %s: tensor<2x0xf32>) {
  // expected-error@+1 {{C2: the weight is 0x0xf32}}
  %h:2 = cutset.rnn %x, %w, %s : tensor<2x5x0xf32>, tensor<0x0xf32>, tensor<2x0xf32>
  return
}
// -----
func.func @c2_bias(%x: tensor<2x5x9xf32>, %w: tensor<9x3xf32>, %b: tensor<9xf32>, %s: tensor<2x3xf32>) {
  // expected-error@+1 {{C2: the bias is 9xf32, not 3xf32}}
  %h:2 = cutset.gru %x, %w, %b, %s : tensor<2x5x9xf32>, tensor<9x3xf32>, tensor<9xf32>, tensor<2x3xf32>
  return
}
// -----
func.func @c3_state(%x: tensor<2x5x12xf32>, %w: tensor<12x3xf32>, %s: tensor<2x3xf32>, %t: tensor<3x2xf32>) {
  // expected-error@+1 {{C3: the initial state is 3x2xf32, not 2x3xf32}}
  %h:4 = cutset.lstm %x, %w, %t, %s : tensor<2x5x12xf32>, tensor<12x3xf32>, tensor<3x2xf32>, tensor<2x3xf32>
  return
}
// -----
func.func @c3_cell(%x: tensor<2x5x12xf32>, %w: tensor<12x3xf32>, %s: tensor<2x3xf32>, %t: tensor<3xf32>) {
  // expected-error@+1 {{C3: the initial cell is 3xf32, not 2x3xf32}}
  %h:4 = cutset.lstm %x, %w, %s, %t : tensor<2x5x12xf32>, tensor<12x3xf32>, tensor<2x3xf32>, tensor<3xf32>
  return
}
// -----
func.func @c4(%x: tensor<2x5x3xf32>, %w: tensor<3x3xf32>, %s: tensor<2x3xf32>, %n: tensor<2xf32>) {
  // expected-error@+1 {{C4: the lengths are 2xf32; they must be 2xi32 or i64}}
  %h:2 = cutset.rnn %x, %w, %s, %n : tensor<2x5x3xf32>, tensor<3x3xf32>, tensor<2x3xf32>, tensor<2xf32>
  return
}
// -----
func.func @c5_cells(%x: tensor<2x5x12xf32>, %g: tensor<2x5x3xf32>, %w: tensor<12x3xf32>, %c: tensor<2x4x3xf32>) {
  // expected-error@+1 {{C5: the tensor of previous cells is 2x4x3xf32, not 2x5x3xf32}}
  %d:3 = cutset.lstm_backward %g, %g, %x, %x, %c, %w : tensor<2x5x3xf32>, tensor<2x5x3xf32>, tensor<2x5x12xf32>, tensor<2x5x12xf32>, tensor<2x4x3xf32>, tensor<12x3xf32>
  return
}
// -----
func.func @c5_gradient(%g: tensor<5x3xf32>, %h: tensor<2x5x3xf32>, %w: tensor<3x3xf32>) {
  // expected-error@+1 {{C5: the gradient is 5x3xf32, not 2x5x3xf32}}
  %d:2 = cutset.rnn_backward %g, %h, %w : tensor<5x3xf32>, tensor<2x5x3xf32>, tensor<3x3xf32>
  return
}
// -----
func.func @c6(%x: tensor<2x5x9xf32>, %p: tensor<2x5x3xf32>, %w: tensor<9x3xf32>) {
  // expected-error@+1 {{C6: the tensor of products is 2x5x3xf32, not 2x5x9xf32}}
  %d:3 = cutset.gru_backward %p, %x, %p, %p, %w : tensor<2x5x3xf32>, tensor<2x5x9xf32>, tensor<2x5x3xf32>, tensor<2x5x3xf32>, tensor<9x3xf32>
  return
}
