include "ir/dialect/base.td"

// The families of elementwise ops. A new op needs one line in each of four files: this one, elementwise_bodies.inc,
// elementwise_rewrite.cc (its gradient) and elementwise_cases.cc (its test problems).
class Unary<string name> : Compute<name> {
  let family = "unary";
  let inputs = (ins AnyRankedTensor:$x);
  let constraints = ["C1: x has a floating-point type"];
  let returns = "the shape and element type of x";
  let example = "%y = cutset." # name # " %x : tensor<64x500xf32>";
}
class Binary<string name> : Compute<name> {
  let family = "binary";
  let inputs = (ins AnyRankedTensor:$x, AnyRankedTensor:$y);
  let constraints = ["C1: x and y have the same numeric type",
                     "C2: the shapes of x and y broadcast by the rules of NumPy"];
  let returns = "the broadcast shape of x and y; their element type";
  let example = "%z = cutset." # name # " %x, %y : tensor<64x500xf32>, tensor<500xf32>";
}
class FloatBinary<string name, bit differentiable = 1> : Compute<name, [], differentiable> {
  let family = "float_binary";
  let inputs = (ins AnyRankedTensor:$x, AnyRankedTensor:$y);
  let constraints = ["C1: x and y have the same floating-point type",
                     "C2: the shapes of x and y broadcast by the rules of NumPy"];
  let returns = "the broadcast shape of x and y; their element type";
  let example = "%z = cutset." # name # " %x, %y : tensor<64x500xf32>, tensor<64x500xf32>";
}
class Comparison<string name> : NotDifferentiable<name> {
  let family = "comparison";
  let inputs = (ins AnyRankedTensor:$x, AnyRankedTensor:$y);
  let constraints = ["C1: x and y have the same type", "C2: the shapes of x and y broadcast by the rules of NumPy"];
  let returns = "the broadcast shape of x and y; element type i1";
  let example = "%z = cutset." # name # " %x, %y : tensor<64x500xf32>, tensor<f32>";
}

def Cutset_NegOp : Unary<"neg"> { let summary = "Negative of each element: -x"; }
def Cutset_ExpOp : Unary<"exp"> { let summary = "Exponential of each element: e to the power of x"; }
def Cutset_LogOp : Unary<"log"> {
  let summary = "Natural logarithm of each element; -infinity for 0 and NaN for a negative number";
}
def Cutset_SqrtOp : Unary<"sqrt"> { let summary = "Square root of each element; NaN for a negative number"; }
def Cutset_TanhOp : Unary<"tanh"> { let summary = "Hyperbolic tangent of each element"; }
def Cutset_SigmoidOp : Unary<"sigmoid"> { let summary = "Logistic function of each element: 1 / (1 + exp(-x))"; }
def Cutset_ReluOp : Unary<"relu"> {
  let summary = "Larger of each element and 0; NaN stays NaN, and the gradient at 0 is 0";
}

def Cutset_AddOp : Binary<"add"> { let summary = "Sum x + y, element by element"; }
def Cutset_SubOp : Binary<"sub"> { let summary = "Difference x - y, element by element"; }
def Cutset_MulOp : Binary<"mul"> { let summary = "Product x * y, element by element"; }
def Cutset_MaximumOp : Binary<"maximum"> {
  let summary = "Larger of x and y, element by element; NaN if either is NaN; at a tie each operand gets half the "
                "gradient";
}
def Cutset_MinimumOp : Binary<"minimum"> {
  let summary = "Smaller of x and y, element by element; NaN if either is NaN; at a tie each operand gets half the "
                "gradient";
}
def Cutset_DivOp : FloatBinary<"div"> {
  let summary = "Quotient x / y, element by element; a division by 0 gives infinity, or NaN for 0 / 0";
}

class Backward<string name> : FloatBinary<name, 0> {
  let builderNamespace = "cutset::ops";
}
def Cutset_ReluBackwardOp : Backward<"relu_backward"> {
  let summary = "Gradient of relu, where y is the result of relu and x the gradient of y: x where y is positive, NaN "
                "where y is NaN, and 0 elsewhere";
}
def Cutset_TanhBackwardOp : Backward<"tanh_backward"> {
  let summary = "Gradient of tanh, where y is the result of tanh and x the gradient of y: x * (1 - y * y)";
}
def Cutset_SigmoidBackwardOp : Backward<"sigmoid_backward"> {
  let summary = "Gradient of sigmoid, where y is the result of sigmoid and x the gradient of y: x * y * (1 - y)";
}

def Cutset_EqualOp : Comparison<"equal"> { let summary = "Whether x == y, element by element; false if either is NaN"; }
def Cutset_NotEqualOp : Comparison<"not_equal"> {
  let summary = "Whether x != y, element by element; true if either is NaN";
}
def Cutset_LessOp : Comparison<"less"> { let summary = "Whether x < y, element by element; false if either is NaN"; }
def Cutset_LessEqualOp : Comparison<"less_equal"> {
  let summary = "Whether x <= y, element by element; false if either is NaN";
}
def Cutset_GreaterOp : Comparison<"greater"> {
  let summary = "Whether x > y, element by element; false if either is NaN";
}
def Cutset_GreaterEqualOp : Comparison<"greater_equal"> {
  let summary = "Whether x >= y, element by element; false if either is NaN";
}

def Cutset_WhereOp : Compute<"where"> {
  let summary = "Selection, element by element: x where the condition is true, and y where it is false";
  let inputs = (ins AnyRankedTensor:$condition, AnyRankedTensor:$x, AnyRankedTensor:$y);
  let constraints = ["C1: the condition has type i1, and x and y have the same type",
                     "C2: the three shapes broadcast by the rules of NumPy"];
  let returns = "the broadcast shape of the three operands; the element type of x";
  let example = [{%z = cutset.where %condition, %x, %y : tensor<64x500xi1>, tensor<64x500xf32>, tensor<f32>}];
}
