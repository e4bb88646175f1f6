// SPDX-License-Identifier: Apache-2.0
// The memory of the devices, and the pinned memory of the host. The caller holds the lock of the driver
// double.
//
// Memory is full of NaN (0xff in each byte) when it is allocated and after it has been freed. Each allocation
// lies between two guards; is_damaged() finds writes to them, and AddressSanitizer finds all accesses to
// them. Freed memory is kept for a while, so that an access to it is detected and does no harm.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>

namespace cutset::cuda::doubles {

inline constexpr size_t kDeviceBytes = size_t{4} << 30;  // the memory of a device
inline constexpr int kHost = -1;                         // the "device" of pinned memory

struct Allocation {
  char* begin;
  size_t bytes;
  int device;  // or kHost
};

class DeviceMemory {
 public:
  // Returns null if the device, or the host, has no memory left.
  void* allocate(size_t bytes, int device);
  // Frees the allocation that begins at `begin`. Returns false if there is none.
  bool free(void* begin, bool on_host);

  // Returns the allocation that contains all bytes of a range, or null.
  const Allocation* find(const void* begin, size_t bytes) const;
  bool is_freed(const void* at) const;
  // Whether a write has changed the bytes right before the allocation or right after its end.
  static bool is_damaged(const Allocation& allocation);

  size_t count() const { return live_.size(); }
  size_t bytes() const;

 private:
  void release(const Allocation& freed);
  std::map<uintptr_t, Allocation> live_;  // by the end of the allocation
  std::deque<Allocation> freed_;
  size_t freed_bytes_ = 0;
  std::map<int, size_t> used_;  // by device
};

}  // namespace cutset::cuda::doubles
