// Scales and zero points beside the elements that they belong to.
#pragma once
#include <cutset/quantization.h>

namespace cutset {

// `value`, a scale or a zero point of x, in a shape that broadcasts to x. Throws an Error of `function` if it does not fit.
Tensor of_elements(const Tensor& value, const Tensor& x, const char* function, const QuantizationGroups& groups,
                   std::source_location where);

}  // namespace cutset
