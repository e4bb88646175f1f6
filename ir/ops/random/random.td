include "ir/dialect/base.td"

// Philox4x32-10: element i of the tensor is a function of (seed, stream, i) alone, whatever device draws it.
def Cutset_RandomUniformOp : NotDifferentiable<"random_uniform"> {
  let summary = "numbers between low and high, of the shape and type of another tensor";
  let family = "random_uniform";
  let inputs = (ins AnyRankedTensor:$like);
  let attributes = (ins DefaultValuedAttr<F64Attr, "0.0">:$low, DefaultValuedAttr<F64Attr, "1.0">:$high, I64Attr:$seed, I64Attr:$stream);
  let constraints = ["C1: the type is floating-point", "C2: low and high are finite and low is not above high"];
}
def Cutset_RandomNormalOp : NotDifferentiable<"random_normal"> {
  let summary = "normally distributed numbers, of the shape and type of another tensor";
  let family = "random_normal";
  let inputs = (ins AnyRankedTensor:$like);
  let attributes = (ins DefaultValuedAttr<F64Attr, "0.0">:$mean, DefaultValuedAttr<F64Attr, "1.0">:$deviation, I64Attr:$seed, I64Attr:$stream);
  let constraints = ["C1: the type is floating-point", "C2: mean and deviation are finite, deviation is not negative"];
}
