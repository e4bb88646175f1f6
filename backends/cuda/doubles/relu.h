// The relu of the doubles of cuBLASLt and cuDNN.
#pragma once
#include <cmath>

#include "backends/cuda/doubles/environment.h"

namespace cutset::cuda::doubles {

enum class Relu {
  kNone,
  kKeepsNan,
  kDropsNan,  // NaN becomes 0
};

// The relu of a call that asks for one: kDropsNan if the environment variable CUTSET_CUDA_DOUBLE_RELU_DROPS_NAN is 1, and
// otherwise kKeepsNan.
inline Relu chosen_relu() {
  return environment("CUTSET_CUDA_DOUBLE_RELU_DROPS_NAN") == "1" ? Relu::kDropsNan : Relu::kKeepsNan;
}

inline double apply(Relu relu, double value) {
  if (relu == Relu::kNone) return value;
  if (std::isnan(value)) return relu == Relu::kDropsNan ? 0 : value;
  return value < 0 ? 0 : value;
}

}  // namespace cutset::cuda::doubles
