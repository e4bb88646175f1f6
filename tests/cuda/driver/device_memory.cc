// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda/driver/device_memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "tests/cuda/sanitizers.h"

namespace cutset::cuda::doubles {
namespace {

constexpr size_t kBefore = 512, kBehind = 64;    // the guards; allocations are aligned to 512 bytes
constexpr unsigned char kGuard = 0xa5;           // the value of their bytes
constexpr size_t kMostFreed = size_t{64} << 20;  // the bytes of freed memory that are kept

bool is_guard(const char* begin, size_t bytes) {
  return std::all_of(begin, begin + bytes, [](char c) { return static_cast<unsigned char>(c) == kGuard; });
}
uintptr_t number(const void* at) { return reinterpret_cast<uintptr_t>(at); }

}  // namespace

void* DeviceMemory::allocate(size_t bytes, int device) {
  size_t& used = used_[device];
  if (device != kHost && bytes > kDeviceBytes - used) return nullptr;
  void* memory = nullptr;
  if (posix_memalign(&memory, kBefore, kBefore + bytes + kBehind) != 0) return nullptr;
  used += bytes;
  char* const begin = static_cast<char*>(memory) + kBefore;
  std::memset(memory, kGuard, kBefore);
  std::memset(begin, 0xff, bytes);
  std::memset(begin + bytes, kGuard, kBehind);
  if (has_address_sanitizer()) {
    __asan_poison_memory_region(memory, kBefore);
    __asan_poison_memory_region(begin + bytes, kBehind);
  }
  live_[number(begin) + bytes] = {begin, bytes, device};
  return begin;
}

bool DeviceMemory::free(void* begin, bool on_host) {
  const auto found = live_.upper_bound(number(begin));
  if (found == live_.end() || found->second.begin != begin || (found->second.device == kHost) != on_host)
    return false;
  const Allocation freed = found->second;
  live_.erase(found);
  used_[freed.device] -= freed.bytes;
  std::memset(freed.begin, 0xff, freed.bytes);
  if (has_address_sanitizer()) __asan_poison_memory_region(freed.begin, freed.bytes);
  freed_.push_back(freed);
  freed_bytes_ += freed.bytes;
  while (freed_bytes_ > kMostFreed) {
    release(freed_.front());
    freed_bytes_ -= freed_.front().bytes;
    freed_.pop_front();
  }
  return true;
}

void DeviceMemory::release(const Allocation& freed) {
  char* const memory = freed.begin - kBefore;
  if (has_address_sanitizer()) __asan_unpoison_memory_region(memory, kBefore + freed.bytes + kBehind);
  std::free(memory);
}

const Allocation* DeviceMemory::find(const void* begin, size_t bytes) const {
  const auto found = live_.upper_bound(number(begin));
  if (found == live_.end() || number(begin) < number(found->second.begin)) return nullptr;
  return bytes <= found->first - number(begin) ? &found->second : nullptr;
}

bool DeviceMemory::is_freed(const void* at) const {
  return std::any_of(freed_.begin(), freed_.end(), [&](const Allocation& a) {
    return number(at) >= number(a.begin) && number(at) < number(a.begin) + a.bytes;
  });
}

bool DeviceMemory::is_damaged(const Allocation& a) {
  if (has_address_sanitizer()) return false;  // it reports the write itself, and guards are poisoned
  return !is_guard(a.begin - kBehind, kBehind) || !is_guard(a.begin + a.bytes, kBehind);
}

size_t DeviceMemory::bytes() const {
  size_t sum = 0;
  for (const auto& [end, allocation] : live_) sum += allocation.bytes;
  return sum;
}

}  // namespace cutset::cuda::doubles
