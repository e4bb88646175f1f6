// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

// The families of elementwise ops. A new op needs one line in each of four files: this file,
// elementwise_bodies.inc, elementwise_gradient.cc and elementwise_cases.cc (its test problems).
class Unary<string name> : Compute<name> {
  let family = "unary";
  let converts_halves = 1;
  let inputs = (ins AnyRankedTensor:$x);
  let constraints = ["C1: x has a floating-point type"];
  let returns = "the shape and element type of x";
  let example = "%y = cutset." # name # " %x : tensor<64x500xf32>";
}
class NumericUnary<string name> : Compute<name> {
  let family = "numeric_unary";
  let converts_halves = 1;
  let inputs = (ins AnyRankedTensor:$x);
  let constraints = ["C1: x has a numeric type"];
  let returns = "the shape and element type of x";
  let example = "%y = cutset." # name # " %x : tensor<64x500xf32>";
}
class Binary<string name> : Compute<name> {
  let numbersFrom = 0;
  let family = "binary";
  let converts_halves = 1;
  let inputs = (ins AnyRankedTensor:$x, AnyRankedTensor:$y);
  let constraints = ["C1: x and y have the same numeric type",
                     "C2: the shapes of x and y broadcast by the rules of NumPy"];
  let returns = "the broadcast shape of x and y; their element type";
  let example = "%z = cutset." # name # " %x, %y : tensor<64x500xf32>, tensor<500xf32>";
}
class FloatBinary<string name, bit differentiable = 1> : Compute<name, [], differentiable> {
  let numbersFrom = 0;
  let family = "float_binary";
  let converts_halves = 1;
  let inputs = (ins AnyRankedTensor:$x, AnyRankedTensor:$y);
  let constraints = ["C1: x and y have the same floating-point type",
                     "C2: the shapes of x and y broadcast by the rules of NumPy"];
  let returns = "the broadcast shape of x and y; their element type";
  let example = "%z = cutset." # name # " %x, %y : tensor<64x500xf32>, tensor<64x500xf32>";
}
class Bitwise<string name> : NotDifferentiable<name> {
  let numbersFrom = 0;
  let family = "bitwise";
  let inputs = (ins AnyRankedTensor:$x, AnyRankedTensor:$y);
  let constraints = ["C1: x and y have the same type, an integer type or i1",
                     "C2: the shapes of x and y broadcast by the rules of NumPy"];
  let returns = "the broadcast shape of x and y; their element type";
  let example = "%z = cutset." # name # " %x, %y : tensor<64x500xi32>, tensor<500xi32>";
}
class Shift<string name> : NotDifferentiable<name> {
  let numbersFrom = 0;
  let family = "shift";
  let inputs = (ins AnyRankedTensor:$x, AnyRankedTensor:$y);
  let constraints = ["C1: x and y have the same integer type",
                     "C2: the shapes of x and y broadcast by the rules of NumPy"];
  let returns = "the broadcast shape of x and y; their element type";
  let example = "%z = cutset." # name # " %x, %y : tensor<64x500xi32>, tensor<500xi32>";
}
class Comparison<string name> : NotDifferentiable<name> {
  let numbersFrom = 0;
  let family = "comparison";
  let converts_halves = 1;
  let inputs = (ins AnyRankedTensor:$x, AnyRankedTensor:$y);
  let constraints = ["C1: x and y have the same type", "C2: the shapes of x and y broadcast by the rules "
                                                       "of NumPy"];
  let returns = "the broadcast shape of x and y; element type i1";
  let example = "%z = cutset." # name # " %x, %y : tensor<64x500xf32>, tensor<f32>";
}

def Cutset_ExpOp : Unary<"exp"> { let summary = "Exponential of each element: e to the power of x"; }
def Cutset_LogOp : Unary<"log"> {
  let summary = "Natural logarithm of each element; -infinity for 0 and NaN for a negative number";
}
def Cutset_SqrtOp : Unary<"sqrt"> { let summary = "Square root of each element; NaN for a negative number"; }
def Cutset_TanhOp : Unary<"tanh"> { let summary = "Hyperbolic tangent of each element"; }
def Cutset_SigmoidOp : Unary<"sigmoid"> { let summary = "Logistic function of each element: 1 / (1 + "
                                                        "exp(-x))"; }
def Cutset_FloorOp : Unary<"floor"> {
  let summary = "Largest integer that is not above the element; the gradient is 0";
}
def Cutset_CeilOp : Unary<"ceil"> { let summary = "Smallest integer that is not below the element; the "
                                                  "gradient is 0"; }
def Cutset_RoundOp : Unary<"round"> { let summary = "Nearest integer, and at a tie the even one; the "
                                                    "gradient is 0"; }
def Cutset_ReciprocalOp : Unary<"reciprocal"> { let summary = "Reciprocal of each element: 1 / x"; }
def Cutset_RsqrtOp : Unary<"rsqrt"> { let summary = "Reciprocal of the square root of each element"; }
def Cutset_Expm1Op : Unary<"expm1"> { let summary = "Exponential of each element minus 1, accurate near 0"; }
def Cutset_Log1pOp : Unary<"log1p"> { let summary = "Natural logarithm of 1 + x, accurate near 0"; }
def Cutset_SinOp : Unary<"sin"> { let summary = "Sine of each element in radians; NaN for infinity"; }
def Cutset_CosOp : Unary<"cos"> { let summary = "Cosine of each element in radians; NaN for infinity"; }
def Cutset_TanOp : Unary<"tan"> { let summary = "Tangent of each element in radians; NaN for infinity"; }
def Cutset_AsinOp : Unary<"asin"> { let summary = "Arcsine of each element; NaN outside of [-1, 1]"; }
def Cutset_AcosOp : Unary<"acos"> { let summary = "Arccosine of each element; NaN outside of [-1, 1]"; }
def Cutset_AtanOp : Unary<"atan"> { let summary = "Arctangent of each element"; }
def Cutset_SinhOp : Unary<"sinh"> { let summary = "Hyperbolic sine of each element"; }
def Cutset_CoshOp : Unary<"cosh"> { let summary = "Hyperbolic cosine of each element"; }
def Cutset_AsinhOp : Unary<"asinh"> { let summary = "Inverse hyperbolic sine of each element"; }
def Cutset_AcoshOp : Unary<"acosh"> { let summary = "Inverse hyperbolic cosine of each element; NaN below "
                                                    "1"; }
def Cutset_AtanhOp : Unary<"atanh"> {
  let summary = "Inverse hyperbolic tangent of each element; NaN outside of [-1, 1]";
}
def Cutset_ErfOp : Unary<"erf"> { let summary = "Error function of each element"; }
def Cutset_SoftplusOp : Unary<"softplus"> {
  let summary = "Softplus of each element: log(1 + exp(x)), without overflow";
}
def Cutset_GeluOp : Unary<"gelu"> {
  let summary = "Gaussian error linear unit: x times the normal distribution function of x; NaN for "
                "-infinity";
}
def Cutset_SiluOp : Unary<"silu"> { let summary = "Sigmoid linear unit: x * sigmoid(x); NaN for -infinity"; }

def Cutset_NegOp : NumericUnary<"neg"> { let summary = "Negative of each element: -x; integers wrap around"; }
def Cutset_SquareOp : NumericUnary<"square"> {
  let summary = "Square of each element: x * x; integers wrap around";
}
def Cutset_AbsOp : NumericUnary<"abs"> {
  let summary = "Absolute value of each element; the smallest integer stays itself, and the gradient at 0 "
                "is 0";
}
def Cutset_SignOp : NumericUnary<"sign"> {
  let summary = "Sign of each element: 1, 0 or -1; NaN stays NaN, and the gradient is 0";
}
def Cutset_ReluOp : NumericUnary<"relu"> {
  let summary = "Larger of each element and 0; NaN stays NaN, and the gradient at 0 is 0";
}

def Cutset_AddOp : Binary<"add"> { let summary = "Sum x + y, element by element"; }
def Cutset_SubOp : Binary<"sub"> { let summary = "Difference x - y, element by element"; }
def Cutset_MulOp : Binary<"mul"> { let summary = "Product x * y, element by element"; }
def Cutset_MaximumOp : Binary<"maximum"> {
  let summary = "Larger of x and y, element by element; NaN if either is NaN; at a tie each operand gets "
                "half the gradient";
}
def Cutset_MinimumOp : Binary<"minimum"> {
  let summary = "Smaller of x and y, element by element; NaN if either is NaN; at a tie each operand gets "
                "half the gradient";
}
def Cutset_DivOp : Binary<"div"> {
  let summary = "Quotient x / y, element by element; a division by 0 gives infinity, or NaN for 0 / 0; the "
                "quotient of integers is rounded towards zero, wraps around, and is 0 if y is 0";
}
def Cutset_ModOp : Binary<"mod"> {
  let summary = "Remainder x - y * floor(x / y), element by element; it has the sign of y; if y is 0, it is "
                "NaN, and 0 for integers";
}
def Cutset_FmodOp : Binary<"fmod"> {
  let summary = "Remainder of the quotient that is rounded towards zero, element by element; it has the "
                "sign of x; if y is 0, it is NaN, and 0 for integers";
}
def Cutset_PowOp : Binary<"pow"> {
  let summary = "Power x to the y, element by element, as the function pow of C; powers of integers wrap "
                "around, and a negative exponent gives the quotient of 1 and the power, rounded towards "
                "zero, or 0 if x is 0";
}
def Cutset_Atan2Op : FloatBinary<"atan2"> {
  let summary = "Angle of the point (y, x) in radians, element by element: arctangent of x / y in the right "
                "quadrant; the gradient at the origin is 0";
}
def Cutset_PreluOp : FloatBinary<"prelu"> {
  let summary = "Parametric relu, element by element: x where x is not negative, and y * x elsewhere; the "
                "gradient at 0 is the gradient of a negative element";
}
def Cutset_EluOp : FloatBinary<"elu"> {
  let builderNamespace = "cutset::ops";  // the function elu is written by hand
  let summary = "Exponential linear unit, element by element: x where x is not negative, and y * (exp(x) - "
                "1) elsewhere; the gradient at 0 is the gradient of a negative element";
}

class Backward<string name> : FloatBinary<name, 0> {
  let numbersFrom = -1;
  let builderNamespace = "cutset::ops";
}
def Cutset_ReluBackwardOp : Backward<"relu_backward"> {
  let summary = "Gradient of relu, where y is the result of relu and x the gradient of y: x where y is "
                "positive, NaN where y is NaN, and 0 elsewhere";
}
def Cutset_TanhBackwardOp : Backward<"tanh_backward"> {
  let summary = "Gradient of tanh, where y is the result of tanh and x the gradient of y: x * (1 - y * y)";
}
def Cutset_SigmoidBackwardOp : Backward<"sigmoid_backward"> {
  let summary = "Gradient of sigmoid, where y is the result of sigmoid and x the gradient of y: x * y * (1 "
                "- y)";
}
def Cutset_GeluBackwardOp : Backward<"gelu_backward"> {
  let summary = "Gradient of gelu, where y is the operand of gelu and x the gradient of its result";
}
def Cutset_SiluBackwardOp : Backward<"silu_backward"> {
  let summary = "Gradient of silu, where y is the operand of silu and x the gradient of its result";
}

def Cutset_BitwiseAndOp : Bitwise<"bitwise_and"> {
  let summary = "Bits that are set in both x and y, element by element; of i1, whether both are true";
}
def Cutset_BitwiseOrOp : Bitwise<"bitwise_or"> {
  let summary = "Bits that are set in x or y, element by element; of i1, whether either is true";
}
def Cutset_BitwiseXorOp : Bitwise<"bitwise_xor"> {
  let summary = "Bits that differ between x and y, element by element; of i1, whether the two differ";
}
def Cutset_BitwiseNotOp : NotDifferentiable<"bitwise_not"> {
  let summary = "Opposite of each bit; of i1, whether the element is false";
  let inputs = (ins AnyRankedTensor:$x);
  let constraints = ["C1: x has an integer type or i1"];
  let returns = "the shape and element type of x";
  let example = "%y = cutset.bitwise_not %x : tensor<64x500xi32>";
}
def Cutset_ShiftLeftOp : Shift<"shift_left"> {
  let summary = "Bits of x moved by y places to the left, element by element; 0 if y is negative or not "
                "below the number of bits";
}
def Cutset_ShiftRightOp : Shift<"shift_right"> {
  let summary = "Bits of x moved by y places to the right, element by element; copies of the sign come in; "
                "if y is negative or not below the number of bits, all bits are the sign";
}

def Cutset_EqualOp : Comparison<"equal"> { let summary = "Whether x == y, element by element; false if "
                                                         "either is NaN"; }
def Cutset_NotEqualOp : Comparison<"not_equal"> {
  let summary = "Whether x != y, element by element; true if either is NaN";
}
def Cutset_LessOp : Comparison<"less"> { let summary = "Whether x < y, element by element; false if "
                                                       "either is NaN"; }
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
  let numbersFrom = 1;
  let summary = "Selection, element by element: x where the condition is true, and y where it is false";
  let converts_halves = 1;
  let inputs = (ins AnyRankedTensor:$condition, AnyRankedTensor:$x, AnyRankedTensor:$y);
  let constraints = ["C1: the condition has type i1, and x and y have the same type",
                     "C2: the three shapes broadcast by the rules of NumPy"];
  let returns = "the broadcast shape of the three operands; the element type of x";
  let example = [{%z = cutset.where %condition, %x, %y : tensor<64x500xi1>, tensor<64x500xf32>, tensor<f32>}];
}
