// SPDX-License-Identifier: Apache-2.0
// CUDA C++ for a compiler of C++: with this header, g++ and clang++ compile the source of a kernel for the
// CPU, where block_emulator.h runs it. The header is compiled again for each source. Like NVRTC, it includes
// no header of the standard library.
//
// The header does not model
// - contraction to fused multiply-adds,
// - the errors of approximate intrinsics,
// - weak memory order,
// - dynamic shared memory, and
// - __shared__ variables in templates and inline functions (g++ refuses them if the source has other
//   __shared__ variables).
#pragma once
#include "tests/cuda/emulator/kernel_interface.h"

extern "C" __attribute__((visibility("default"))) cutset::cuda::doubles::KernelLibrary CUTSET_KERNEL_LIBRARY;

#define __global__
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(n) alignas(n)
// All shared variables of a source lie in one section, so that the emulator can fill them before each block.
// Without `used`, the compiler could assume that a variable is 0 if the source does not write it.
#define __shared__ static __attribute__((section("cutset_shared"), used))
#define threadIdx (CUTSET_KERNEL_LIBRARY.position->thread)
#define blockIdx (CUTSET_KERNEL_LIBRARY.position->block)
#define blockDim (CUTSET_KERNEL_LIBRARY.position->block_size)
#define gridDim (CUTSET_KERNEL_LIBRARY.position->grid_size)
#define warpSize 32

// ---- types
using size_t = decltype(sizeof 0);
struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(8) int2 {
  int x, y;
};
struct alignas(16) int4 {
  int x, y, z, w;
};
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
inline float2 make_float2(float x, float y) { return {x, y}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
inline int2 make_int2(int x, int y) { return {x, y}; }
inline int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }

// ---- mathematics. A function has one overload for float and one for double, as in CUDA.
#define NAN __builtin_nanf("")
#define INFINITY __builtin_inff()
#define CUTSET_MATH_1(name)                 \
  extern "C" double name(double) noexcept;  \
  extern "C" float name##f(float) noexcept; \
  inline float name(float x) { return name##f(x); }
#define CUTSET_MATH_2(name)                        \
  extern "C" double name(double, double) noexcept; \
  extern "C" float name##f(float, float) noexcept; \
  inline float name(float x, float y) { return name##f(x, y); }
CUTSET_MATH_1(acos)
CUTSET_MATH_1(acosh)
CUTSET_MATH_1(asin)
CUTSET_MATH_1(asinh)
CUTSET_MATH_1(atan)
CUTSET_MATH_1(atanh)
CUTSET_MATH_1(cbrt)
CUTSET_MATH_1(ceil)
CUTSET_MATH_1(cos)
CUTSET_MATH_1(cosh)
CUTSET_MATH_1(erf)
CUTSET_MATH_1(erfc)
CUTSET_MATH_1(exp)
CUTSET_MATH_1(exp2)
CUTSET_MATH_1(expm1)
CUTSET_MATH_1(fabs)
CUTSET_MATH_1(floor)
CUTSET_MATH_1(lgamma)
CUTSET_MATH_1(log)
CUTSET_MATH_1(log10)
CUTSET_MATH_1(log1p)
CUTSET_MATH_1(log2)
CUTSET_MATH_1(nearbyint)
CUTSET_MATH_1(rint)
CUTSET_MATH_1(round)
CUTSET_MATH_1(sin)
CUTSET_MATH_1(sinh)
CUTSET_MATH_1(sqrt)
CUTSET_MATH_1(tan)
CUTSET_MATH_1(tanh)
CUTSET_MATH_1(tgamma)
CUTSET_MATH_1(trunc)
CUTSET_MATH_2(atan2)
CUTSET_MATH_2(copysign)
CUTSET_MATH_2(fdim)
CUTSET_MATH_2(fmax)
CUTSET_MATH_2(fmin)
CUTSET_MATH_2(fmod)
CUTSET_MATH_2(hypot)
CUTSET_MATH_2(nextafter)
CUTSET_MATH_2(pow)
CUTSET_MATH_2(remainder)
#undef CUTSET_MATH_1
#undef CUTSET_MATH_2
extern "C" double fma(double, double, double) noexcept;
extern "C" float fmaf(float, float, float) noexcept;
inline float fma(float x, float y, float z) { return fmaf(x, y, z); }
extern "C" double ldexp(double, int) noexcept;
extern "C" float ldexpf(float, int) noexcept;
inline float ldexp(float x, int e) { return ldexpf(x, e); }
extern "C" int abs(int) noexcept;
inline long abs(long x) { return x < 0 ? -x : x; }
inline long long abs(long long x) { return x < 0 ? -x : x; }
inline float abs(float x) { return fabsf(x); }
inline double abs(double x) { return fabs(x); }
inline double cospi(double x) { return cos(3.14159265358979323846 * fmod(x, 2.0)); }
inline double sinpi(double x) { return sin(3.14159265358979323846 * fmod(x, 2.0)); }
inline float cospi(float x) { return static_cast<float>(cospi(static_cast<double>(x))); }
inline float sinpi(float x) { return static_cast<float>(sinpi(static_cast<double>(x))); }
inline double rsqrt(double x) { return 1 / sqrt(x); }
inline float rsqrtf(float x) { return 1 / sqrtf(x); }
inline float rsqrt(float x) { return rsqrtf(x); }
inline bool isnan(float x) { return __builtin_isnan(x); }
inline bool isnan(double x) { return __builtin_isnan(x); }
inline bool isinf(float x) { return __builtin_isinf(x); }
inline bool isinf(double x) { return __builtin_isinf(x); }
inline bool isfinite(float x) { return __builtin_isfinite(x); }
inline bool isfinite(double x) { return __builtin_isfinite(x); }
inline bool signbit(float x) { return __builtin_signbit(x); }
inline bool signbit(double x) { return __builtin_signbit(x); }

// min and max for the same pairs of types as in CUDA. A number and a NaN give the number.
#define CUTSET_MIN_MAX(type, a_type, b_type)                                                          \
  inline type min(a_type a, b_type b) {                                                               \
    return static_cast<type>(a) < static_cast<type>(b) ? static_cast<type>(a) : static_cast<type>(b); \
  }                                                                                                   \
  inline type max(a_type a, b_type b) {                                                               \
    return static_cast<type>(a) > static_cast<type>(b) ? static_cast<type>(a) : static_cast<type>(b); \
  }
#define CUTSET_MIN_MAX_OF(name)                               \
  CUTSET_MIN_MAX(name, name, name)                            \
  CUTSET_MIN_MAX(unsigned name, unsigned name, unsigned name) \
  CUTSET_MIN_MAX(unsigned name, name, unsigned name)          \
  CUTSET_MIN_MAX(unsigned name, unsigned name, name)
CUTSET_MIN_MAX_OF(int)
CUTSET_MIN_MAX_OF(long)
CUTSET_MIN_MAX_OF(long long)
#undef CUTSET_MIN_MAX_OF
#undef CUTSET_MIN_MAX
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }
inline double min(float a, double b) { return fmin(static_cast<double>(a), b); }
inline double max(float a, double b) { return fmax(static_cast<double>(a), b); }
inline double min(double a, float b) { return fmin(a, static_cast<double>(b)); }
inline double max(double a, float b) { return fmax(a, static_cast<double>(b)); }

// ---- intrinsics
inline unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
inline int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
inline float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
inline float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
inline long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
inline double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
inline float __fadd_rn(float x, float y) { return x + y; }
inline float __fsub_rn(float x, float y) { return x - y; }
inline float __fmul_rn(float x, float y) { return x * y; }
inline float __fdiv_rn(float x, float y) { return x / y; }
inline float __frcp_rn(float x) { return 1 / x; }
inline float __fsqrt_rn(float x) { return sqrtf(x); }
inline float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
inline float __fdividef(float x, float y) { return x / y; }
inline float __expf(float x) { return expf(x); }
inline float __logf(float x) { return logf(x); }
inline float __saturatef(float x) { return x > 0 ? x < 1 ? x : 1 : 0; }  // 0 for a NaN
inline int __float2int_rn(float x) { return static_cast<int>(rintf(x)); }
inline int __float2int_rz(float x) { return static_cast<int>(x); }
inline unsigned __umulhi(unsigned x, unsigned y) { return static_cast<unsigned>(1ull * x * y >> 32); }
inline int __mulhi(int x, int y) { return static_cast<int>(1ll * x * y >> 32); }
inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(x) * y >> 64);
}
inline int __clz(int x) { return x ? __builtin_clz(static_cast<unsigned>(x)) : 32; }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline unsigned __brev(unsigned x) {
  unsigned reversed = 0;
  for (int i = 0; i < 32; ++i) reversed |= (x >> i & 1) << (31 - i);
  return reversed;
}
template <class T>
T __ldg(const T* at) {
  return *at;
}
inline void __threadfence() {}
inline void __threadfence_block() {}

// ---- atomic operations. Each returns the value before the operation.
namespace cutset::cuda::doubles {
template <int kBytes>
struct Bits;
template <>
struct Bits<4> {
  using Type = unsigned;
};
template <>
struct Bits<8> {
  using Type = unsigned long long;
};
template <class T, class F>
T update(T* at, F next) {
  using Word = typename Bits<sizeof(T)>::Type;
  Word* word = reinterpret_cast<Word*>(at);
  Word before = __atomic_load_n(word, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(word, &before,
                                      __builtin_bit_cast(Word, next(__builtin_bit_cast(T, before))), true,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return __builtin_bit_cast(T, before);
}
// Makes the type of a parameter follow from another parameter, so that atomicAdd(&float, 1) converts the 1.
template <class T>
struct Same {
  using Type = T;
};
template <class T>
using SameAs = typename Same<T>::Type;
}  // namespace cutset::cuda::doubles

#define CUTSET_ATOMIC(name, result)                                                          \
  template <class T>                                                                         \
  T name(T* at, cutset::cuda::doubles::SameAs<T> value) {                                    \
    return cutset::cuda::doubles::update(at, [=](T old) { return static_cast<T>(result); }); \
  }
CUTSET_ATOMIC(atomicAdd, old + value)
CUTSET_ATOMIC(atomicSub, old - value)
CUTSET_ATOMIC(atomicMax, old > value ? old : value)
CUTSET_ATOMIC(atomicMin, old < value ? old : value)
CUTSET_ATOMIC(atomicExch, (static_cast<void>(old), value))
CUTSET_ATOMIC(atomicAnd, old& value)
CUTSET_ATOMIC(atomicOr, old | value)
CUTSET_ATOMIC(atomicXor, old ^ value)
#undef CUTSET_ATOMIC
template <class T>
T atomicCAS(T* at, cutset::cuda::doubles::SameAs<T> expected, cutset::cuda::doubles::SameAs<T> value) {
  using Word = typename cutset::cuda::doubles::Bits<sizeof(T)>::Type;
  Word before = __builtin_bit_cast(Word, expected);
  __atomic_compare_exchange_n(reinterpret_cast<Word*>(at), &before, __builtin_bit_cast(Word, value), false,
                              __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return __builtin_bit_cast(T, before);
}

// ---- threads of a block and of a warp. `line` is the line of the call in the source.
#define CUTSET_LINE int line = __builtin_LINE()
#define CUTSET_SYNCHRONIZATION (*CUTSET_KERNEL_LIBRARY.synchronization)
inline void __syncthreads(CUTSET_LINE) { CUTSET_SYNCHRONIZATION.sync_block(line); }
inline void __syncwarp(unsigned mask = 0xffffffffu, CUTSET_LINE) {
  CUTSET_SYNCHRONIZATION.sync_warp(mask, line);
}
inline unsigned __ballot_sync(unsigned mask, int vote, CUTSET_LINE) {
  return CUTSET_SYNCHRONIZATION.ballot(mask, vote != 0, line);
}
inline int __any_sync(unsigned mask, int vote, CUTSET_LINE) { return __ballot_sync(mask, vote, line) != 0; }
inline int __all_sync(unsigned mask, int vote, CUTSET_LINE) { return __ballot_sync(mask, !vote, line) == 0; }

namespace cutset::cuda::doubles {
template <class T>
T shuffle(Shuffle kind, unsigned mask, T value, int operand, int width, int line) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a shuffle exchanges 4 or 8 bytes");
  using Word = typename Bits<sizeof(T)>::Type;
  const unsigned long long bits = __builtin_bit_cast(Word, value);
  return __builtin_bit_cast(
      T, static_cast<Word>(CUTSET_SYNCHRONIZATION.shuffle(kind, mask, bits, operand, width, line)));
}
}  // namespace cutset::cuda::doubles

#define CUTSET_SHUFFLE(name, kind)                                                                           \
  template <class T>                                                                                         \
  T name(unsigned mask, T value, int operand, int width = 32, CUTSET_LINE) {                                 \
    return cutset::cuda::doubles::shuffle(cutset::cuda::doubles::Shuffle::kind, mask, value, operand, width, \
                                          line);                                                             \
  }
CUTSET_SHUFFLE(__shfl_sync, kIndex)
CUTSET_SHUFFLE(__shfl_up_sync, kUp)
CUTSET_SHUFFLE(__shfl_down_sync, kDown)
CUTSET_SHUFFLE(__shfl_xor_sync, kXor)
#undef CUTSET_SHUFFLE
#undef CUTSET_LINE

// ---- the KernelLibrary, which the compiler double defines with these macros after the source
namespace cutset::cuda::doubles {
template <class T>
struct Plain {
  using Type = T;
};
template <class T>
struct Plain<const T> {
  using Type = T;
};
// Calls a kernel in its constructor. The elements of a braced list are evaluated from left to right, which
// `++` needs.
template <class... P>
struct Call {
  Call(void (*kernel)(P...), P... values) { kernel(values...); }
};
template <auto kKernel>
struct Unpack;
template <class... P, void (*kernel)(P...)>
struct Unpack<kernel> {
  static void call([[maybe_unused]] void** next) {
    Call<P...>{kernel, *static_cast<typename Plain<P>::Type*>(*next++)...};
  }
  static constexpr unsigned sizes[sizeof...(P) + 1] = {static_cast<unsigned>(sizeof(P))..., 0};
  static constexpr unsigned count = sizeof...(P);
};
}  // namespace cutset::cuda::doubles

extern "C" {
extern char __start_cutset_shared[] __attribute__((weak, visibility("hidden")));
extern char __stop_cutset_shared[] __attribute__((weak, visibility("hidden")));
}
#define CUTSET_KERNEL_ENTRY(kernel)                                                                      \
  {#kernel, cutset::cuda::doubles::Unpack<&kernel>::call, cutset::cuda::doubles::Unpack<&kernel>::sizes, \
   cutset::cuda::doubles::Unpack<&kernel>::count},
#define CUTSET_DEFINE_KERNEL_LIBRARY(...)                                                  \
  static const cutset::cuda::doubles::KernelEntry cutset_kernel_entries[] = {__VA_ARGS__}; \
  extern "C" cutset::cuda::doubles::KernelLibrary CUTSET_KERNEL_LIBRARY = {                \
      cutset::cuda::doubles::kKernelInterface,                                             \
      sizeof cutset_kernel_entries / sizeof cutset_kernel_entries[0],                      \
      cutset_kernel_entries,                                                               \
      __start_cutset_shared,                                                               \
      __stop_cutset_shared,                                                                \
      nullptr,                                                                             \
      nullptr};
