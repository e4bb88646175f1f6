// The first number of a tensor that is not finite.
#pragma once
#include <string>

#include "runtime/host_tensor.h"

namespace cutset {

// "inf at element [0, 3]"; empty where all are finite, and for types that have no others.
std::string first_non_finite(const HostTensor& tensor);

}  // namespace cutset
