// SPDX-License-Identifier: Apache-2.0
// Tests HostTensor: the number of bytes matches the type, elements are converted correctly for every element
// type, and misuse throws an error that names the line of the call.
#include "runtime/files/host_tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "ir/core/half.h"
#include "tests/errors.h"

namespace cutset {
namespace {

using ::testing::AllOf;
using testing::error_of;
using ::testing::HasSubstr;
constexpr DType kTypes[] = {DType::f32, DType::bf16, DType::f16, DType::f64, DType::i8,
                            DType::i16, DType::i32,  DType::i64, DType::u8,  DType::u16,
                            DType::u32, DType::u64,  DType::i1};
constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(HostTensor, EveryTypeStartsAtZeroAndKeepsWhatIsSet) {
  for (DType type : kTypes) {
    HostTensor t({type, {2, 3}});
    EXPECT_EQ(static_cast<int64_t>(t.bytes().size()), 6 * size_of(type));
    for (int i = 0; i < 6; ++i) EXPECT_EQ(t.at(i), 0) << name_of(type);
    t.set(4, 1);
    for (int i = 0; i < 6; ++i) EXPECT_EQ(t.at(i), i == 4) << name_of(type);
    if (is_float(type)) {
      t.set(1, -kInf);
      t.set(2, std::nan(""));
      t.set(3, -0.5);
      EXPECT_EQ(t.at(1), -kInf) << name_of(type);
      EXPECT_TRUE(std::isnan(t.at(2))) << name_of(type);
      EXPECT_EQ(t.at(3), -0.5) << name_of(type);
    }
  }
}

TEST(HostTensor, HalvesRoundToNearestEven) {
  struct Row {
    DType type;
    double value;
    uint16_t bits;
  };
  const Row rows[] = {
      {DType::f16, 1, 0x3c00},
      {DType::f16, -2, 0xc000},
      {DType::f16, 65504, 0x7bff},
      {DType::f16, 65519.99, 0x7bff},
      {DType::f16, 65520, 0x7c00},
      {DType::f16, 1e300, 0x7c00},
      {DType::f16, 0x1p-24, 0x0001},
      {DType::f16, 0x1p-25, 0x0000},
      {DType::f16, 0x1.01p-25, 0x0001},
      {DType::f16, 0x1.ff8p-15, 0x03ff},
      {DType::f16, 0x1.ffcp-15, 0x0400},
      {DType::f16, 1 + 0x1p-11, 0x3c00},
      {DType::f16, 1 + 3 * 0x1p-11, 0x3c02},
      {DType::f16, 1 + 0x1p-11 + 0x1p-40, 0x3c01},  // rounding to f32 first would lose the last term
      {DType::f16, 0, 0x0000},
      {DType::f16, -0.0, 0x8000},
      {DType::bf16, 1, 0x3f80},
      {DType::bf16, -kInf, 0xff80},
      {DType::bf16, 1 + 0x1p-8, 0x3f80},
      {DType::bf16, 1 + 3 * 0x1p-8, 0x3f82},
      {DType::bf16, 0x1.fep127, 0x7f7f},
      {DType::bf16, 0x1.ffp127, 0x7f80},
      {DType::bf16, 0x1p-133, 0x0001},
      {DType::bf16, 0x1p-126, 0x0080},
  };
  for (const Row& r : rows) EXPECT_EQ(to_half(r.value, r.type), r.bits) << name_of(r.type) << " " << r.value;
  for (DType type : {DType::f16, DType::bf16})
    for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
      const double v = from_half(static_cast<uint16_t>(bits), type);
      if (std::isnan(v))
        EXPECT_TRUE(std::isnan(from_half(to_half(v, type), type))) << bits;
      else
        ASSERT_EQ(to_half(v, type), bits) << name_of(type);
    }
  // bf16 is the upper half of an f32.
  for (uint32_t bits : {0x3f80u, 0x0001u, 0x7f7fu, 0xc2c8u}) {
    const uint32_t wide = bits << 16;
    float f;
    std::memcpy(&f, &wide, sizeof f);
    EXPECT_EQ(from_half(static_cast<uint16_t>(bits), DType::bf16), f);
  }
}

TEST(HostTensor, ElementsSayTheTypeAndMustFillTheShape) {
  EXPECT_EQ(HostTensor({2, 3}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f}).type(), (TensorType{f32, {2, 3}}));
  EXPECT_EQ(HostTensor({2}, std::vector<int64_t>{7, 8}).type(), (TensorType{i64, {2}}));
  EXPECT_EQ(HostTensor({3}, std::vector<bool>{true, false, true}).at(2), 1);
  EXPECT_EQ(HostTensor({1}, {int8_t{-3}}).at(0), -3);
  EXPECT_EQ(HostTensor({}, {2.5}).type(), (TensorType{f64, {}}));
  EXPECT_EQ(HostTensor::scalar(2.5f).item<double>(), 2.5);
  EXPECT_EQ(HostTensor({0, 4}, std::vector<float>{}).elements(), 0);
  EXPECT_ERROR_HERE("2x2xf32 has 4 elements, and 3 are given", HostTensor({2, 2}, {1.f, 2.f, 3.f}));
  EXPECT_ERROR_HERE("and 5 are given", HostTensor({2, 2}, std::vector<float>(5)));
  EXPECT_ERROR_HERE("1 elements, and 0 are given", HostTensor({}, std::vector<float>()));
  EXPECT_ERROR_HERE("2xf32 takes 8 bytes, and 7 are given",
                    HostTensor(TensorType{f32, {2}}, std::vector<unsigned char>(7)));
  EXPECT_ERROR_HERE("negative", HostTensor(TensorType{f32, {-2}}, std::vector<unsigned char>()));
  EXPECT_EQ(HostTensor(TensorType{f32, {2}}, std::vector<unsigned char>(8)).type(), (TensorType{f32, {2}}));
}

TEST(HostTensor, TypesThatCannotBeAreErrors) {
  EXPECT_ERROR_HERE("[-2] has a negative size", HostTensor({f32, {-2}}));
  EXPECT_ERROR_HERE("too large", HostTensor({f32, {int64_t{1} << 62}}));
  EXPECT_ERROR_HERE("too large", HostTensor({f32, {0, int64_t{1} << 62, 4}}));
  EXPECT_ERROR_HERE("rank 9", HostTensor({f32, {1, 1, 1, 1, 1, 1, 1, 1, 1}}));
  EXPECT_ERROR_HERE("element type 77", HostTensor({DType(77), {1}}));
  EXPECT_ERROR_HERE("not enough memory", HostTensor({u8, {int64_t{1} << 47}}));
}

TEST(HostTensor, AccessOutsideOrAsAnotherTypeIsAnError) {
  HostTensor t({f32, {2}});
  const HostTensor half({DType::f16, {2}});
  EXPECT_ERROR_HERE("element 2 is not one of the 2 elements of 2xf32", t.at(2));
  EXPECT_ERROR_HERE("element -1", t.at(-1));
  EXPECT_ERROR_HERE("element 2", t.set(2, 0));
  EXPECT_ERROR_HERE("element 0 is not one of the 0 elements of 0xf32", HostTensor().at(0));
  EXPECT_ERROR_HERE("the tensor is 2xf32, and its elements cannot be read as f64", t.as<double>());
  EXPECT_ERROR_HERE("its elements cannot be read as uint16_t", t.as<uint16_t>());
  EXPECT_ERROR_HERE("the tensor is 2xf16, and its elements cannot be read as f32", half.as<float>());
  EXPECT_EQ(half.as<uint16_t>()[1], 0);
  EXPECT_ERROR_HERE("2xf32 cannot take the shape [3]", t.reshaped({3}));
  EXPECT_EQ(t.reshaped({1, 2}).type(), (TensorType{f32, {1, 2}}));
}

TEST(HostTensor, ItemIsOfOneElementAndExact) {
  EXPECT_ERROR_HERE("this is 2xf32", HostTensor({f32, {2}}).item<float>());
  EXPECT_ERROR_HERE("this is 0xf32", HostTensor().item<float>());
  EXPECT_EQ(HostTensor({1, 1}, {7.f}).item<int>(), 7);
  constexpr int64_t big = (int64_t{1} << 53) + 1;
  EXPECT_EQ(HostTensor::scalar(big).item<int64_t>(), big);
  EXPECT_EQ(HostTensor::scalar(std::numeric_limits<int64_t>::min()).item<int64_t>(),
            std::numeric_limits<int64_t>::min());
  EXPECT_ERROR_HERE("not a value of the requested integer type", HostTensor::scalar(big).item<int32_t>());
  EXPECT_ERROR_HERE("not a value of the requested integer type",
                    HostTensor::scalar(int64_t{-1}).item<uint64_t>());
  EXPECT_ERROR_HERE("2.5", HostTensor::scalar(2.5f).item<int>());
  EXPECT_ERROR_HERE("nan", HostTensor::scalar(std::nanf("")).item<int64_t>());
  EXPECT_ERROR_HERE("not a value of the requested integer type", HostTensor::scalar(0x1p63).item<int64_t>());
  EXPECT_EQ(HostTensor::scalar(-0x1p63).item<int64_t>(), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(HostTensor::scalar(255.0).item<uint8_t>(), 255);
  EXPECT_ERROR_HERE("256", HostTensor::scalar(256.0).item<uint8_t>());
  EXPECT_TRUE(HostTensor::scalar(true).item<bool>());
  EXPECT_ERROR_HERE("2", HostTensor::scalar(2).item<bool>());
}

TEST(HostTensor, UnsignedIntegersOf64BitsAreExact) {
  const uint64_t largest = std::numeric_limits<uint64_t>::max();
  const HostTensor t = HostTensor::scalar(largest);
  EXPECT_EQ(t.type(), (TensorType{u64, {}}));
  EXPECT_EQ(t.item<uint64_t>(), largest);
  EXPECT_ERROR_HERE("not a value of the requested integer type", t.item<int64_t>());
  EXPECT_EQ(HostTensor::scalar(largest >> 1).item<int64_t>(), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(HostTensor::scalar(0x1p63).item<uint64_t>(), uint64_t{1} << 63);
  EXPECT_ERROR_HERE("not a value of the requested integer type", HostTensor::scalar(0x1p64).item<uint64_t>());
  EXPECT_EQ(HostTensor::scalar(uint32_t{4000000000}).item<int64_t>(), 4000000000);
  EXPECT_ERROR_HERE("not a value of the requested integer type",
                    HostTensor::scalar(uint32_t{4000000000}).item<int>());
}

TEST(HostTensor, IntegersTakeWholeNumbersOfTheirRangeOnly) {
  HostTensor i({i32, {1}}), b({i1, {1}}), u({u8, {1}}), l({i64, {1}});
  EXPECT_ERROR_HERE("0.5 is not a value of i32", i.set(0, 0.5));
  EXPECT_ERROR_HERE("not a value of i32", i.set(0, 0x1p31));
  i.set(0, -0x1p31);
  EXPECT_EQ(i.at(0), -0x1p31);
  EXPECT_ERROR_HERE("nan is not a value of i64", l.set(0, std::nan("")));
  EXPECT_ERROR_HERE("-1 is not a value of u8", u.set(0, -1));
  EXPECT_ERROR_HERE("2 is not a value of i1", b.set(0, 2));
  HostTensor i16s({i16, {1}}), u16s({u16, {1}}), u32s({u32, {1}}), u64s({u64, {1}});
  EXPECT_ERROR_HERE("32768 is not a value of i16", i16s.set(0, 32768));
  EXPECT_ERROR_HERE("-1 is not a value of u16", u16s.set(0, -1));
  EXPECT_ERROR_HERE("not a value of u32", u32s.set(0, 0x1p32));
  EXPECT_ERROR_HERE("not a value of u64", u64s.set(0, 0x1p64));
  u64s.set(0, 0x1p63);
  u32s.set(0, 0x1p32 - 1);
  EXPECT_EQ(u64s.as<uint64_t>()[0], uint64_t{1} << 63);
  EXPECT_EQ(u32s.as<uint32_t>()[0], 4294967295u);
}

TEST(HostTensor, WhatWasMovedFromIsEmpty) {
  HostTensor scalar = HostTensor::scalar(3.f), other = std::move(scalar);
  EXPECT_EQ(scalar.type(), (TensorType{f32, {0}}));
  EXPECT_TRUE(scalar.bytes().empty());
  EXPECT_EQ(scalar, HostTensor());
  scalar = std::move(other);
  EXPECT_EQ(scalar.item<float>(), 3);
  EXPECT_EQ(other.elements(), 0);
}

TEST(HostTensor, EqualityIsOfTypeAndBits) {
  const HostTensor nan = HostTensor::scalar(std::nanf(""));
  EXPECT_EQ(nan, HostTensor(nan));
  EXPECT_NE(HostTensor::scalar(0.f), HostTensor::scalar(-0.f));
  EXPECT_NE(HostTensor({f32, {1}}), HostTensor({i32, {1}}));
  EXPECT_NE(HostTensor({f32, {1, 4}}), HostTensor({f32, {4, 1}}));
}

// Whether an expression of type T gives access to the memory of the tensor. A temporary must not.
template <class T>
concept HandsOut = requires(T&& t) { std::forward<T>(t).template as<float>(); } || requires(T&& t) {
  std::forward<T>(t).data();
} || requires(T&& t) { std::forward<T>(t).bytes(); };
static_assert(HandsOut<HostTensor&> && HandsOut<const HostTensor&> && !HandsOut<HostTensor>);

}  // namespace
}  // namespace cutset
