// SPDX-License-Identifier: Apache-2.0
#include "backends/opencl/device.h"

namespace cutset::opencl {

void Queue::finish() {
  const cl_int finished = clFinish(queue);
  cl_int failed = CL_SUCCESS;
  for (cl_event e : commands) {
    if (!e) continue;
    cl_int status = CL_COMPLETE;
    clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
    if (status < 0 && failed == CL_SUCCESS) failed = status;
    clReleaseEvent(e);
  }
  commands.clear();
  check(finished, "clFinish");
  check(failed, "a command of the queue");
}

}  // namespace cutset::opencl
