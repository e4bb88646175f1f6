// SPDX-License-Identifier: Apache-2.0
// Tests gather_nd, scatter_nd, sort, argsort and embedding_bag: their values, gradients and errors.
#include <cutset/indexing.h>
#include <cutset/onnx_ops/indexing.h>
#include <cutset/testing.h>
#include <gmock/gmock.h>

#include <cmath>

#include "tests/compositions.h"
#include "tests/errors.h"

namespace cutset {
namespace {

using ::testing::ElementsAreArray;
using testing::error_of;
using testing::filled;
using ::testing::HasSubstr;

// Returns the elements, with NaN as -1000.
std::vector<double> marked(const HostTensor& t) {
  std::vector<double> values;
  for (int64_t i = 0; i < t.elements(); ++i) values.push_back(std::isnan(t.at(i)) ? -1000 : t.at(i));
  return values;
}

struct Indexing : testing::PerBackend {
  // Returns the result of `build` for inputs with the values `in`.
  std::vector<double> run(const std::vector<HostTensor>& in, const testing::Composition& build) {
    return marked(testing::evaluated(device(), in, build));
  }
};
CUTSET_INSTANTIATE_PER_BACKEND(Indexing);

const HostTensor& cube() {  // [2, 3, 2]
  static const HostTensor x = filled(f32, {2, 3, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  return x;
}

TEST_P(Indexing, GatherNd) {
  const auto gathered = [&](const HostTensor& ids, int64_t batch_dims = 0) {
    return run({cube(), ids}, [&](const auto& in) { return onnx_ops::gather_nd(in[0], in[1], batch_dims); });
  };
  EXPECT_THAT(gathered(filled(i64, {2, 2}, {0, 1, 1, -1})), ElementsAreArray<double>({2, 3, 10, 11}));
  EXPECT_THAT(gathered(filled(i32, {1}, {-1})), ElementsAreArray<double>({6, 7, 8, 9, 10, 11}));
  EXPECT_THAT(gathered(filled(i32, {2, 1, 3}, {1, 2, 0, 0, -3, 1})), ElementsAreArray<double>({10, 1}));
  EXPECT_THAT(gathered(filled(i64, {2, 1}, {1, -3}), 1), ElementsAreArray<double>({2, 3, 6, 7}));
  EXPECT_THAT(gathered(filled(i64, {2, 3, 1}, {1, 0, 1, 0, 0, -2}), 2),
              ElementsAreArray<double>({1, 2, 5, 6, 8, 10}));
}

// Each index is compared with the size of its own dimension: [0, 3] is not the place [1, 0].
TEST_P(Indexing, ListsWithAnIndexThatIsOutOfRangeGiveNan) {
  const std::vector<double> lists = {0, 3, 0, -4, 2, 0, -3, 0, -2, 0, 0x1p40, 0, 1, 0x1p62, 0x1p62, 0};
  const std::vector<double> got = run({cube(), filled(i64, {8, 2}, lists)},
                                      [](const auto& in) { return onnx_ops::gather_nd(in[0], in[1]); });
  const std::vector<double> nan = {-1000, -1000};
  for (size_t i = 0; i < 8; ++i) {
    const std::vector<double> slice = {got[2 * i], got[2 * i + 1]};
    EXPECT_EQ(slice, i == 4 ? (std::vector<double>{0, 1}) : nan) << i;
  }
}

TEST_P(Indexing, ScatterNd) {
  const auto scattered = [&](const HostTensor& ids, const HostTensor& updates,
                             ScatterElementsReduction reduction) {
    return run({cube(), ids, updates},
               [&](const auto& in) { return onnx_ops::scatter_nd(in[0], in[1], in[2], reduction); });
  };
  const HostTensor ids = filled(i64, {3, 2}, {0, 1, 1, -1, 0, 1}),
                   u = filled(f32, {3, 2}, {50, 51, 60, 61, 70, 71});
  EXPECT_THAT(scattered(ids, u, ScatterElementsReduction::kNone),
              ElementsAreArray<double>({0, 1, 70, 71, 4, 5, 6, 7, 8, 9, 60, 61}));
  EXPECT_THAT(scattered(ids, u, ScatterElementsReduction::kAdd),
              ElementsAreArray<double>({0, 1, 122, 125, 4, 5, 6, 7, 8, 9, 70, 72}));
  EXPECT_THAT(
      scattered(filled(i32, {1, 3}, {1, 0, 1}), filled(f32, {1}, {-5}), ScatterElementsReduction::kMin),
      ElementsAreArray<double>({0, 1, 2, 3, 4, 5, 6, -5, 8, 9, 10, 11}));
  EXPECT_THAT(
      scattered(filled(i32, {1, 2}, {1, 3}), filled(f32, {1, 2}, {1, 2}), ScatterElementsReduction::kNone),
      ElementsAreArray(std::vector<double>(12, -1000)));
}

TEST_P(Indexing, Sort) {
  const HostTensor x = filled(f32, {2, 4}, {3, std::nan(""), -1, 3, 0, 2, 1, 2});
  const auto sorted = [&](int64_t axis, bool descending) {
    return run({x}, [&](const auto& in) { return sort(in[0], axis, descending); });
  };
  const auto order = [&](bool descending) {
    return run({x}, [&](const auto& in) { return argsort(in[0], 1, descending); });
  };
  EXPECT_THAT(sorted(-1, false), ElementsAreArray<double>({-1, 3, 3, -1000, 0, 1, 2, 2}));
  EXPECT_THAT(sorted(-1, true), ElementsAreArray<double>({-1000, 3, 3, -1, 2, 2, 1, 0}));
  EXPECT_THAT(sorted(0, false), ElementsAreArray<double>({0, 2, -1, 2, 3, -1000, 1, 3}));
  EXPECT_THAT(order(false), ElementsAreArray<double>({2, 0, 3, 1, 0, 2, 1, 3}));
  EXPECT_THAT(order(true), ElementsAreArray<double>({1, 0, 3, 2, 1, 3, 2, 0}));
}

TEST_P(Indexing, EmbeddingBag) {
  const HostTensor table = filled(f32, {3, 2}, {1, -2, 3, -4, 5, -6}),
                   ids = filled(i32, {2, 2}, {0, 2, 1, 1});
  const auto bags = [&](BagMode mode) {
    return run({table, ids}, [&](const auto& in) { return embedding_bag(in[0], in[1], mode); });
  };
  EXPECT_THAT(bags(BagMode::kSum), ElementsAreArray<double>({6, -8, 6, -8}));
  EXPECT_THAT(bags(BagMode::kMean), ElementsAreArray<double>({3, -4, 3, -4}));
  EXPECT_THAT(bags(BagMode::kMax), ElementsAreArray<double>({5, -2, 3, -4}));
}

// Ids that are equal to padding_idx do not count, and a bag of them alone is 0, as in
// torch.nn.functional.embedding_bag. The rows of the table are (1, -2), (3, -4) and (-5, -6). If the padding
// is 0, row 0 may have any elements.
TEST_P(Indexing, EmbeddingBagLeavesOutPadding) {
  HostTensor table = filled(f32, {3, 2}, {1, -2, 3, -4, -5, -6});
  for (const DType type : {i32, i64})
    for (const int64_t padding : {int64_t{-1}, int64_t{0}, int64_t{3}, int64_t{INT32_MIN}}) {
      const auto p = static_cast<double>(padding);
      const HostTensor ids = filled(type, {4, 3}, {2, 1, p, p, 2, p, p, p, p, 1, 1, 1});
      table.set(0, padding == 0 ? NAN : 1);
      const auto bags = [&](BagMode mode) {
        return run({table, ids}, [&](const auto& in) { return embedding_bag(in[0], in[1], mode, padding); });
      };
      EXPECT_THAT(bags(BagMode::kSum), ElementsAreArray<double>({-2, -10, -5, -6, 0, 0, 9, -12})) << padding;
      EXPECT_THAT(bags(BagMode::kMean), ElementsAreArray<double>({-1, -5, -5, -6, 0, 0, 3, -4})) << padding;
      EXPECT_THAT(bags(BagMode::kMax), ElementsAreArray<double>({3, -4, -5, -6, 0, 0, 3, -4})) << padding;
    }
  table.set(0, 1);
  // Without a padding_idx, -1 is the last row. A bag with padding and an id that is out of range is also NaN.
  // No i32 is 2^40.
  const auto sums = [&](const std::vector<double>& ids, std::optional<int64_t> padding) {
    return run({table, filled(i32, {1, 2}, ids)},
               [&](const auto& in) { return embedding_bag(in[0], in[1], BagMode::kSum, padding); });
  };
  EXPECT_THAT(sums({0, -1}, std::nullopt), ElementsAreArray<double>({-4, -8}));
  EXPECT_THAT(sums({0, -1}, 2), ElementsAreArray<double>({-4, -8}));
  EXPECT_THAT(sums({3, -1}, -1), ElementsAreArray<double>({-1000, -1000}));
  EXPECT_THAT(sums({0, -1}, int64_t{1} << 40), ElementsAreArray<double>({-4, -8}));
}

// A row gets a share of the gradient of each bag that counts it: 1/2 of bag 0 and 1/1 of bag 1 for a mean.
TEST_P(Indexing, PaddingOfABagGetsNoGradient) {
  const HostTensor ids = filled(i32, {3, 3}, {2, 1, 0, 0, 2, 0, 0, 0, 0});
  const std::pair<BagMode, std::vector<double>> rows[] = {
      {BagMode::kSum, {0, 1, 2}}, {BagMode::kMean, {0, 0.5, 1.5}}, {BagMode::kMax, {0, 1, 1}}};
  for (const auto& [mode, expected] : rows) {
    Graph g;
    const Tensor w = g.variable("w", HostTensor(Shape{3, 1}, std::vector<float>{7, 5, 4}));
    g.minimize(sum(embedding_bag(w, g.input("ids", i32, {3, 3}), mode, 0)), {.learning_rate = 0});
    Session session = compile(g, {.devices = device(), .gradients = true});
    EXPECT_THAT(marked(session.train({{"ids", ids}})["gradient:w"]), ElementsAreArray(expected));
  }
}

// The gradient of the sum of the gathered slices counts how often each slice was gathered. The gradient of
// the replaced slices is 0.
TEST(IndexingGradients, FollowTheSlices) {
  Graph g;
  const Tensor w = g.variable("w", f32, {2, 3, 2}, Initializer::zeros());
  const Tensor v = g.variable("v", f32, {2, 2}, Initializer::zeros());
  const Tensor at = g.input("at", i64, {2, 2});
  g.minimize(sum(onnx_ops::gather_nd(w, at)) + sum(onnx_ops::scatter_nd(w, at, v)) * 10,
             {.learning_rate = 0});
  Session session = compile(g, {.devices = "reference:0", .gradients = true});
  const auto out = session.train({{"at", filled(i64, {2, 2}, {1, 0, -1, 0})}});
  EXPECT_THAT(marked(out["gradient:w"]),
              ElementsAreArray<double>({10, 10, 10, 10, 10, 10, 2, 2, 10, 10, 10, 10}));
  EXPECT_THAT(marked(out["gradient:v"]), ElementsAreArray<double>({0, 0, 10, 10}));
}

TEST(IndexingErrors, NameTheFunctionAndAddNothing) {
  Graph g;
  const auto input = [&](const char* name, DType type, Shape shape) {
    return g.input(name, type, std::move(shape));
  };
  const Tensor x = input("x", f32, {2, 3, 2}), ids = input("ids", i64, {4, 2}),
               four = input("four", i64, {1, 4}), none = input("none", f32, {2, 0}),
               one = input("one", i64, {1}), flags = input("flags", i1, {4, 2}),
               floats = input("floats", f32, {4, 2}), table = input("table", f32, {3, 2}),
               whole = input("whole", i32, {4, 2});
  const std::string before = g.text();
  EXPECT_ERROR_HERE("has lists of 4 indices", onnx_ops::gather_nd(x, four));
  EXPECT_ERROR_HERE("has 1 batch dimensions", onnx_ops::gather_nd(x, ids, 1));
  EXPECT_ERROR_HERE("has -1 batch dimensions", onnx_ops::gather_nd(x, ids, -1));
  EXPECT_ERROR_HERE("slices without elements", onnx_ops::gather_nd(none, one));
  EXPECT_ERROR_HERE("gather_nd has indices of type i1", onnx_ops::gather_nd(x, flags));
  EXPECT_ERROR_HERE("empty Tensor", onnx_ops::gather_nd(Tensor(), ids));
  EXPECT_ERROR_HERE("scatter_nd has indices of type f32", onnx_ops::scatter_nd(x, floats, x));
  EXPECT_ERROR_HERE("not of the shape [4, 2]", onnx_ops::scatter_nd(x, ids, x));
  EXPECT_ERROR_HERE("C4: the updates are", onnx_ops::scatter_nd(x, ids, whole));
  EXPECT_ERROR_HERE("axis 3 is not a dimension of 2x3x2xf32, which sort sorts", sort(x, 3));
  EXPECT_ERROR_HERE("which argsort sorts", argsort(x, -4));
  EXPECT_ERROR_HERE("embedding_bag of the table 2x3x2xf32", embedding_bag(x, ids));
  EXPECT_ERROR_HERE("C1: the indices", embedding_bag(table, floats));
  EXPECT_ERROR_HERE("has a padding_idx", embedding_bag(whole, ids, BagMode::kSum, 0));
  EXPECT_EQ(g.text(), before);
}

}  // namespace
}  // namespace cutset
