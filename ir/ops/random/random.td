// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

// Element i of the whole tensor is a function of only (seed, stream, step, i), by Philox4x32-10
// (ir/core/philox.h). It depends neither on the device nor on how the tensor is split. Numbers are drawn in
// f32 for every element type, so that an f64 version of a program starts from the same weights.
class RandomOp<string name> : NotDifferentiable<name> {
  let ofCompiler = ["first_element"];
  let family = name;
  let inputs = (ins AnyRankedTensor:$like, AnyRankedTensor:$step);
  let positional = 1;
  let returns = "the shape and element type of `like`";
  let example = "%y = cutset." # name # " %like, %step <{seed = 1 : i64, stream = 7 : i64}> "
                ": tensor<64x500xf32>, tensor<i64>";
}
def Cutset_RandomUniformOp : RandomOp<"random_uniform"> {
  let summary = "Random numbers from the uniform distribution from `low` to `high`, different in each step; "
                "drawn in f32";
  let attributes = (ins DefaultValuedAttr<F64Attr, "0.0">:$low, DefaultValuedAttr<F64Attr, "1.0">:$high,
                        I64Attr:$seed, I64Attr:$stream, DefaultValuedAttr<I64Attr, "0">:$first_element);
  let constraints = ["C1: `like` has a floating-point type", "C2: low and high are finite, and low is not "
                                                             "above high",
                     "C3: step is a scalar of type i64",
                     "C4: first_element, the index of the first element in the whole tensor, is not "
                     "negative"];
}
def Cutset_RandomNormalOp : RandomOp<"random_normal"> {
  let summary = "Random numbers from the normal distribution with mean `mean` and standard deviation "
                "`stddev`, different in each step; drawn in f32";
  let attributes = (ins DefaultValuedAttr<F64Attr, "0.0">:$mean, DefaultValuedAttr<F64Attr, "1.0">:$stddev,
                        I64Attr:$seed, I64Attr:$stream, DefaultValuedAttr<I64Attr, "0">:$first_element);
  let constraints = ["C1: `like` has a floating-point type",
                     "C2: mean and stddev are finite, and stddev is not negative",
                     "C3: step is a scalar of type i64",
                     "C4: first_element, the index of the first element in the whole tensor, is not "
                     "negative"];
}
