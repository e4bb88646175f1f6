// SPDX-License-Identifier: Apache-2.0
#include "runtime/files/host_storage.h"

#include <new>

namespace cutset {
namespace {

struct Allocated final : HostOwner {
  void release(unsigned char* data, size_t) noexcept override {
    ::operator delete(data, std::align_val_t{kTensorAlignment});
  }
};

struct Vector final : HostOwner {
  explicit Vector(std::vector<unsigned char> held) : bytes(std::move(held)) {}
  void release(unsigned char*, size_t) noexcept override { delete this; }
  std::vector<unsigned char> bytes;
};

struct Borrowed final : HostOwner {
  explicit Borrowed(std::shared_ptr<const void> kept) : owner(std::move(kept)) {}
  void release(unsigned char*, size_t) noexcept override { delete this; }
  std::shared_ptr<const void> owner;
};

}  // namespace

HostStorage allocate_storage(size_t bytes) {
  static constinit Allocated owner;
  if (bytes == 0) return {};
  void* const memory = ::operator new(bytes, std::align_val_t{kTensorAlignment}, std::nothrow);
  if (!memory) throw std::bad_alloc();
  return {static_cast<unsigned char*>(memory), bytes, &owner};
}

HostStorage take_over_storage(std::vector<unsigned char> bytes) {
  if (bytes.empty()) return {};
  auto* owner = new Vector(std::move(bytes));
  return {owner->bytes.data(), owner->bytes.size(), owner};
}

HostStorage borrow_storage(const unsigned char* data, size_t size, std::shared_ptr<const void> owner) {
  // An owner without a pointer may still have a deleter.
  HostOwner* const borrowed = owner.use_count() ? new Borrowed(std::move(owner)) : nullptr;
  // Nothing writes to the memory, because the storage is read only.
  return {const_cast<unsigned char*>(data), size, borrowed, true};
}

}  // namespace cutset
