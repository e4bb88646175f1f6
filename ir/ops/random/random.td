include "ir/dialect/base.td"

// Philox4x32-10: element i of the whole tensor is a function of (seed, stream, step, i) alone, whatever device draws it
// and however the tensor is split.
class RandomOp<string name> : NotDifferentiable<name> {
  let family = name;
  let inputs = (ins AnyRankedTensor:$like, AnyRankedTensor:$step);
  let positional = 1;
}
def Cutset_RandomUniformOp : RandomOp<"random_uniform"> {
  let summary = "numbers between low and high, of the shape and type of another tensor; other numbers in each step";
  let attributes = (ins DefaultValuedAttr<F64Attr, "0.0">:$low, DefaultValuedAttr<F64Attr, "1.0">:$high, I64Attr:$seed, I64Attr:$stream, DefaultValuedAttr<I64Attr, "0">:$first_element);
  let constraints = ["C1: the type is floating-point", "C2: low and high are finite and low is not above high", "C3: step is an i64 scalar", "C4: first_element, the number in the whole tensor of the first element drawn, is not negative"];
}
def Cutset_RandomNormalOp : RandomOp<"random_normal"> {
  let summary = "normally distributed numbers, of the shape and type of another tensor; other numbers in each step";
  let attributes = (ins DefaultValuedAttr<F64Attr, "0.0">:$mean, DefaultValuedAttr<F64Attr, "1.0">:$deviation, I64Attr:$seed, I64Attr:$stream, DefaultValuedAttr<I64Attr, "0">:$first_element);
  let constraints = ["C1: the type is floating-point", "C2: mean and deviation are finite, deviation is not negative", "C3: step is an i64 scalar", "C4: first_element, the number in the whole tensor of the first element drawn, is not negative"];
}
