// SPDX-License-Identifier: Apache-2.0
// Faults on request. The environment variable CUTSET_CUDA_DOUBLE_FAULTS holds a list
// FUNCTION:N:STATUS,FUNCTION:N:STATUS. Call number N of the driver's function FUNCTION, counted from 1, does
// nothing and returns STATUS.
#pragma once
#include <string>
#include <vector>

#include "backends/cuda/driver_api.h"

namespace cutset::cuda::doubles {

class FaultRequests {
 public:
  // Reads the environment variable. Ends the process with a message if a request is malformed.
  FaultRequests();
  // Counts a call of a function. Returns the status that is requested for it, or kSuccess.
  Status call(const char* function);

 private:
  struct Request {
    std::string function;
    long at;
    Status status;
    long calls = 0;
  };
  std::vector<Request> requests_;
};

}  // namespace cutset::cuda::doubles
