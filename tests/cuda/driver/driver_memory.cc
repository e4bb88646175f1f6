// SPDX-License-Identifier: Apache-2.0
// The functions of the driver double that allocate memory and copy it.
#include <cstring>

#include "tests/cuda/driver/streams.h"

namespace cutset::cuda {

using namespace doubles;

namespace {

char* pointer(Address address) { return reinterpret_cast<char*>(address); }

// Throws Failure unless the range lies in one allocation of the context's device.
void check_range(Address at, size_t bytes, const Context_t& context) {
  const Allocation* a = state().memory.find(pointer(at), bytes);
  require(a && a->device == context.device, kInvalidValue);
}
bool is_pinned(const void* at, size_t bytes) {
  const Allocation* a = state().memory.find(at, bytes);
  return a && a->device == kHost;
}

// Returns work that copies when the command runs. Memory that the driver has allocated must not have been
// freed by then.
Work copy_work(void* to, bool to_allocated, const void* from, bool from_allocated, size_t bytes) {
  return [=]() -> std::string {
    const DeviceMemory& memory = state().memory;
    if ((to_allocated && !memory.find(to, bytes)) || (from_allocated && !memory.find(from, bytes)))
      return "a copy of " + std::to_string(bytes) + " bytes uses memory that was freed before the copy ran";
    const Shown shown;
    std::memcpy(to, from, bytes);
    return "";
  };
}

// Whether a copy from or to pageable memory happens at the call, which NVIDIA leaves open.
bool at_call() { return state().commands.seed() > 1 && state().commands.random().below(2) == 0; }

}  // namespace

// Returns the device whose memory contains a range, or -1. Not a function of NVIDIA's driver.
extern "C" __attribute__((visibility("default"))) int cutset_cuda_double_device_of(const void* at,
                                                                                   size_t bytes) {
  const Hidden hidden;
  const std::lock_guard guard(state().lock);
  const Allocation* const found = state().memory.find(at, bytes);
  return found ? found->device : -1;
}

CUTSET_EXPORT cuMemAlloc_v2(Address* address, size_t bytes) {
  return driver_call("cuMemAlloc_v2", Needs::kContext, [&] {
    require(address && bytes > 0, kInvalidValue);
    refuse_unsafe_call();
    void* const memory = state().memory.allocate(bytes, current().device);
    require(memory, kOutOfMemory);
    *address = reinterpret_cast<Address>(memory);
  });
}
CUTSET_EXPORT cuMemFree_v2(Address address) {
  return driver_call("cuMemFree_v2", Needs::kContextToRelease, [&] {
    if (address == 0) return;
    refuse_unsafe_call();
    require(state().memory.free(pointer(address), false), kInvalidValue);
  });
}
CUTSET_EXPORT cuMemHostAlloc(void** memory, size_t bytes, unsigned) {
  return driver_call("cuMemHostAlloc", Needs::kContext, [&] {
    require(memory && bytes > 0, kInvalidValue);
    refuse_unsafe_call();
    *memory = state().memory.allocate(bytes, kHost);
    require(*memory, kOutOfMemory);
  });
}
CUTSET_EXPORT cuMemFreeHost(void* memory) {
  return driver_call("cuMemFreeHost", Needs::kContextToRelease, [&] {
    refuse_unsafe_call();
    require(state().memory.free(memory, true), kInvalidValue);
  });
}

CUTSET_EXPORT cuMemcpyHtoDAsync_v2(Address to, const void* from, size_t bytes, Stream stream) {
  return driver_call("cuMemcpyHtoDAsync_v2", Needs::kContext, [&] {
    Stream_t& s = current_stream(stream);
    if (bytes == 0) return;
    require(from, kInvalidValue);
    check_range(to, bytes, current());
    const bool pinned = is_pinned(from, bytes);
    if (!pinned) refuse_captured(s);
    if (pinned || !at_call()) return append(s, copy_work(pointer(to), true, from, pinned, bytes));
    auto staged = std::make_shared<std::string>(static_cast<const char*>(from), bytes);
    append(s, [=] { return copy_work(pointer(to), true, staged->data(), false, bytes)(); });
  });
}
CUTSET_EXPORT cuMemcpyDtoHAsync_v2(void* to, Address from, size_t bytes, Stream stream) {
  return driver_call("cuMemcpyDtoHAsync_v2", Needs::kContext, [&] {
    Stream_t& s = current_stream(stream);
    if (bytes == 0) return;
    require(to, kInvalidValue);
    check_range(from, bytes, current());
    const bool pinned = is_pinned(to, bytes);
    if (!pinned) refuse_captured(s);
    append(s, copy_work(to, pinned, pointer(from), true, bytes));
    if (!pinned && at_call()) finish(s);
  });
}
CUTSET_EXPORT cuMemcpyDtoDAsync_v2(Address to, Address from, size_t bytes, Stream stream) {
  return driver_call("cuMemcpyDtoDAsync_v2", Needs::kContext, [&] {
    Stream_t& s = current_stream(stream);
    if (bytes == 0) return;
    check_range(to, bytes, current());
    check_range(from, bytes, current());
    require(to + bytes <= from || from + bytes <= to, kInvalidValue);
    append(s, copy_work(pointer(to), true, pointer(from), true, bytes));
  });
}
CUTSET_EXPORT cuMemcpyPeerAsync(Address to, Context to_context, Address from, Context from_context,
                                size_t bytes, Stream stream) {
  return driver_call("cuMemcpyPeerAsync", Needs::kContext, [&] {
    Stream_t& s = current_stream(stream);
    require(to_context && from_context, kInvalidContext);
    if (bytes == 0) return;
    check_range(to, bytes, *to_context);
    check_range(from, bytes, *from_context);
    append(s, copy_work(pointer(to), true, pointer(from), true, bytes));
  });
}
CUTSET_EXPORT cuMemsetD8Async(Address at, unsigned char value, size_t bytes, Stream stream) {
  return driver_call("cuMemsetD8Async", Needs::kContext, [&] {
    Stream_t& s = current_stream(stream);
    if (bytes == 0) return;
    check_range(at, bytes, current());
    append(s, [=]() -> std::string {
      if (!state().memory.find(pointer(at), bytes))
        return "a fill uses memory that was freed before the fill ran";
      const Shown shown;
      std::memset(pointer(at), value, bytes);
      return "";
    });
  });
}

}  // namespace cutset::cuda
