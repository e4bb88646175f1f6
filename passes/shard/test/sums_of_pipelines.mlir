// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --devices=cpu:0,cpu:1 --strategy="pipeline(1, micro_batches=2) * tensor(2)" --shard | FileCheck %s --check-prefix=TWO
// RUN: cutset-opt %s --devices=cpu:0,cpu:1,cpu:2 --strategy="pipeline(1, micro_batches=2) * tensor(3)" --shard | FileCheck %s --check-prefix=THREE
// RUN: cutset-opt %s --devices=cpu:0,cpu:1,cpu:2 --strategy="tensor(3)" --shard | FileCheck %s --check-prefix=STEP

// The devices of a tensor axis do not reach a micro-batch at the same time, so no all_reduce adds their
// partial sums. Two devices add both sums; only the copy of the first device is read here. More devices add
// and gather pieces.
// TWO-NOT: all_reduce
// THREE-NOT: all_reduce
// STEP: cutset.all_reduce
cutset.variable @a : tensor<512x2048xf32>
cutset.variable @b : tensor<2048x513xf32>
func.func @evaluate(%x: tensor<256x512xf32> {cutset.input = "x"}) -> (tensor<256x513xf32> {cutset.output = "y"}) {
  %a = cutset.read @a : tensor<512x2048xf32>
  %b = cutset.read @b : tensor<2048x513xf32>
  %0 = cutset.matmul %x, %a id 1 : tensor<256x512xf32>, tensor<512x2048xf32>
  %1 = cutset.relu %0 id 2 : tensor<256x2048xf32>
  // TWO: %[[P0:.*]] = cutset.matmul {{.*}}piece [-2,
  // TWO: %[[P1:.*]] = cutset.matmul {{.*}}piece [-2,
  // TWO: %[[S0:.*]] = cutset.add_n %[[P0]], %[[P1]] id 3
  // TWO: cutset.softmax %[[S0]]
  // THREE-COUNT-3: cutset.matmul {{.*}}piece [-2,
  // THREE: cutset.slice {{.*}}axis = 1 : i64, length = 171
  // THREE: cutset.add_n {{.*}}tensor<256x171xf32>
  // THREE: cutset.concat {{.*}}tensor<256x171xf32>, tensor<256x171xf32>, tensor<256x171xf32>
  // THREE: cutset.softmax
  %2 = cutset.matmul %1, %b id 3 : tensor<256x2048xf32>, tensor<2048x513xf32>
  %3 = cutset.softmax %2 id 4 : tensor<256x513xf32>
  return %3 : tensor<256x513xf32>
}
