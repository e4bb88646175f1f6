// SPDX-License-Identifier: Apache-2.0
// Tests ops in f16 and bf16 on every backend: known values of conversions and sums at the limits of the
// types, and that an op computes in f32 and rounds once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ir/core/half.h"
#include "runtime/kernels/half_cases.h"
#include "tests/conformance/on_device.h"

namespace cutset::testing {
namespace {

using ::testing::ElementsAreArray;

constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNan = std::nanf("");

class HalfValues : public ::testing::TestWithParam<std::string> {
 protected:
  // Returns the only result of an op for operands with one dimension.
  HostTensor run(const char* op, const Attributes& attributes, const std::vector<HostTensor>& in) {
    Case c{op, attributes, {}};
    for (const HostTensor& t : in) c.operands.push_back({t.type()});
    std::string kernel;
    auto got = run_on(*device, *find_op(op), c, in, &kernel);
    EXPECT_TRUE(got.ok()) << op << ": " << got.error().text();
    return got.ok() ? (*got)[0] : HostTensor();
  }
  // Returns the elements of a tensor as numbers.
  static std::vector<double> numbers(const HostTensor& t) {
    std::vector<double> list;
    for (int64_t i = 0; i < t.elements(); ++i) list.push_back(t.at(i));
    return list;
  }
  HostTensor cast(const HostTensor& x, DType to) { return run("cast", {{"dtype", to}}, {x}); }
  static HostTensor of(DType type, const std::vector<double>& values) {
    HostTensor t({type, {static_cast<int64_t>(values.size())}});
    for (size_t i = 0; i < values.size(); ++i) t.set(static_cast<int64_t>(i), values[i]);
    return t;
  }
  std::unique_ptr<OpenDevice> device = open_device(GetParam());
};
INSTANTIATE_TEST_SUITE_P(All, HalfValues, ::testing::ValuesIn(kinds_here()),
                         [](const auto& info) { return info.param; });

// Every number of 16 bits becomes the f32 with the same value, and this f32 becomes the same bits.
TEST_P(HalfValues, EveryNumberIsConvertedToF32AndBack) {
  for (const DType type : {f16, bf16}) {
    HostTensor all({type, {0x10000}});
    for (int i = 0; i < 0x10000; ++i) all.as<uint16_t>()[i] = static_cast<uint16_t>(i);
    const HostTensor wide = cast(all, f32), back = cast(wide, type);
    for (int i = 0; i < 0x10000; ++i) {
      const double want = all.at(i);
      if (std::isnan(want)) {
        ASSERT_TRUE(std::isnan(wide.at(i)) && std::isnan(back.at(i))) << name_of(type) << " " << i;
      } else {
        ASSERT_EQ(wide.at(i), want) << name_of(type) << " " << i;
        ASSERT_EQ(back.as<uint16_t>()[i], i) << name_of(type);
      }
    }
  }
}

// The f32 in the middle of two neighbours, and the f32 on both sides of it.
TEST_P(HalfValues, ConversionsFromF32RoundToTheNearestNumber) {
  for (const DType type : {f16, bf16}) {
    std::vector<float> values = {kNan, kInf, -kInf, 1e38f, -1e-45f, 65519.996f, 65520, -65520, 3.4e38f, -0.f};
    const int last = type == f16 ? 0x7bff : 0x7f7f;
    for (int bits = 0; bits <= last; bits += 3) {
      const float low = from_half(static_cast<uint16_t>(bits), type);
      const double step =
          (type == f16 ? 0x1p-11 : 0x1p-8) * std::exp2(std::max(std::ilogb(low), type == f16 ? -14 : -126));
      const auto middle = static_cast<float>(low + step);
      for (const float v : {middle, std::nextafter(middle, 0.f), std::nextafter(middle, kInf)}) {
        values.push_back(v);
        values.push_back(-v);
      }
    }
    HostTensor x({static_cast<int64_t>(values.size())}, values);
    const HostTensor got = cast(x, type);
    for (size_t i = 0; i < values.size(); ++i) {
      const uint16_t want = to_half(values[i], type);
      if (std::isnan(values[i])) {
        ASSERT_TRUE(std::isnan(got.at(static_cast<int64_t>(i))));
      } else {
        ASSERT_EQ(got.as<uint16_t>()[i], want) << name_of(type) << " of " << values[i];
      }
    }
  }
}

TEST_P(HalfValues, ConversionsBetweenHalvesAndIntegers) {
  const HostTensor x = of(f16, {kNan, kInf, -kInf, 1.75, -1.75, 300, 65504, -0.0});
  EXPECT_THAT(numbers(cast(x, i32)),
              ElementsAreArray({0., 2147483647., -2147483648., 1., -1., 300., 65504., 0.}));
  EXPECT_THAT(numbers(cast(x, i8)), ElementsAreArray({0., 127., -128., 1., -1., 127., 127., 0.}));
  EXPECT_THAT(numbers(cast(x, u16)), ElementsAreArray({0., 65535., 0., 1., 0., 300., 65504., 0.}));
  EXPECT_THAT(numbers(cast(x, i1)), ElementsAreArray({1., 1., 1., 1., 1., 1., 1., 0.}));
  EXPECT_THAT(numbers(cast(of(bf16, {3e38, 258, 0x1p-133}), f16)),
              ElementsAreArray({double{kInf}, 258., 0.}));
  EXPECT_THAT(numbers(cast(of(f16, {0x1p-24, 257, 65504}), bf16)), ElementsAreArray({0x1p-24, 256., 65536.}));
  EXPECT_THAT(numbers(cast(of(i32, {2049, 2051, 65519, 65520, -70000, 16777217}), f16)),
              ElementsAreArray({2048., 2052., 65504., double{kInf}, -double{kInf}, double{kInf}}));
  EXPECT_THAT(numbers(cast(of(u8, {0, 255}), bf16)), ElementsAreArray({0., 255.}));
  EXPECT_THAT(numbers(cast(of(i1, {0, 1}), f16)), ElementsAreArray({0., 1.}));
  // A conversion through f32 would first round these numbers to a tie.
  HostTensor wide({i64, {3}});
  wide.as<int64_t>()[0] = (int64_t{1} << 62) + (int64_t{1} << 54) + 1;
  wide.as<int64_t>()[1] = -wide.as<int64_t>()[0];
  wide.as<int64_t>()[2] = (int64_t{1} << 62) + (int64_t{1} << 54);
  EXPECT_THAT(numbers(cast(wide, bf16)), ElementsAreArray({0x1.02p62, -0x1.02p62, 0x1p62}));
  EXPECT_THAT(numbers(cast(of(u32, {4278190080., 4286578688., 4286578689.}), bf16)),
              ElementsAreArray({4278190080., 4278190080. + (1 << 24), 4278190080. + (1 << 24)}));
}

TEST_P(HalfValues, SumsAtTheLimits) {
  const auto add = [&](DType type, double a, double b) {
    return run("add", {}, {of(type, {a}), of(type, {b})}).at(0);
  };
  EXPECT_EQ(add(f16, 65504, 15), 65504);
  EXPECT_EQ(add(f16, 65504, 16), kInf);
  EXPECT_EQ(add(f16, 2048, 1), 2048);
  EXPECT_EQ(add(f16, 2050, 1), 2052);
  EXPECT_EQ(add(f16, 0x1p-24, 0x1p-24), 0x1p-23);
  EXPECT_TRUE(std::isnan(add(f16, kInf, -kInf)));
  EXPECT_EQ(add(bf16, 256, 1), 256);
  EXPECT_EQ(add(bf16, 258, 1), 260);
  EXPECT_EQ(add(bf16, 0x1p-133, 0x1p-133), 0x1p-132);
  EXPECT_EQ(add(bf16, 0x1.fep127, 0x1p119), kInf);
  // The sum of 4096 ones would end at 2048 or 256 if each addition were rounded to the type.
  for (const DType type : {f16, bf16}) {
    const HostTensor ones = of(type, std::vector<double>(4096, 1));
    EXPECT_EQ(run("reduce_sum", {{"axes", IntList{0}}}, {ones}).at(0), 4096) << name_of(type);
    EXPECT_EQ(run("matmul", {}, {ones.reshaped({1, 4096}), ones.reshaped({4096, 1})}).at(0), 4096)
        << name_of(type);
  }
  EXPECT_THAT(numbers(run("less", {}, {of(f16, {1, kNan, -kInf}), of(f16, {2, 1, 65504})})),
              ElementsAreArray({1., 0., 1.}));
}

// Numbers whose bits must not change.
TEST_P(HalfValues, DataMovementKeepsBits) {
  const HostTensor x = of(f16, {kNan, kInf, -0.0, 0x1p-24, 65504, -1}), matrix = x.reshaped({2, 3});
  EXPECT_EQ(run("slice", {{"axis", int64_t{0}}, {"start", int64_t{2}}}, {x}),
            of(f16, {-0.0, 0x1p-24, 65504, -1}));
  EXPECT_EQ(run("transpose", {{"permutation", IntList{1, 0}}}, {matrix}),
            of(f16, {kNan, 0x1p-24, kInf, 65504, -0.0, -1}).reshaped({3, 2}));
  EXPECT_EQ(run("where", {}, {of(i1, {0, 1, 0, 1, 0, 0}), of(f16, {1, 2, 3, 4, 5, 6}), x}),
            of(f16, {kNan, 2, -0.0, 4, 65504, -1}));
  EXPECT_EQ(run("concat", {{"axis", int64_t{0}}}, {x, x}),
            of(f16, {kNan, kInf, -0.0, 0x1p-24, 65504, -1, kNan, kInf, -0.0, 0x1p-24, 65504, -1}));
  EXPECT_EQ(run("full_like", {{"value", 65520.}}, {x}), of(f16, std::vector<double>(6, kInf)));
  EXPECT_EQ(run("pad", {{"axis", int64_t{0}}, {"before", int64_t{1}}}, {x}),
            of(f16, {0, kNan, kInf, -0.0, 0x1p-24, 65504, -1}));
}

// Each op in f16 and bf16 gives the results of the op in f32 for the same operands, rounded once. Reference
// kernels that compute in tiles, or that move bits, must agree with this definition.
TEST(HalvesOfTheReference, AreTheRoundedResultsOfF32) {
  int compared = 0;
  for (const OpInfo* op : all_ops()) {
    size_t with_f32 = 0;
    for (const Case& c : op->cases().fixed)
      with_f32 += in_type(*op, c, f16).attributes != c.attributes ||
                  std::any_of(c.operands.begin(), c.operands.end(),
                              [](const Operand& o) { return o.type.dtype == f32; });
    EXPECT_EQ(half_cases(*op).size(), 2 * with_f32) << op->name << " refuses f16 or bf16";
    for (const Case& c : half_cases(*op)) {
      const auto in = draw(c, 3);
      DType type = f32;
      std::vector<HostTensor> wide;
      for (const HostTensor& t : in) {
        wide.push_back(t);
        if (!is_half(t.dtype())) continue;
        type = t.dtype();
        wide.back() = HostTensor({f32, t.shape()});
        for (int64_t i = 0; i < t.elements(); ++i) wide.back().set(i, t.at(i));
      }
      Attributes attributes = c.attributes;
      for (auto& [name, value] : attributes)
        if (auto* t = std::get_if<DType>(&value); t && is_half(*t)) {
          type = *t;
          *t = f32;
        }
      const auto got = run_reference(*op, c, in), want = run_reference(*op, {c.name, attributes, {}}, wide);
      ASSERT_TRUE(got.ok() && want.ok()) << op->name << ", case '" << c.name << "'";
      for (size_t r = 0; r < got->size(); ++r) {
        EXPECT_TRUE((*got)[r].dtype() != f32 || op->updates > 0 || op->rounds_alike)
            << op->name << ", case '" << c.name << "': result " << r;
        for (int64_t i = 0; i < (*want)[r].elements(); ++i) {
          const double g = (*got)[r].at(i), w = (*want)[r].at(i);
          const double rounded = is_half((*got)[r].dtype()) ? double{from_half(to_half(w, type), type)} : w;
          ASSERT_TRUE(g == rounded || (std::isnan(g) && std::isnan(w)))
              << op->name << ", case '" << c.name << "': element " << i << " is " << g << ", not " << rounded;
          ++compared;
        }
      }
    }
  }
  EXPECT_GT(compared, 10000);
}

}  // namespace
}  // namespace cutset::testing
