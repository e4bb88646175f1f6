// RUN: cutset-opt %s --devices=reference:0 --strategy="pipeline(1,micro_batches=2)" --split-input-file --split --verify-diagnostics

func.func @evaluate(%x: tensor<6xf32> {cutset.input = "x"}) -> (tensor<f32> {cutset.output = "y"}) {
  %a = cutset.exp %x id 1 : tensor<6xf32>
  // expected-error@+1 {{needs the rows of all micro-batches at once, and the rows are computed by 'exp'}}
  %y = cutset.reduce_max %a id 2 : tensor<6xf32>
  return %y : tensor<f32>
}

// -----

func.func @evaluate(%x: tensor<6xf32> {cutset.input = "x"}, %m: tensor<6xf32> {cutset.input = "m", cutset.batch_dimension = -1 : i64}) -> (tensor<6xf32> {cutset.output = "y"}) {
  // expected-error@+1 {{needs the rows of one micro-batch of an input without a batch}}
  %y = cutset.mul %x, %m id 1 : tensor<6xf32>, tensor<6xf32>
  return %y : tensor<6xf32>
}

// -----

// The elements of a shard along the second dimension have gaps, so they are not drawn on their own.
func.func @evaluate(%x: tensor<3x6xf32> {cutset.input = "x", cutset.batch_dimension = 1 : i64}, %step: tensor<i64> {cutset.input = "cutset.step", cutset.step}) -> (tensor<3x6xf32> {cutset.output = "y"}) {
  %u = cutset.random_uniform %x, %step <{seed = 1 : i64, stream = 2 : i64}> id 1 : tensor<3x6xf32>, tensor<i64>
  // expected-error@+1 {{needs the rows of one micro-batch of a value that 'random_uniform' (micro_batches_refused.mlir:}}
  %y = cutset.mul %x, %u id 2 : tensor<3x6xf32>, tensor<3x6xf32>
  return %y : tensor<3x6xf32>
}
