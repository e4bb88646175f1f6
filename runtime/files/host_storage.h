// SPDX-License-Identifier: Apache-2.0
// Where the bytes of a HostTensor are, and who gets them back. The memory of a tensor is
// - its own (allocate_storage, or a vector that it takes over),
// - of a pool, to which it returns (HostPool), which may be a pool of memory that devices copy fast, or
// - of the caller (borrow_storage). It is then read only.
//
// A HostStorage is a handle that owns the bytes: it is the only one that refers to them for writing, and its
// destructor gives them back, on whatever thread it runs. It may be moved and not copied.
#pragma once
#include <memory>
#include <vector>

#include "runtime/files/host_tensor.h"

namespace cutset {

// Who provides the memory of a HostStorage.
class HostOwner {
 public:
  // Takes back the memory of a storage. It is called once per storage, on any thread.
  virtual void release(unsigned char* data, size_t size) noexcept = 0;

  using Storage = HostTensor::Storage;

 protected:
  ~HostOwner() = default;
};
using HostStorage = HostOwner::Storage;

// The alignment of memory that Cutset allocates for tensors: the size of a cache line and of the widest
// vector.
inline constexpr size_t kTensorAlignment = 64;

// Returns memory of its own, whose bytes are undefined. Throws std::bad_alloc if there is not enough.
HostStorage allocate_storage(size_t bytes);
// Returns memory that takes over the bytes of a vector.
HostStorage take_over_storage(std::vector<unsigned char> bytes);
// Returns memory of the caller, which is read only. It keeps a reference to `owner`.
HostStorage borrow_storage(const unsigned char* data, size_t size, std::shared_ptr<const void> owner);

}  // namespace cutset
