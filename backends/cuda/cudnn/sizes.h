// The sizes of a convolution of plans.h.
#pragma once
#include <string>

#include "backends/cuda/cudnn/plans.h"

namespace cutset::cuda {

// Returns an empty text, or the reason if the sizes are not those of a convolution that 64-bit arithmetic can describe.
std::string check_sizes(const Convolution& c);

// The rows and columns of y. The sizes must have passed check_sizes.
int64_t result_rows(const Convolution& c);
int64_t result_columns(const Convolution& c);

}  // namespace cutset::cuda
