include "ir/dialect/base.td"

def Cutset_SoftmaxCrossEntropyOp : Compute<"softmax_cross_entropy"> {
  let summary = "-log softmax(logits)[label] of each row; NaN where the label is not a class";
  let inputs = (ins AnyRankedTensor:$logits, AnyRankedTensor:$labels);
  let constraints = ["C1: logits have rank 2, one class or more, and a floating-point type", "C2: labels have rank 1 and type i32, i64 or u8",
                     "C3: there is one label a row"];
}
def Cutset_SoftmaxCrossEntropyBackwardOp : NotDifferentiable<"softmax_cross_entropy_backward"> {
  let summary = "gradient of softmax_cross_entropy for the logits: (softmax - one_hot) * gradient of the row";
  let inputs = (ins AnyRankedTensor:$gradient, AnyRankedTensor:$logits, AnyRankedTensor:$labels);
  let constraints = ["C1 to C3: as softmax_cross_entropy", "C4: the gradient has one element a row"];
}
