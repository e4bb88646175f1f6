// SPDX-License-Identifier: Apache-2.0
// Several functions that train: which results, values and assignments belong to each of them.
// RUN: cutset-opt %s --make-functions --split-input-file --verify-diagnostics | FileCheck %s
// RUN: cutset-opt %s --function=train_g --make-functions --split-input-file --verify-diagnostics | FileCheck %s --check-prefix=ONLY

// @train_d needs both values with which @m moves, so it moves @m twice, one after the other. @train_g needs
// the second value. @n names its function. The first operand of `when_training` is the value for both
// functions.
// CHECK-LABEL: module
module {
  cutset.variable @d : tensor<f32>
  cutset.variable @m : tensor<f32> frozen
  cutset.variable @n : tensor<f32> frozen
  // CHECK: func.func @evaluate(%{{.*}}: tensor<4xf32> {cutset.input = "z"}) -> (tensor<f32> {cutset.output = "y"})
  // CHECK-NOT: cutset.assign
  // CHECK: func.func @train_d(%[[X:.*]]: tensor<4xf32> {cutset.input = "x"}, %[[Z:.*]]: tensor<4xf32> {cutset.input = "z"}) -> (tensor<f32> {cutset.minimize = {op = "sgd", variables = ["d"]}, cutset.output = "loss"})
  // CHECK: %[[M:.*]] = cutset.read @m
  // CHECK-DAG: %[[SX:.*]] = cutset.reduce_sum %[[X]]
  // CHECK-DAG: %[[SZ:.*]] = cutset.reduce_sum %[[Z]]
  // CHECK: %[[ONCE:.*]] = cutset.add %[[M]], %[[SX]]
  // CHECK: %[[TWICE:.*]] = cutset.add %[[ONCE]], %[[SZ]]
  // CHECK: cutset.assign @m, %[[TWICE]] : tensor<f32>
  // CHECK-NOT: cutset.assign
  // CHECK: func.func @train_g(%[[Z:.*]]: tensor<4xf32> {cutset.input = "z"}) -> (tensor<f32> {cutset.minimize = {op = "adam"}, cutset.output = "loss"})
  // CHECK-DAG: %[[M:.*]] = cutset.read @m
  // CHECK-DAG: %[[SZ:.*]] = cutset.reduce_sum %[[Z]]
  // CHECK: %[[ONCE:.*]] = cutset.add %[[M]], %[[SZ]]
  // CHECK: cutset.assign @m, %[[ONCE]] : tensor<f32>
  // CHECK: cutset.assign @n, %{{.*}} : tensor<f32>
  // CHECK-NOT: func.func
  // ONLY-NOT: @train_d
  // ONLY: func.func @train_g
  // ONLY: cutset.assign @m
  // ONLY: cutset.assign @n
  func.func @graph(%x: tensor<4xf32> {cutset.input = "x"}, %z: tensor<4xf32> {cutset.input = "z"})
      -> (tensor<f32> {cutset.output = "y"},
          tensor<f32> {cutset.function = "train_d", cutset.minimize = {op = "sgd", variables = ["d"]}, cutset.output = "loss"},
          tensor<f32> {cutset.function = "train_g", cutset.minimize = {op = "adam"}, cutset.output = "loss"}) {
    %m = cutset.read @m : tensor<f32>
    %n = cutset.read @n : tensor<f32>
    %d = cutset.read @d : tensor<f32>
    %0 = cutset.reduce_sum %x : tensor<4xf32>
    %1 = cutset.reduce_sum %z : tensor<4xf32>
    %2 = cutset.neg %0 : tensor<f32>
    %3 = cutset.when_training %2, %m : tensor<f32>
    %4 = cutset.neg %1 : tensor<f32>
    %5 = cutset.when_training %4, %m : tensor<f32>
    %6 = cutset.mul %3, %d : tensor<f32>, tensor<f32>
    %7 = cutset.mul %5, %d : tensor<f32>, tensor<f32>
    %8 = cutset.add %6, %7 : tensor<f32>, tensor<f32>
    %9 = cutset.add %m, %0 : tensor<f32>, tensor<f32>
    cutset.assign @m, %9 with %2 : tensor<f32> : tensor<f32>
    %10 = cutset.add %m, %1 : tensor<f32>, tensor<f32>
    cutset.assign @m, %10 with %4 : tensor<f32> : tensor<f32>
    %11 = cutset.add %n, %n : tensor<f32>, tensor<f32>
    cutset.assign @n, %11 in "train_g" : tensor<f32>
    return %1, %8, %7 : tensor<f32>, tensor<f32>, tensor<f32>
  }
}
// -----
// An assignment of a function that minimize does not make is an error.
module {
  cutset.variable @w : tensor<f32>
  cutset.variable @m : tensor<4xf32> frozen
  func.func @graph(%x: tensor<4xf32> {cutset.input = "x"}) -> (tensor<f32> {cutset.function = "train_g", cutset.minimize = {op = "adam"}, cutset.output = "loss"}) {
    %w = cutset.read @w : tensor<f32>
    // expected-error@+1 {{takes effect in 'train', which this graph does not have (name the function}}
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
