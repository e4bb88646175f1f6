// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda/fault_requests.h"

#include <cstdio>
#include <sstream>

#include "tests/cuda/environment.h"

namespace cutset::cuda::doubles {

FaultRequests::FaultRequests() {
  std::istringstream list(environment("CUTSET_CUDA_DOUBLE_FAULTS"));
  for (std::string text; std::getline(list, text, ',');) {
    char function[64];
    long at = 0;
    Status status = 0;
    int end = 0;
    if (std::sscanf(text.c_str(), "%63[A-Za-z0-9_]:%ld:%d%n", function, &at, &status, &end) != 3 ||
        static_cast<size_t>(end) != text.size() || at < 1) {
      std::fprintf(stderr, "cutset driver double: CUTSET_CUDA_DOUBLE_FAULTS: '%s' is not FUNCTION:N:STATUS\n",
                   text.c_str());
      std::exit(1);
    }
    requests_.push_back({function, at, status});
  }
}

Status FaultRequests::call(const char* function) {
  Status status = kSuccess;
  for (Request& r : requests_)  // every request counts every call of its function
    if (r.function == function && ++r.calls == r.at) status = r.status;
  return status;
}

}  // namespace cutset::cuda::doubles
