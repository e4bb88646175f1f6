// SPDX-License-Identifier: Apache-2.0
// The memory of a HostTensor, and its owner. The memory belongs to
// - the tensor (allocate_storage, or a vector that it takes over),
// - a pool, to which it returns (HostPool); devices copy the memory of some pools faster, or
// - the caller (borrow_storage). The memory is then read only.
//
// A HostStorage is a unique handle to the bytes: no other handle writes to them. Its destructor gives the
// bytes back and may run on any thread. It may be moved, but not copied.
#pragma once
#include <memory>
#include <vector>

#include "runtime/files/host_tensor.h"

namespace cutset {

// The owner of the memory of a HostStorage.
class HostOwner {
 public:
  // Takes back the memory of a storage. It is called once per storage, on any thread.
  virtual void release(unsigned char* data, size_t size) noexcept = 0;

  using Storage = HostTensor::Storage;

 protected:
  ~HostOwner() = default;
};
using HostStorage = HostOwner::Storage;

// The alignment in bytes of memory that Cutset allocates for tensors: the size of a cache line and of the
// widest vector register.
inline constexpr size_t kTensorAlignment = 64;

// Allocates memory with undefined bytes. Throws std::bad_alloc if there is not enough memory.
HostStorage allocate_storage(size_t bytes);
// Takes over the bytes of a vector.
HostStorage take_over_storage(std::vector<unsigned char> bytes);
// Borrows memory of the caller for reading. The result keeps a reference to `owner`.
HostStorage borrow_storage(const unsigned char* data, size_t size, std::shared_ptr<const void> owner);

}  // namespace cutset
