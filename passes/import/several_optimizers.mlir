// SPDX-License-Identifier: Apache-2.0
// Several functions that train: which results, values and assignments belong to each of them.
// RUN: cutset-opt %s --make-functions --split-input-file --verify-diagnostics | FileCheck %s
// RUN: cutset-opt %s --function=train_g --make-functions --split-input-file --verify-diagnostics | FileCheck %s --check-prefix=ONLY

// @train_d reads the statistics of both inputs, and @train_g only the one of %z. The statistic @m follows
// from the mean of %x, so only @train_d moves it. Both functions move @n, which follows from the mean of %z.
// The first operand of `when_training` is the value for both.
// CHECK-LABEL: module
module {
  cutset.variable @d : tensor<f32>
  cutset.variable @m : tensor<f32> frozen
  cutset.variable @n : tensor<f32> frozen
  // CHECK: func.func @evaluate(%{{.*}}: tensor<4xf32> {cutset.input = "z"}) -> (tensor<f32> {cutset.output = "y"})
  // CHECK-NOT: cutset.assign
  // CHECK: func.func @train_d(%{{.*}}: tensor<4xf32> {cutset.input = "x"}, %{{.*}}: tensor<4xf32> {cutset.input = "z"}) -> (tensor<f32> {cutset.minimize = {op = "sgd", variables = ["d"]}, cutset.output = "loss"})
  // CHECK: cutset.assign @m
  // CHECK-NEXT: cutset.assign @n
  // CHECK-NOT: cutset.assign
  // CHECK: func.func @train_g(%{{.*}}: tensor<4xf32> {cutset.input = "z"}) -> (tensor<f32> {cutset.minimize = {op = "adam"}, cutset.output = "loss"})
  // CHECK: cutset.neg
  // CHECK-NOT: cutset.assign @m
  // CHECK: cutset.assign @n
  // CHECK-NOT: func.func
  // ONLY-NOT: @train_d
  // ONLY: func.func @train_g
  // ONLY: cutset.assign @n
  // ONLY-NOT: cutset.assign
  func.func @graph(%x: tensor<4xf32> {cutset.input = "x"}, %z: tensor<4xf32> {cutset.input = "z"})
      -> (tensor<f32> {cutset.output = "y"},
          tensor<f32> {cutset.function = "train_d", cutset.minimize = {op = "sgd", variables = ["d"]}, cutset.output = "loss"},
          tensor<f32> {cutset.function = "train_g", cutset.minimize = {op = "adam"}, cutset.output = "loss"}) {
    %m = cutset.read @m : tensor<f32>
    %n = cutset.read @n : tensor<f32>
    %d = cutset.read @d : tensor<f32>
    %0 = cutset.reduce_sum %x : tensor<4xf32>
    %1 = cutset.reduce_sum %z : tensor<4xf32>
    %2 = cutset.sub %0, %1 : tensor<f32>, tensor<f32>
    %3 = cutset.mul %2, %d : tensor<f32>, tensor<f32>
    %4 = cutset.neg %1 : tensor<f32>
    %5 = cutset.when_training %4, %1 : tensor<f32>
    %6 = cutset.mul %5, %d : tensor<f32>, tensor<f32>
    %7 = cutset.add %m, %0 : tensor<f32>, tensor<f32>
    %8 = cutset.exp %1 : tensor<f32>
    %9 = cutset.add %n, %8 : tensor<f32>, tensor<f32>
    cutset.assign @m, %7 if_trained : tensor<f32>
    cutset.assign @n, %9 : tensor<f32>
    return %1, %3, %6 : tensor<f32>, tensor<f32>, tensor<f32>
  }
}
// -----
// An assignment that no function makes is an error.
module {
  cutset.variable @w : tensor<f32>
  cutset.variable @m : tensor<4xf32> frozen
  func.func @graph(%x: tensor<4xf32> {cutset.input = "x"}) -> (tensor<f32> {cutset.function = "train_g", cutset.minimize = {op = "adam"}, cutset.output = "loss"}) {
    %w = cutset.read @w : tensor<f32>
    // expected-error@+1 {{belongs to no function that trains}}
    cutset.assign @m, %x : tensor<4xf32>
    return %w : tensor<f32>
  }
}
// -----
module {
  // expected-error@+1 {{the function 'train' has several losses}}
  func.func @graph(%x: tensor<f32> {cutset.input = "x"}) -> (tensor<f32> {cutset.minimize = {op = "sgd"}, cutset.output = "a"}, tensor<f32> {cutset.minimize = {op = "sgd"}, cutset.output = "b"}) {
    return %x, %x : tensor<f32>, tensor<f32>
  }
}
// -----
module {
  // expected-error@+1 {{a function cannot be named "train", because minimize makes a function of this name}}
  func.func @graph(%x: tensor<f32> {cutset.input = "x"}) -> (tensor<f32> {cutset.minimize = {op = "sgd"}, cutset.output = "a"}, tensor<f32> {cutset.function = "train", cutset.output = "b"}) {
    return %x, %x : tensor<f32>, tensor<f32>
  }
}
// -----
module attributes {cutset.average = {decay = 0.9, functions = ["train_g"]}} {
  cutset.variable @w : tensor<f32>
  // expected-error@+1 {{names the function "train_g", which trains the variables}}
  func.func @graph() -> (tensor<f32> {cutset.function = "train_g", cutset.minimize = {op = "sgd"}, cutset.output = "loss"}) {
    %w = cutset.read @w : tensor<f32>
    return %w : tensor<f32>
  }
}
// -----
module {
  // expected-error@+1 {{the attribute 'cutset.minimize' is}}
  func.func @graph(%x: tensor<f32>) -> (tensor<f32> {cutset.minimize = {groups = [{name = "a"}]}}) {
    return %x : tensor<f32>
  }
}
