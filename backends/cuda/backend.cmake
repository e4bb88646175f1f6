# SPDX-License-Identifier: Apache-2.0
set(CUTSET_BACKEND_PORTABLE_KERNELS ON)
set(CUTSET_BACKEND_SOURCES ${folder}/blas/library.cc ${folder}/blas/matmul.cc ${folder}/cudnn/convolution.cc
    ${folder}/cudnn/library.cc ${folder}/nccl/collectives.cc ${folder}/nccl/communicators.cc
    ${folder}/nccl/group.cc
    ${folder}/nccl/library.cc ${folder}/nccl/messages.cc)
add_subdirectory(${CMAKE_SOURCE_DIR}/backends/cuda/cudnn ${CMAKE_BINARY_DIR}/backends/cuda/cudnn)
