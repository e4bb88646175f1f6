// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --differentiate --canonicalise --split-input-file --verify-diagnostics | FileCheck %s
// RUN: cutset-opt %s --gradients --differentiate --canonicalise --split-input-file --verify-diagnostics | FileCheck %s --check-prefix=YIELD

module {
  // CHECK: cutset.variable @"w/velocity" : tensor<4xf32> state_of @w
  // CHECK: cutset.variable @w : tensor<4xf32>
  cutset.variable @w : tensor<4xf32>
  // The hyper-parameters of the optimizer are scalar arguments that the session feeds.
  // CHECK: func.func @train(%{{.*}}, %[[RATE:.*]]: tensor<f32> {cutset.hyper_parameter = 1.000000e-01 : f64, cutset.input = "learning_rate"}, %[[MOMENTUM:.*]]: tensor<f32> {cutset.hyper_parameter = 9.000000e-01 : f64, cutset.input = "momentum"})
  // YIELD: func.func @train({{.*}}) -> (tensor<f32> {cutset.output = "loss"}, tensor<4xf32> {cutset.gradient, cutset.output = "gradient:w"})
  func.func @train(%x: tensor<4xf32> {cutset.input = "x"}) -> (tensor<f32> {cutset.minimize = {op = "sgd", learning_rate = 0.1, momentum = 0.9}, cutset.output = "loss"}) {
    %w = cutset.read @w : tensor<4xf32>
    // A backward op has the placement and the id of its forward op.
    // CHECK: %[[Y:.*]] = cutset.tanh {{.*}} on "cpu:0" because "user" id 2
    // CHECK: cutset.expand {{.*}} id 4
    // CHECK: cutset.mul {{.*}} id 3
    // CHECK: %[[G1:.*]] = cutset.mul {{.*}} id 3
    // CHECK: cutset.tanh_backward {{.*}}, %[[Y]] on "cpu:0" because "user" id 2
    // CHECK: cutset.mul {{.*}} id 1
    // The variable is used twice, so its gradient is a sum. The first summand belongs to the last use.
    // The sum has the id of the update, so that it is placed with the variable.
    // CHECK: %[[G:.*]] = cutset.add_n %[[G1]], {{.*}} id 5
    // CHECK: %new_variable, %new_velocity = cutset.sgd {{.*}}, %[[G]], %[[RATE]], %[[MOMENTUM]] id 5
    // CHECK: cutset.assign @w, %new_variable
    // CHECK: cutset.assign @"w/velocity", %new_velocity
    %0 = cutset.mul %w, %x id 1 : tensor<4xf32>, tensor<4xf32>
    %1 = cutset.tanh %0 on "cpu:0" because "user" id 2 : tensor<4xf32>
    %2 = cutset.mul %1, %w id 3 : tensor<4xf32>, tensor<4xf32>
    %3 = cutset.reduce_sum %2 id 4 : tensor<4xf32>
    return %3 : tensor<f32>
  }
}
// -----
module {
  cutset.variable @w : tensor<4xf32>
  func.func @train() -> (tensor<4xf32> {cutset.minimize = {op = "sgd", learning_rate = 0.1}, cutset.output = "loss"}) {
    %w = cutset.read @w : tensor<4xf32>
    // expected-error@+1 {{it must be a scalar of a floating-point type}}
    %0 = cutset.relu %w id 1 : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
// -----
module {
  cutset.variable @w : tensor<4xf32>
  func.func @train() -> (tensor<f32> {cutset.minimize = {op = "sgd", learning_rate = 0.1}, cutset.output = "loss"}) {
    %w = cutset.read @w : tensor<4xf32>
    // expected-error@+1 {{is not differentiable, and the loss depends on a variable through it}}
    %0 = cutset.tanh_backward %w, %w id 1 : tensor<4xf32>, tensor<4xf32>
    %1 = cutset.reduce_sum %0 id 2 : tensor<4xf32>
    return %1 : tensor<f32>
  }
}
// -----
// A frozen variable has no gradient. An op that depends only on frozen variables needs no gradient rule.
module {
  cutset.variable @w : tensor<4xf32>
  // CHECK-NOT: "fixed/velocity"
  // CHECK: cutset.variable @fixed : tensor<4xf32> frozen
  cutset.variable @fixed : tensor<4xf32> frozen
  // CHECK: func.func @train
  // CHECK-SAME: -> (tensor<4xf32> {cutset.output = "y"}, tensor<f32> {cutset.output = "loss"})
  func.func @train() -> (tensor<4xf32> {cutset.output = "y"}, tensor<f32> {cutset.minimize = {op = "sgd", learning_rate = 0.1, momentum = 0.0}, cutset.output = "loss"}) {
    %w = cutset.read @w : tensor<4xf32>
    %f = cutset.read @fixed : tensor<4xf32>
    %0 = cutset.tanh_backward %f, %f id 1 : tensor<4xf32>, tensor<4xf32>
    %1 = cutset.mul %0, %w id 2 : tensor<4xf32>, tensor<4xf32>
    %2 = cutset.reduce_sum %1 id 3 : tensor<4xf32>
    // CHECK-NOT: cutset.assign @fixed
    // CHECK: cutset.assign @w
    // CHECK-NOT: cutset.assign @fixed
    return %0, %2 : tensor<4xf32>, tensor<f32>
  }
}
// -----
module {
  cutset.variable @fixed : tensor<4xf32> frozen
  func.func @train() -> (tensor<f32> {cutset.minimize = {op = "sgd", learning_rate = 0.1, momentum = 0.0}, cutset.output = "loss"}) {
    %f = cutset.read @fixed : tensor<4xf32>
    // expected-error@+1 {{minimize trains nothing: the loss depends on no trainable variable}}
    %0 = cutset.reduce_sum %f id 1 : tensor<4xf32>
    return %0 : tensor<f32>
  }
}
// -----
module {
  cutset.variable @w : tensor<f32>
  func.func @train() -> (tensor<f32> {cutset.minimize = {op = "sgd", learning_rate = 0.1, momentum = 0.0}, cutset.output = "loss"}) {
    %w = cutset.read @w : tensor<f32>
    // expected-error@+1 {{sets the variable 'w', which minimize trains in the same step}}
    cutset.assign @w, %w : tensor<f32>
    %0 = cutset.tanh %w id 1 : tensor<f32>
    return %0 : tensor<f32>
  }
}
// -----
module {
  cutset.variable @w : tensor<f32>
  // expected-error@+1 {{variable 'w/velocity' has the name of the velocity that the optimizer 'sgd' keeps of variable 'w'; give it another name}}
  cutset.variable @"w/velocity" : tensor<f32>
  func.func @train() -> (tensor<f32> {cutset.minimize = {op = "sgd", learning_rate = 0.1, momentum = 0.0}, cutset.output = "loss"}) {
    %w = cutset.read @w : tensor<f32>
    %0 = cutset.tanh %w id 1 : tensor<f32>
    return %0 : tensor<f32>
  }
}
// -----
module {
  cutset.variable @w : tensor<f32>
  // expected-error@+1 {{the optimizer 'sgd' has no 'momentum'}}
  func.func @train() -> (tensor<f32> {cutset.minimize = {op = "sgd", learning_rate = 0.1}, cutset.output = "loss"}) {
    %w = cutset.read @w : tensor<f32>
    %0 = cutset.tanh %w id 1 : tensor<f32>
    return %0 : tensor<f32>
  }
}
// -----
// The sum of the gradients of %h belongs to its first reader. Another device computes %h, so one tensor is
// sent to it.
module {
  cutset.variable @w : tensor<4xf32>
  func.func @train(%x: tensor<4xf32> {cutset.input = "x"}) -> (tensor<f32> {cutset.minimize = {op = "sgd", learning_rate = 0.1, momentum = 0.0}, cutset.output = "loss"}) {
    %w = cutset.read @w : tensor<4xf32>
    %h = cutset.mul %w, %x on "cpu:0" because "user" id 1 : tensor<4xf32>, tensor<4xf32>
    %t = cutset.tanh %h on "cpu:1" because "user" id 2 : tensor<4xf32>
    %y = cutset.add %h, %t on "sim:0" because "user" id 3 : tensor<4xf32>, tensor<4xf32>
    // CHECK: %[[T:.*]] = cutset.tanh_backward {{.*}} on "cpu:1" because "user" id 2
    // CHECK: %[[SUM:.*]] = cutset.add_n %{{.*}}, %[[T]] on "cpu:1" because "user" id 2
    // CHECK: cutset.mul %[[SUM]], %{{.*}} on "cpu:0" because "user" id 1
    %loss = cutset.reduce_sum %y on "sim:0" because "user" id 4 : tensor<4xf32>
    return %loss : tensor<f32>
  }
}
// -----
// A view with the type of its operand only changes gradients, so it is removed from all functions when they
// are built.
module {
  cutset.variable @v : tensor<4xf32>
  // CHECK-LABEL: func.func @evaluate
  // CHECK-NOT: cutset.detach
  // CHECK: cutset.reshape
  func.func @evaluate(%x: tensor<4xf32> {cutset.input = "x"}) -> (tensor<2x2xf32> {cutset.output = "y"}) {
    %0 = cutset.detach %x id 1 : tensor<4xf32>
    %1 = cutset.reshape %0 <{shape = array<i64: 2, 2>}> id 2 : tensor<4xf32>
    return %1 : tensor<2x2xf32>
  }
  // CHECK-LABEL: func.func @train
  // CHECK-NOT: cutset.detach
  // CHECK: cutset.where
  // CHECK-NOT: cutset.detach
  func.func @train(%c: tensor<i1> {cutset.input = "c"}) -> (tensor<f32> {cutset.minimize = {op = "sgd", learning_rate = 0.1, momentum = 0.9}, cutset.output = "loss"}) {
    %v = cutset.read @v : tensor<4xf32>
    %0 = cutset.detach %v, %c id 1 : tensor<4xf32>, tensor<i1>
    %1 = cutset.mul %0, %0 id 2 : tensor<4xf32>, tensor<4xf32>
    %2 = cutset.reduce_sum %1 id 3 : tensor<4xf32>
    return %2 : tensor<f32>
  }
}
