// SPDX-License-Identifier: Apache-2.0
// Tests known values of reductions, cumulative ops and ops with indices on every backend: ties, NaN, integers
// that wrap around, no elements, and indices that are out of range. The conformance cases compare backends
// with the reference kernel, so they cannot show that the reference kernel is wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/conformance/on_device.h"

namespace cutset::testing {
namespace {

using ::testing::ElementsAreArray;

template <class T>
constexpr T kLowest = std::numeric_limits<T>::lowest();
template <class T>
constexpr T kLargest = std::numeric_limits<T>::max();
const float kNan = std::nanf("");
constexpr float kInfinity = std::numeric_limits<float>::infinity();

HostTensor tensor(DType type, Shape shape, const std::vector<double>& values) {
  HostTensor t({type, std::move(shape)});
  for (size_t i = 0; i < values.size(); ++i) t.set(static_cast<int64_t>(i), values[i]);
  return t;
}

class IndexValues : public ::testing::TestWithParam<std::string> {
 protected:
  std::vector<HostTensor> results(const char* op, Attributes attributes, const std::vector<HostTensor>& in) {
    Case c{op, std::move(attributes), {}};
    for (const HostTensor& t : in) c.operands.push_back({t.type()});
    std::string kernel;
    const auto device = open_device(GetParam());
    auto got = run_on(*device, *find_op(op), c, in, &kernel);
    EXPECT_TRUE(got.ok()) << got.error().text();
    return got.ok() ? *std::move(got) : std::vector<HostTensor>{};
  }
  // Returns the elements of a result, with NaN as -1000.
  static std::vector<double> elements(const HostTensor& t) {
    std::vector<double> values;
    for (int64_t i = 0; i < t.elements(); ++i) values.push_back(std::isnan(t.at(i)) ? -1000 : t.at(i));
    return values;
  }
  std::vector<double> run(const char* op, Attributes attributes, const std::vector<HostTensor>& in) {
    const auto all = results(op, std::move(attributes), in);
    return all.empty() ? std::vector<double>{} : elements(all[0]);
  }
};
INSTANTIATE_TEST_SUITE_P(All, IndexValues, ::testing::ValuesIn(kinds_here()),
                         [](const auto& info) { return info.param; });

TEST_P(IndexValues, Reductions) {
  const Attributes rows = {{"axes", IntList{1}}};
  const HostTensor x = tensor(f32, {2, 3}, {2, -3, 4, 5, kNan, -7}),
                   i = tensor(i8, {2, 3}, {100, 27, 3, -128, 2, 3});
  EXPECT_THAT(run("reduce_min", rows, {x}), ElementsAreArray<double>({-3, -1000}));
  EXPECT_THAT(run("reduce_max", rows, {x}), ElementsAreArray<double>({4, -1000}));
  EXPECT_THAT(run("reduce_prod", rows, {x}), ElementsAreArray<double>({-24, -1000}));
  EXPECT_THAT(run("reduce_sum", rows, {i}), ElementsAreArray<double>({-126, -123}));
  EXPECT_THAT(run("reduce_prod", rows, {i}), ElementsAreArray<double>({-92, 0}));  // 8100 is -92 modulo 256
  EXPECT_THAT(run("reduce_min", rows, {i}), ElementsAreArray<double>({3, -128}));
  const HostTensor u = tensor(u64, {1, 2}, {1, 0});
  EXPECT_THAT(run("reduce_max", rows, {u}), ElementsAreArray<double>({1}));
  const HostTensor large = tensor(i64, {1, 2}, {-3, -0x1p40});
  EXPECT_THAT(run("reduce_min", rows, {large}), ElementsAreArray<double>({-0x1p40}));
  EXPECT_THAT(run("reduce_prod", rows, {large}), ElementsAreArray<double>({3 * 0x1p40}));
  const HostTensor flags = tensor(i1, {3, 2}, {1, 1, 0, 1, 0, 0});
  EXPECT_THAT(run("reduce_min", rows, {flags}), ElementsAreArray<double>({1, 0, 0}));
  EXPECT_THAT(run("reduce_max", rows, {flags}), ElementsAreArray<double>({1, 1, 0}));
}

TEST_P(IndexValues, ReductionsOfNothing) {
  const auto of = [&](const char* op, DType type) { return run(op, {}, {HostTensor({type, {0}})})[0]; };
  EXPECT_EQ(of("reduce_min", f32), kInfinity);
  EXPECT_EQ(of("reduce_max", f32), -kInfinity);
  EXPECT_EQ(of("reduce_prod", f32), 1);
  EXPECT_EQ(of("reduce_prod", u8), 1);
  EXPECT_EQ(of("reduce_sum", i32), 0);
  EXPECT_EQ(of("reduce_min", i8), 127);
  EXPECT_EQ(of("reduce_max", i16), -32768);
  EXPECT_EQ(of("reduce_max", i64), static_cast<double>(kLowest<int64_t>));
  EXPECT_EQ(of("reduce_min", u32), 4294967295.);
  EXPECT_EQ(of("reduce_max", u32), 0);
  EXPECT_EQ(of("reduce_min", i1), 1);
  EXPECT_EQ(of("reduce_max", i1), 0);
}

TEST_P(IndexValues, IndicesOfExtrema) {
  const auto index_of = [&](const char* op, bool last, const std::vector<double>& line) {
    return run(op, {{"select_last_index", last}}, {tensor(f32, {5}, line)})[0];
  };
  EXPECT_EQ(index_of("argmin", false, {3, 1, 2, 1, 1}), 1);
  EXPECT_EQ(index_of("argmin", true, {3, 1, 2, 1, 1}), 4);
  EXPECT_EQ(index_of("argmin", false, {3, kNan, -kInfinity, kNan, 1}), 1);
  EXPECT_EQ(index_of("argmin", true, {3, kNan, -kInfinity, kNan, 1}), 3);
  EXPECT_EQ(index_of("argmax", true, {3, 1, 3, 2, 1}), 2);
  EXPECT_EQ(index_of("argmax", true, {kNan, 1, kNan, kInfinity, 1}), 2);
  EXPECT_EQ(run("argmin", {}, {tensor(i64, {3}, {0x1p40, -0x1p40, -0x1p33})})[0], 1);
}

TEST_P(IndexValues, CumulativeSumsAndProducts) {
  const HostTensor x = tensor(f32, {2, 4}, {1, 2, 3, 4, 2, 0, 5, -1});
  const auto along = [](int64_t axis, bool exclusive, bool reverse) {
    return Attributes{{"axis", axis}, {"exclusive", exclusive}, {"reverse", reverse}};
  };
  EXPECT_THAT(run("cumsum", along(1, false, false), {x}),
              ElementsAreArray<double>({1, 3, 6, 10, 2, 2, 7, 6}));
  EXPECT_THAT(run("cumsum", along(1, true, false), {x}), ElementsAreArray<double>({0, 1, 3, 6, 0, 2, 2, 7}));
  EXPECT_THAT(run("cumsum", along(1, false, true), {x}),
              ElementsAreArray<double>({10, 9, 7, 4, 6, 4, 4, -1}));
  EXPECT_THAT(run("cumsum", along(-2, true, true), {x}), ElementsAreArray<double>({2, 0, 5, -1, 0, 0, 0, 0}));
  EXPECT_THAT(run("cumprod", along(1, false, false), {x}),
              ElementsAreArray<double>({1, 2, 6, 24, 2, 0, 0, 0}));
  EXPECT_THAT(run("cumprod", along(1, true, true), {x}),
              ElementsAreArray<double>({24, 12, 4, 1, 0, -5, -1, 1}));
  EXPECT_THAT(run("cumsum", along(0, false, false), {tensor(u8, {3}, {200, 100, 1})}),
              ElementsAreArray<double>({200, 44, 45}));
  EXPECT_THAT(run("cumprod", along(0, false, false), {tensor(i64, {3}, {-3, 0x1p40, 5})}),
              ElementsAreArray<double>({-3, -3 * 0x1p40, -15 * 0x1p40}));
}

TEST_P(IndexValues, GatheredIntegersThatAreOutOfRange) {
  const HostTensor ids = tensor(i64, {4}, {1, 2, -2, -3});
  const auto of = [&](DType type) { return run("gather", {}, {tensor(type, {2}, {1, 0}), ids}); };
  EXPECT_THAT(of(i32), ElementsAreArray<double>({0, kLowest<int32_t>, 1, kLowest<int32_t>}));
  EXPECT_THAT(of(i8), ElementsAreArray<double>({0, -128, 1, -128}));
  EXPECT_THAT(of(u16), ElementsAreArray<double>({0, 65535, 1, 65535}));
  EXPECT_THAT(of(i1), ElementsAreArray<double>({0, 0, 1, 0}));
  EXPECT_THAT(of(f32), ElementsAreArray<double>({0, -1000, 1, -1000}));
  // The results of the pieces of a table add up: only the first piece gives the value for an index that is
  // out of range.
  const auto piece = [&](int64_t first) {
    return run("gather", {{"first_row", first}, {"table_rows", int64_t{4}}},
               {tensor(i32, {2}, {7, 8}), tensor(i64, {3}, {4, -1, -5})});
  };
  EXPECT_THAT(piece(0), ElementsAreArray<double>({kLowest<int32_t>, 0, kLowest<int32_t>}));
  EXPECT_THAT(piece(2), ElementsAreArray<double>({0, 8, 0}));
}

TEST_P(IndexValues, GatheredElements) {
  const HostTensor x = tensor(f32, {2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(run("gather_elements", {{"axis", int64_t{1}}}, {x, tensor(i64, {2, 2}, {2, -3, 1, 1})}),
              ElementsAreArray<double>({3, 1, 5, 5}));
  EXPECT_THAT(run("gather_elements", {}, {x, tensor(i32, {3, 2}, {1, 0, 0, -1, 2, -3})}),
              ElementsAreArray<double>({4, 2, 1, 5, -1000, -1000}));
  EXPECT_THAT(run("gather_elements", {},
                  {tensor(u8, {2}, {7, 8}), tensor(i64, {2}, {kLowest<int64_t> * 1., 0x1p40})}),
              ElementsAreArray<double>({255, 255}));
}

TEST_P(IndexValues, ScatteredElements) {
  const HostTensor x = tensor(f32, {2, 3}, {1, 2, 3, 4, 5, 6}),
                   ids = tensor(i64, {2, 3}, {0, 2, 0, -1, 1, -1}),
                   u = tensor(f32, {2, 3}, {10, 20, -30, -40, 50, 60});
  const auto with = [&](const char* reduction) {
    return run("scatter_elements", {{"axis", int64_t{1}}, {"reduction", std::string(reduction)}},
               {x, ids, u});
  };
  EXPECT_THAT(with("none"), ElementsAreArray<double>({-30, 2, 20, 4, 50, 60}));
  EXPECT_THAT(with("add"), ElementsAreArray<double>({-19, 2, 23, 4, 55, 26}));
  EXPECT_THAT(with("mul"), ElementsAreArray<double>({-300, 2, 60, 4, 250, -14400}));
  EXPECT_THAT(with("max"), ElementsAreArray<double>({10, 2, 20, 4, 50, 60}));
  EXPECT_THAT(with("min"), ElementsAreArray<double>({-30, 2, 3, 4, 5, -40}));
  // An index that is out of range spoils its own line only.
  const HostTensor beyond = tensor(i64, {2, 3}, {0, 1, 2, 0, 3, 0});
  EXPECT_THAT(run("scatter_elements", {{"axis", int64_t{1}}}, {x, beyond, u}),
              ElementsAreArray<double>({10, 20, -30, -1000, -1000, -1000}));
  EXPECT_THAT(run("scatter_elements", {{"reduction", std::string("max")}},
                  {x, tensor(i64, {1, 1}, {1}), tensor(f32, {1, 1}, {kNan})}),
              ElementsAreArray<double>({1, 2, 3, -1000, 5, 6}));
  EXPECT_THAT(run("scatter_elements", {{"reduction", std::string("add")}},
                  {tensor(i8, {2}, {100, 1}), tensor(i32, {3}, {0, 1, 0}), tensor(i8, {3}, {100, 5, 100})}),
              ElementsAreArray<double>({44, 6}));
}

TEST_P(IndexValues, SortedElements) {
  const auto of = [&](bool largest, int64_t k, const HostTensor& x) {
    const auto all = results("top_k", {{"k", k}, {"largest", largest}}, {x});
    std::vector<double> joined = elements(all[0]), indices = elements(all[1]);
    joined.insert(joined.end(), indices.begin(), indices.end());
    return joined;
  };
  const HostTensor x = tensor(f32, {6}, {2, kNan, 5, kInfinity, 2, kNan});
  EXPECT_THAT(of(true, 4, x), ElementsAreArray<double>({-1000, -1000, kInfinity, 5, 1, 5, 3, 2}));
  EXPECT_THAT(of(false, 4, x), ElementsAreArray<double>({2, 2, 5, kInfinity, 0, 4, 2, 3}));
  EXPECT_THAT(of(false, 6, x),
              ElementsAreArray<double>({2, 2, 5, kInfinity, -1000, -1000, 0, 4, 2, 3, 1, 5}));
  EXPECT_THAT(of(true, 3, tensor(i64, {5}, {-1, 0x1p40, 0x1p40, 7, 0x1p41})),
              ElementsAreArray<double>({0x1p41, 0x1p40, 0x1p40, 4, 1, 2}));
}

TEST_P(IndexValues, Triangles) {
  const HostTensor x = tensor(f32, {2, 3}, {1, kNan, 3, 4, 5, 6});
  EXPECT_THAT(run("trilu", {}, {x}), ElementsAreArray<double>({1, -1000, 3, 0, 5, 6}));
  EXPECT_THAT(run("trilu", {{"upper", false}}, {x}), ElementsAreArray<double>({1, 0, 0, 4, 5, 0}));
  EXPECT_THAT(run("trilu", {{"diagonal", int64_t{2}}}, {x}), ElementsAreArray<double>({0, 0, 3, 0, 0, 0}));
  EXPECT_THAT(run("trilu", {{"upper", false}, {"diagonal", int64_t{-1}}}, {x}),
              ElementsAreArray<double>({0, 0, 0, 4, 0, 0}));
}

TEST_P(IndexValues, Bits) {
  const HostTensor x = tensor(f32, {4}, {1, -2, 0, kInfinity});
  const std::vector<double> bits = {0x3f800000, 0xc0000000, 0, 0x7f800000};
  EXPECT_THAT(run("bitcast", {{"dtype", u32}}, {x}), ElementsAreArray(bits));
  EXPECT_THAT(run("bitcast", {{"dtype", f32}}, {tensor(u32, {4}, bits)}), ElementsAreArray(elements(x)));
  EXPECT_THAT(run("bitcast", {{"dtype", u8}}, {tensor(i1, {3}, {1, 0, 1})}),
              ElementsAreArray<double>({1, 0, 1}));
  EXPECT_THAT(run("bitcast", {{"dtype", i8}}, {tensor(u8, {2}, {127, 128})}),
              ElementsAreArray<double>({127, -128}));
}

}  // namespace
}  // namespace cutset::testing
