// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/language.h"

namespace cutset::cuda {

// NVRTC has no headers, so NAN and INFINITY are defined here.
const char* const kLanguage = R"(
#define KERNEL(name) extern "C" __global__ void name
#define FUNCTION static __device__
#define GLOBAL
#define ITEM ((int)(blockIdx.x * blockDim.x + threadIdx.x))
#define TENSOR(type, name) type* name##_address
#define BIND(type, name) type* name = name##_address
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
struct int8 { int s0, s1, s2, s3, s4, s5, s6, s7; };
#undef INFINITY
#undef NAN
#define FLOAT_OF(bits) __int_as_float((int)(bits))
#define BITS_OF(number) ((uint)__float_as_int(number))
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)
)";

const char* const kJoinBlock = R"(
__device__ TOTAL join_block(TOTAL v) {
  __shared__ TOTAL of_warp[8];
  for (int d = 16; d > 0; d /= 2) { TOTAL other = __shfl_down_sync(0xffffffffu, v, d); v = JOIN(v, other); }
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x >= 32) return FIRST;
  v = threadIdx.x < 8 ? of_warp[threadIdx.x] : FIRST;
  for (int d = 4; d > 0; d /= 2) { TOTAL other = __shfl_down_sync(0xffffffffu, v, d); v = JOIN(v, other); }
  return v;
}
)";

}  // namespace cutset::cuda

namespace cutset::portable {

const Target& target() {
  static const Target here{.name = "cuda",
                           .group_items = cuda::kThreads,
                           .most_groups = {(int64_t{1} << 31) - 1, cuda::kMostBlocks, cuda::kMostBlocks}};
  return here;
}

}  // namespace cutset::portable
