// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda/libraries/blas_state.h"

#include <cstdio>

#include "tests/cuda/environment.h"

namespace cutset::cuda::doubles {

BlasState& state() {
  static BlasState* const all = new BlasState;
  return *all;
}

__attribute__((destructor)) static void report() {
  if (environment("CUTSET_CUDA_DOUBLE_REPORT") != "1") return;
  const BlasState& s = state();
  std::fprintf(stderr, "cutset blas double: %zu products; not released: %zu handles, %zu descriptors\n",
               s.enqueued.size(), s.handles.size(),
               s.products.size() + s.layouts.size() + s.preferences.size());
}

const DriverFunctions& driver() {
  const DriverFunctions* const found = open_driver_functions();
  require(found, BlasStatus::kNotInitialized);
  return *found;
}

}  // namespace cutset::cuda::doubles
