// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK: cutset.variable @w : tensor<4xf32>
cutset.variable @w : tensor<4xf32>
// CHECK-LABEL: @step
func.func @step(%x: tensor<4xf32>) {
  // CHECK: cutset.read @w : tensor<4xf32>
  %w = cutset.read @w : tensor<4xf32>
  %s = cutset.add_n %x, %w : tensor<4xf32>, tensor<4xf32>
  // CHECK: cutset.assign @w
  cutset.assign @w, %s : tensor<4xf32>
  return
}
// -----
func.func @c1() {
  // expected-error@+1 {{C1: @w is not a variable}}
  %w = cutset.read @w : tensor<4xf32>
  return
}
// -----
cutset.variable @w : tensor<4xf32>
func.func @c2() {
  // expected-error@+1 {{C2: has type}}
  %w = cutset.read @w : tensor<5xf32>
  return
}
// -----
cutset.variable @w : tensor<4xf32>
func.func @c3(%x: tensor<4xf32>) {
  cutset.assign @w, %x : tensor<4xf32>
  // expected-error@+1 {{C3: @w is assigned twice in one step}}
  cutset.assign @w, %x : tensor<4xf32>
  return
}
// -----
cutset.variable @v : tensor<4xf32>
cutset.variable @w : tensor<4xf32>
func.func @assign_c3_among_others(%x: tensor<4xf32>) {
  cutset.assign @v, %x : tensor<4xf32>
  cutset.assign @w, %x : tensor<4xf32>
  cutset.assign @w, %x replica 1 : tensor<4xf32>
  %0 = cutset.neg %x id 1 : tensor<4xf32>
  // expected-error@+1 {{C3: @w is assigned twice in one step}}
  cutset.assign @w, %0 replica 1 : tensor<4xf32>
  cutset.assign @w, %0 replica 2 : tensor<4xf32>
  return
}
// -----
func.func @constant_c1() {
  // expected-error@+1 {{C1: the constant has 1028 bytes; the limit is 1024 bytes (store a larger value in a variable)}}
  %c = cutset.constant dense<0.0> : tensor<257xf32>
  return
}
// -----
func.func private @role(tensor<4xf32>) -> tensor<4xf32>
cutset.schedule @s for "train" on "cpu:0" {
  %x = cutset.recv from "sim:0" channel 1 : tensor<5xf32>
  // expected-error@+1 {{C2: the types of the operands and results do not match the types of @role}}
  %y = cutset.call @role(%x) : (tensor<5xf32>) -> tensor<4xf32>
}
// -----
// The elements of a frame are separate arguments and results of the role.
func.func private @role(tensor<4xf32>, tensor<2xi32>, tensor<f32>) -> (tensor<f32>, tensor<3xf32>)
cutset.schedule @s for "train" on "cpu:0" {
  %x = cutset.recv from "sim:0" channel 1 : tensor<f32>
  %f = cutset.call @made(%x) shard 0 : (tensor<f32>) -> tuple<tensor<4xf32>, tensor<2xi32>>
  %y = cutset.call @role(%f, %x) shard 0 : (tuple<tensor<4xf32>, tensor<2xi32>>, tensor<f32>) -> tuple<tensor<f32>, tensor<3xf32>>
  %a, %b = cutset.unpack %y : tuple<tensor<f32>, tensor<3xf32>> -> tensor<f32>, tensor<3xf32>
}
func.func private @made(tensor<f32>) -> (tensor<4xf32>, tensor<2xi32>)
// -----
func.func private @role(tensor<4xf32>, tensor<f32>) -> tensor<f32>
func.func private @made(tensor<f32>) -> (tensor<f32>, tensor<4xf32>)
cutset.schedule @s for "train" on "cpu:0" {
  %x = cutset.recv from "sim:0" channel 1 : tensor<f32>
  %f = cutset.call @made(%x) shard 0 : (tensor<f32>) -> tuple<tensor<f32>, tensor<4xf32>>
  // expected-error@+1 {{C2: the types of the operands and results do not match the types of @role}}
  %y = cutset.call @role(%f) shard 0 : (tuple<tensor<f32>, tensor<4xf32>>) -> tensor<f32>
}
// -----
func.func private @role(tensor<4xf32>, tensor<f32>) -> tensor<f32>
func.func private @made(tensor<f32>) -> tensor<4xf32>
cutset.schedule @s for "train" on "cpu:0" {
  %x = cutset.recv from "sim:0" channel 1 : tensor<f32>
  %f = cutset.call @made(%x) shard 0 : (tensor<f32>) -> tuple<tensor<4xf32>>
  // expected-error@+1 {{C2: the types of the operands and results do not match the types of @role}}
  %y = cutset.call @role(%f) shard 0 : (tuple<tensor<4xf32>>) -> tensor<f32>
}
// -----
func.func private @made(tensor<f32>) -> (tensor<f32>, tensor<4xf32>)
cutset.schedule @s for "train" on "cpu:0" {
  %x = cutset.recv from "sim:0" channel 1 : tensor<f32>
  // expected-error@+1 {{C3: takes or returns a frame, and has no shard}}
  %f = cutset.call @made(%x) : (tensor<f32>) -> tuple<tensor<f32>, tensor<4xf32>>
}
// -----
func.func private @made(tensor<f32>) -> (tensor<f32>, tensor<4xf32>)
cutset.schedule @s for "train" on "cpu:0" {
  %x = cutset.recv from "sim:0" channel 1 : tensor<f32>
  %f = cutset.call @made(%x) shard 0 : (tensor<f32>) -> tuple<tensor<f32>, tensor<4xf32>>
  // expected-error@+1 {{C1: the results do not have the types of the elements}}
  %a = cutset.unpack %f : tuple<tensor<f32>, tensor<4xf32>> -> tensor<f32>
}
// -----
func.func private @made(tensor<f32>) -> (tensor<f32>, tensor<4xi4>)
cutset.schedule @s for "train" on "cpu:0" {
  %x = cutset.recv from "sim:0" channel 1 : tensor<f32>
  // expected-error@+1 {{i4}}
  %f = cutset.call @made(%x) shard 0 : (tensor<f32>) -> tuple<tensor<f32>, tensor<4xi4>>
}
// -----
// expected-error@+1 {{C1: has 0 homes; it must have one per replica, and there are 1 to 4096 replicas}}
cutset.variable @w : tensor<4xf32> home []
// -----
// expected-error@+1 {{C2: the name of the device is empty}}
cutset.variable @w : tensor<4xf32> home ["reference:0", ""]
// -----
// expected-error@+1 {{too large}}
cutset.variable @w : tensor<4611686018427387904xf32>
// -----
cutset.variable @w : tensor<4xf32>
func.func @read_c4() {
  // expected-error@+1 {{C4: belongs to replica -1, which is not from 0 to 4095}}
  %w = cutset.read @w replica -1 : tensor<4xf32>
  return
}
// -----
cutset.variable @w : tensor<4xf32>
func.func @assign_c4(%x: tensor<4xf32>) {
  // expected-error@+1 {{C4: belongs to replica 4096}}
  cutset.assign @w, %x replica 4096 : tensor<4xf32>
  return
}
// -----
func.func @placement_share(%x: tensor<4xf32>) {
  // expected-error@+1 {{belongs to replica -1}}
  %y = cutset.scale %x <{factor = 2.0}> replica -1 id 1 : tensor<4xf32>
  return
}
// -----
func.func @placement_device(%x: tensor<4xf32>) {
  // expected-error@+1 {{is placed on a device without a name}}
  %y = cutset.scale %x <{factor = 2.0}> on "" because "user" id 1 : tensor<4xf32>
  return
}
// -----
func.func @placement_id(%x: tensor<4xf32>) {
  // expected-error@+1 {{has the id 9223372036854775807}}
  %y = cutset.scale %x <{factor = 2.0}> id 9223372036854775807 : tensor<4xf32>
  return
}
// -----
func.func @all_reduce_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{C1: the shards -1 to 0 are not from 0 to 2147483647}}
  %y = cutset.all_reduce %x shards [-1, 0] : tensor<4xf32> -> tensor<4xf32>
  return
}
// -----
cutset.schedule @s for "train" on "cpu:0" {
  // expected-error@+1 {{C1: the channel is -1, which is not from 0 to 16777215}}
  %x = cutset.recv from "sim:0" channel -1 : tensor<4xf32>
}
// -----
cutset.schedule @s for "train" on "cpu:0" {
  %x = cutset.recv from "sim:0" channel 1 : tensor<4xf32>
  // expected-error@+1 {{C2: the name of the device is empty}}
  cutset.send %x to "" channel 0 : tensor<4xf32>
}
// -----
func.func private @role(tensor<4xf32>) -> tensor<4xf32>
cutset.schedule @s for "train" on "cpu:0" {
  %x = cutset.recv from "sim:0" channel 1 : tensor<4xf32>
  // expected-error@+1 {{C1: the range of shards from 3 to 3 must be a range with 0 <= shard < end < 2^31}}
  %y = cutset.call @role(%x) shard 3 to 3 : (tensor<4xf32>) -> tensor<4xf32>
}
// -----
cutset.schedule @s for "train" on "cpu:0" {
  %x = cutset.recv from "sim:0" channel 1 : tensor<4xf32>
  // expected-error@+1 {{C4: 'shards' must be a range [first, last) with 0 <= first < last < 2^31}}
  cutset.all_reduce_start %x collective 0 shards [1, 1] : tensor<4xf32>
}
// -----
cutset.schedule @s for "train" on "cpu:0" {
  // expected-error@+1 {{C3: waits for no tensor}}
  "cutset.all_reduce_wait"() <{collective = 0 : i64}> : () -> ()
}
// -----
// expected-error@+1 {{the attribute 'cutset.replicas' is 0 : i64; it must be a 64-bit integer from 1 to 4096}}
module attributes {cutset.replicas = 0 : i64} {}
// -----
// expected-error@+1 {{the attribute 'cutset.shares' is array<f64: 1.000000e+00, -1.000000e+00>; it must be a list of f64 numbers from 0 to 1e9}}
module attributes {cutset.shares = array<f64: 1.0, -1.0>} {}
// -----
// expected-error@+1 {{the attribute 'cutset.input' is 3 : i64; it must be a string}}
func.func @input(%x: tensor<4xf32> {cutset.input = 3}) { return }
// -----
// expected-error@+1 {{the attribute 'cutset.start' is -1 : i64; it must be a 64-bit integer that is not negative}}
func.func @start(%x: tensor<4xf32>) -> (tensor<4xf32> {cutset.start = -1 : i64}) { return %x : tensor<4xf32> }
// -----
// expected-error@+1 {{the attribute 'cutset.inputs' is [1]; it must be a list of strings}}
module attributes {cutset.inputs = [1]} {}
// -----
// expected-error@+1 {{the attribute 'cutset.devices' is "cpu:0"; it must be a list of strings}}
module attributes {cutset.devices = "cpu:0"} {}
// -----
// expected-error@+1 {{the attribute 'cutset.next_id' is -1 : i64; it must be a 64-bit integer that is not negative}}
module attributes {cutset.next_id = -1 : i64} {}
// -----
// expected-error@+1 {{the attribute 'cutset.hyper_parameter' is 3 : i64; it must be an f64 number}}
func.func @hyper_parameter(%x: tensor<f32> {cutset.hyper_parameter = 3}) { return }
// -----
// expected-error@+1 {{the attribute 'cutset.step' is "x"; it must be a unit attribute}}
func.func @step(%x: tensor<i64> {cutset.step = "x"}) { return }
// -----
cutset.schedule @s for "train" on "cpu:0" {
  // expected-error@+1 {{C1: there is no dimension 2}}
  %x = cutset.input "x" along 2 : tensor<2x2xf32>
}
// -----
cutset.schedule @s for "train" on "cpu:0" {
  %x = cutset.input "x" : tensor<f32>
  // expected-error@+1 {{C1: there is no dimension -1}}
  cutset.output %x "y" along -1 : tensor<f32>
}
