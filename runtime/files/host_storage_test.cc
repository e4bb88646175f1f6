// SPDX-License-Identifier: Apache-2.0
// Tests the memory of a HostTensor: copies are independent for each kind of memory, and borrowed memory is
// released once.
#include "runtime/files/host_storage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "runtime/files/host_pool.h"
#include "runtime/files/host_tensor.h"
#include "runtime/files/uninitialized.h"
#include "tests/errors.h"

namespace cutset {
namespace {

using testing::error_of;
using ::testing::HasSubstr;
constexpr DType kBorrowed[] = {DType::f32, DType::bf16, DType::f16, DType::f64, DType::i8,
                               DType::i16, DType::i32,  DType::i64, DType::u8,  DType::u16,
                               DType::u32, DType::u64,  DType::i1};

// Memory of the caller. Counts how often its owner is released.
struct Lent {
  std::vector<float> elements{1, 2, 3, 4, 5, 6};
  int returned = 0;
  HostTensor tensor() {
    return HostTensor::borrow({2, 3}, elements, {elements.data(), [this](const void*) { ++returned; }});
  }
};

// Returns one tensor per kind of memory, with the elements 1 to 6.
std::vector<HostTensor> of_every_kind(HostPool& pool, Lent& lent) {
  std::vector<HostTensor> all;
  all.push_back(HostTensor({2, 3}, lent.elements));
  std::vector<unsigned char> bytes(24);
  std::memcpy(bytes.data(), lent.elements.data(), 24);
  all.push_back(HostTensor({f32, {2, 3}}, std::move(bytes)));
  all.push_back(lent.tensor());
  const HostPool::Use use(pool);
  all.push_back(copied(all[0]));
  return all;
}

TEST(HostStorage, CopiesAreIndependentForEveryKindOfMemory) {
  HostPool pool;
  Lent lent;
  const HostTensor want({2, 3}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f}),
      changed({2, 3}, {1.f, 9.f, 3.f, 4.f, 5.f, 6.f});
  for (size_t kind = 0; kind < 4; ++kind) {
    SCOPED_TRACE(kind);
    HostTensor original = std::move(of_every_kind(pool, lent)[kind]), copy = original, assigned,
               filled({f32, {3, 2}});
    EXPECT_EQ(original, want);
    assigned = original;
    filled = original;
    for (HostTensor* t : {&copy, &assigned, &filled}) {
      EXPECT_EQ(*t, want);
      EXPECT_NE(std::as_const(*t).data(), std::as_const(original).data());
      t->as<float>()[1] = 9;
      EXPECT_EQ(*t, changed);
      EXPECT_EQ(original, want);
    }
    original.set(1, 9);
    copy.set(1, 2);
    EXPECT_EQ(original, changed);
    EXPECT_EQ(assigned, changed);
    EXPECT_EQ(copy, want);
    copy = *&copy;
    EXPECT_EQ(copy, want);
    HostTensor& same = copy;
    copy = std::move(same);
    EXPECT_EQ(copy, want);
    const unsigned char* at = std::as_const(copy).data();
    HostTensor moved = std::move(copy);
    EXPECT_EQ(std::as_const(moved).data(), at);
    EXPECT_EQ(copy, HostTensor());
    EXPECT_EQ(moved.reshaped({6}).reshaped({2, 3}), want);
  }
  EXPECT_EQ(lent.elements, (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(lent.returned, 4);
}

TEST(HostStorage, ABorrowedTensorReadsTheMemoryOfTheCaller) {
  Lent lent;
  {
    const HostTensor t = lent.tensor();
    EXPECT_EQ(static_cast<const void*>(t.data()), lent.elements.data());
    EXPECT_EQ(t.type(), (TensorType{f32, {2, 3}}));
    EXPECT_EQ(t.as<float>()[4], 5);
    EXPECT_EQ(t.at(5), 6);
    EXPECT_EQ(t.bytes().size(), 24u);
    EXPECT_EQ(t.reshaped({6}).at(5), 6);
    EXPECT_EQ(lent.returned, 0);
  }
  EXPECT_EQ(lent.returned, 1);
  const std::vector<uint16_t> halves{0x3c00, 0xc000};
  const HostTensor half =
      HostTensor::borrow({DType::f16, {2}}, {reinterpret_cast<const unsigned char*>(halves.data()), 4});
  EXPECT_EQ(half.at(1), -2);
  EXPECT_EQ(static_cast<const void*>(half.data()), halves.data());
}

TEST(HostStorage, AChangeOfABorrowedTensorCopiesItAndLetsTheOwnerGo) {
  const std::function<void(HostTensor&)> changes[] = {
      [](HostTensor& t) { t.data()[3] = 0x41; },
      [](HostTensor& t) { t.bytes()[3] = 0x41; },
      [](HostTensor& t) { t.as<float>()[0] = 8; },
      [](HostTensor& t) { t.set(0, 8); },
      [](HostTensor& t) { t = HostTensor::scalar(8.f); },
      [](HostTensor& t) { t = HostTensor({2, 3}, std::vector<float>(6)); },
      [](HostTensor& t) { HostTensor({2, 3}, std::vector<float>(6)).swap(t); },
      [](HostTensor& t) {
        const HostTensor other({2, 3}, std::vector<float>(6));
        t = other;
      }};
  for (const auto& change : changes) {
    Lent lent;
    HostTensor t = lent.tensor(), before = t;
    EXPECT_EQ(lent.returned, 0);
    change(t);
    EXPECT_NE(t, before);
    EXPECT_EQ(lent.returned, 1);
    EXPECT_EQ(lent.elements, (std::vector<float>{1, 2, 3, 4, 5, 6}));
    change(t);
    EXPECT_EQ(lent.returned, 1);
  }
}

TEST(HostStorage, TheOwnerOfBorrowedMemoryIsLetGoOnce) {
  Lent lent;
  {
    std::vector<HostTensor> held;
    for (int i = 0; i < 5; ++i) held.push_back(lent.tensor());  // moves them when the vector grows
    EXPECT_EQ(lent.returned, 0);
    std::swap(held[0], held[1]);
    held[2] = std::move(held[3]);
    EXPECT_EQ(lent.returned, 1);
    held[3].swap(held[4]);
    held.erase(held.begin());
    EXPECT_EQ(lent.returned, 2);
  }
  EXPECT_EQ(lent.returned, 5);
  int returned = 0;
  {
    const HostTensor nothing =
        HostTensor::borrow({f32, {0, 4}}, {}, {nullptr, [&](std::nullptr_t) { ++returned; }});
    EXPECT_EQ(nothing.elements(), 0);
    EXPECT_EQ(nothing, HostTensor({f32, {0, 4}}));
    EXPECT_EQ(returned, 0);
  }
  EXPECT_EQ(returned, 1);
}

TEST(HostStorage, MemoryThatDoesNotFitIsNotBorrowed) {
  const std::vector<float> four(4);
  int returned = 0;
  const auto owner = [&] { return std::shared_ptr<const void>(&four, [&](const void*) { ++returned; }); };
  EXPECT_ERROR_HERE("2x3xf32 takes 24 bytes, and 16 are given", HostTensor::borrow({2, 3}, four, owner()));
  EXPECT_ERROR_HERE("[-2, -2] has a negative size", HostTensor::borrow({-2, -2}, four, owner()));
  EXPECT_ERROR_HERE("too large", HostTensor::borrow({int64_t{1} << 62, 4}, four, owner()));
  const std::vector<unsigned char> truths = {0, 1, 2, 0};
  EXPECT_ERROR_HERE("element 2 of a tensor 4xi1 is the byte 2, and must be 0 or 1",
                    HostTensor::borrow({DType::i1, {4}}, truths, owner()));
  EXPECT_ERROR_HERE("element 2 of a tensor 4xi1 is the byte 2", HostTensor({DType::i1, {4}}, truths));
  EXPECT_EQ(HostTensor::borrow({DType::i1, {2}}, std::span(truths).first(2)).at(1), 1);
  const auto* bytes = reinterpret_cast<const unsigned char*>(four.data());
  EXPECT_ERROR_HERE("element type 77", HostTensor::borrow({DType(77), {4}}, {bytes, 16}, owner()));
  for (DType type : kBorrowed) {
    const auto size = static_cast<size_t>(size_of(type));
    for (size_t offset = 0; offset < 8; ++offset) {
      const auto borrow = [&] { return HostTensor::borrow({type, {}}, {bytes + offset, size}, owner()); };
      if (offset % size == 0)
        EXPECT_EQ(static_cast<const HostTensor&>(borrow()).at(0), 0);
      else
        EXPECT_THAT(error_of(borrow),
                    HasSubstr("whose address is not a multiple of " + std::to_string(size)));
    }
  }
  EXPECT_EQ(returned, 5 + 8 * static_cast<int>(std::size(kBorrowed)));
}

// Whether a tensor may borrow an expression of type T. A temporary that owns its elements is gone when
// borrow() returns.
template <class T>
concept CanBeLent = requires(T&& t) { HostTensor::borrow({}, std::forward<T>(t)); };
static_assert(CanBeLent<std::vector<float>&> && CanBeLent<const std::vector<int64_t>&> &&
              CanBeLent<std::span<float>>);
static_assert(!CanBeLent<std::vector<float>> && !CanBeLent<std::vector<bool>&> &&
              !CanBeLent<std::vector<long double>&>);

}  // namespace
}  // namespace cutset
