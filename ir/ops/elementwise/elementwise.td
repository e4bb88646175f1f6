include "ir/dialect/base.td"

// One line a member here, in elementwise_bodies.inc, elementwise_rewrite.cc and elementwise_cases.cc.
class Unary<string name> : Compute<name> {
  let family = "unary";
  let inputs = (ins AnyRankedTensor:$x);
  let constraints = ["C1: x is of a floating-point type"];
}
class Binary<string name> : Compute<name> {
  let family = "binary";
  let inputs = (ins AnyRankedTensor:$x, AnyRankedTensor:$y);
  let constraints = ["C1: x and y have one numeric type", "C2: their shapes broadcast by the rules of NumPy"];
}
class FloatBinary<string name, bit differentiable = 1> : Compute<name, [], differentiable> {
  let family = "float_binary";
  let inputs = (ins AnyRankedTensor:$x, AnyRankedTensor:$y);
  let constraints = ["C1: x and y have one floating-point type", "C2: their shapes broadcast by the rules of NumPy"];
}
class Comparison<string name> : NotDifferentiable<name> {
  let family = "comparison";
  let inputs = (ins AnyRankedTensor:$x, AnyRankedTensor:$y);
  let constraints = ["C1: x and y have one type", "C2: their shapes broadcast by the rules of NumPy"];
}

def Cutset_NegOp : Unary<"neg"> { let summary = "-x"; }
def Cutset_ExpOp : Unary<"exp"> { let summary = "e to the power of x"; }
def Cutset_LogOp : Unary<"log"> { let summary = "natural logarithm of x"; }
def Cutset_SqrtOp : Unary<"sqrt"> { let summary = "square root of x"; }
def Cutset_TanhOp : Unary<"tanh"> { let summary = "hyperbolic tangent of x"; }
def Cutset_SigmoidOp : Unary<"sigmoid"> { let summary = "1 / (1 + e^-x)"; }
def Cutset_ReluOp : Unary<"relu"> { let summary = "x where it is positive, else 0; NaN stays NaN"; }

def Cutset_AddOp : Binary<"add"> { let summary = "x + y"; }
def Cutset_SubOp : Binary<"sub"> { let summary = "x - y"; }
def Cutset_MulOp : Binary<"mul"> { let summary = "x * y"; }
def Cutset_MaxOp : Binary<"max"> { let summary = "the larger of x and y; NaN if either is; at a tie each gets half the gradient"; }
def Cutset_MinOp : Binary<"min"> { let summary = "the smaller of x and y; NaN if either is; at a tie each gets half the gradient"; }
def Cutset_DivOp : FloatBinary<"div"> { let summary = "x / y"; }

def Cutset_ReluBackwardOp : FloatBinary<"relu_backward", 0> { let summary = "gradient of relu: x where the result y of relu is positive, NaN where it is NaN, else 0"; }
def Cutset_TanhBackwardOp : FloatBinary<"tanh_backward", 0> { let summary = "gradient of tanh: x * (1 - y * y) for the result y of tanh"; }
def Cutset_SigmoidBackwardOp : FloatBinary<"sigmoid_backward", 0> { let summary = "gradient of sigmoid: x * y * (1 - y) for the result y of sigmoid"; }

def Cutset_EqualOp : Comparison<"equal"> { let summary = "x == y"; }
def Cutset_NotEqualOp : Comparison<"not_equal"> { let summary = "x != y"; }
def Cutset_LessOp : Comparison<"less"> { let summary = "x < y"; }
def Cutset_LessEqualOp : Comparison<"less_equal"> { let summary = "x <= y"; }
def Cutset_GreaterOp : Comparison<"greater"> { let summary = "x > y"; }
def Cutset_GreaterEqualOp : Comparison<"greater_equal"> { let summary = "x >= y"; }

def Cutset_SelectOp : Compute<"select"> {
  let summary = "x where the condition holds, else y";
  let inputs = (ins AnyRankedTensor:$condition, AnyRankedTensor:$x, AnyRankedTensor:$y);
  let constraints = ["C1: the condition is i1, x and y have one type", "C2: the three shapes broadcast by the rules of NumPy"];
}
