# SPDX-License-Identifier: Apache-2.0
set(CUTSET_DEVICE_KIND opencl)
find_package(OpenCL QUIET)
if(NOT OpenCL_FOUND)
  set(CUTSET_BACKEND_MISSING "the OpenCL headers and loader were not found; run third_party/setup.sh")
else()
  set(CUTSET_BACKEND_LIBRARIES OpenCL::OpenCL)
  set(CUTSET_BACKEND_PORTABLE_KERNELS ON)
endif()
