// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

def Cutset_SoftmaxCrossEntropyOp : Compute<"softmax_cross_entropy"> {
  let summary = "Cross-entropy of each row of logits and its label: -log(softmax(logits)[label]); NaN if "
                "the label is not the index of a class";
  let inputs = (ins AnyRankedTensor:$logits, AnyRankedTensor:$labels);
  let constraints = ["C1: the logits have rank 2, one class or more, and a floating-point type",
                     "C2: the labels have rank 1 and type i32, i64 or u8",
                         "C3: there is one label per row of logits"];
  let returns = "one element per row of logits; the element type of the logits";
  let example = [{%losses = cutset.softmax_cross_entropy %logits, %labels : tensor<64x10xf32>, tensor<64xi32>}];
}
def Cutset_SoftmaxCrossEntropyBackwardOp : NotDifferentiable<"softmax_cross_entropy_backward"> {
  let builderNamespace = "cutset::ops";
  let summary = "Gradient of softmax_cross_entropy for the logits: (softmax(logits) - one_hot(label)) * "
                "gradient in each row";
  let inputs = (ins AnyRankedTensor:$gradient, AnyRankedTensor:$logits, AnyRankedTensor:$labels);
  let constraints = ["C1 to C3: as for softmax_cross_entropy",
                     "C4: the gradient has one element per row and the element type of the logits"];
  let returns = "the shape and element type of the logits";
  let example = [{%d = cutset.softmax_cross_entropy_backward %g, %logits, %labels
                  : tensor<64xf32>, tensor<64x10xf32>, tensor<64xi32>}];
}
