// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda/libraries/nccl_sum.h"

#include <cstdint>
#include <cstring>

namespace cutset::cuda::doubles {
namespace {

template <class T>
void add(const HostSum& sum) {
  std::vector<T> total(sum.count);
  std::memcpy(total.data(), sum.from[0], sum.count * sizeof(T));
  for (size_t m = 1; m < sum.from.size(); ++m) {
    const auto* part = static_cast<const T*>(sum.from[m]);
    for (size_t i = 0; i < sum.count; ++i) total[i] = static_cast<T>(total[i] + part[i]);
  }
  for (void* to : sum.to) std::memcpy(to, total.data(), sum.count * sizeof(T));
}

}  // namespace

// Integers are added as unsigned integers, whose overflow is defined.
void add_members(const HostSum& sum) {
  switch (sum.type) {
    case NcclType::kI8:
    case NcclType::kU8:
      return add<uint8_t>(sum);
    case NcclType::kI32:
    case NcclType::kU32:
      return add<uint32_t>(sum);
    case NcclType::kI64:
    case NcclType::kU64:
      return add<uint64_t>(sum);
    case NcclType::kF16:
      return add<_Float16>(sum);
    case NcclType::kF32:
      return add<float>(sum);
    case NcclType::kF64:
      return add<double>(sum);
    case NcclType::kBF16:
      return;
  }
}

size_t bytes_of(NcclType type) {
  switch (type) {
    case NcclType::kI8:
    case NcclType::kU8:
      return 1;
    case NcclType::kF16:
      return 2;
    case NcclType::kI32:
    case NcclType::kU32:
    case NcclType::kF32:
      return 4;
    case NcclType::kI64:
    case NcclType::kU64:
    case NcclType::kF64:
      return 8;
    case NcclType::kBF16:
      return 0;
  }
  return 0;
}

}  // namespace cutset::cuda::doubles
