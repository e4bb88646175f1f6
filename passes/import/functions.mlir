// RUN: cutset-opt %s --functions | FileCheck %s

// CHECK: func.func @train(%{{.*}}: tensor<4xf32> {cutset.input = "x"}) -> (tensor<f32> {cutset.output = "loss"})
// CHECK: cutset.relu {{.*}} id 5
// CHECK: cutset.reduce_sum {{.*}} id 6
// CHECK: func.func @evaluate(%{{.*}}) -> (tensor<4xf32> {cutset.output = "y"}, tensor<f32> {cutset.output = "loss"})
// CHECK: cutset.relu {{.*}} id 5
// CHECK: cutset.reduce_sum {{.*}} id 6
module attributes {cutset.loss = "loss"} {
  func.func @graph(%x: tensor<4xf32> {cutset.input = "x"}) -> (tensor<4xf32> {cutset.output = "y"}, tensor<f32> {cutset.output = "loss"}) {
    %0 = cutset.relu %x id 5 : tensor<4xf32>
    %1 = cutset.reduce_sum %0 : tensor<4xf32>
    return %0, %1 : tensor<4xf32>, tensor<f32>
  }
}
