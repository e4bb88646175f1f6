// Finds the first element of a tensor that is not finite or NaN, for error messages.
#pragma once
#include <string>

#include "runtime/files/host_tensor.h"

namespace cutset {

// Returns, for example, "inf at element [0, 3]", and an empty string if all elements are finite. Integer tensors are
// always finite.
std::string first_non_finite(const HostTensor& tensor);
// The same for the first element that is NaN.
std::string first_nan(const HostTensor& tensor);

}  // namespace cutset
