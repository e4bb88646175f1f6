// SPDX-License-Identifier: Apache-2.0
// Tests the functions of <cutset/shapes.h>: their values against lists that are written out, their gradients,
// and their errors.
#include <cutset/cutset.h>
#include <cutset/onnx_ops/shapes.h>
#include <cutset/shapes.h>
#include <cutset/testing.h>
#include <gmock/gmock.h>

#include <functional>
#include <numeric>

#include "tests/errors.h"

namespace cutset {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

using Build = std::function<Tensor(const Tensor&)>;

// Returns the result for x = 0, 1, 2, ... of an element type.
HostTensor result_of(const Shape& shape, const Build& build, DType dtype = f32) {
  Graph g;
  const Tensor x = g.input("x", dtype, shape, {.batch_dimension = std::nullopt});
  g.output("y", build(x));
  HostTensor values({dtype, shape});
  for (int64_t i = 0; i < values.elements(); ++i) values.set(i, static_cast<double>(i));
  Session session = compile(g, {.devices = "reference:0"});
  Batch batch;
  batch.emplace("x", values);
  return session.run("evaluate", batch)["y"];
}
std::vector<double> elements(const HostTensor& t) {
  std::vector<double> all;
  for (int64_t i = 0; i < t.elements(); ++i) all.push_back(t.at(i));
  return all;
}
std::vector<double> values(const Shape& shape, const Build& build, DType dtype = f32) {
  return elements(result_of(shape, build, dtype));
}

TEST(Shapes, ArangeOfAnySize) {
  for (const int64_t size : {0, 1, 64, 65, 4097}) {
    std::vector<double> expected(static_cast<size_t>(size));
    std::iota(expected.begin(), expected.end(), 0.0);
    Graph g;
    g.output("y", arange(g, size, i32));
    EXPECT_THAT(elements(compile(g, {.devices = "reference:0"}).run("evaluate", {})["y"]),
                ElementsAreArray(expected));
  }
}

TEST(Shapes, SqueezeAndUnsqueeze) {
  EXPECT_EQ(result_of({1, 3, 1}, [](auto& x) { return squeeze(x); }).shape(), (Shape{3}));
  EXPECT_EQ(result_of({1, 3, 1}, [](auto& x) { return squeeze(x, {-1}); }).shape(), (Shape{1, 3}));
  EXPECT_EQ(result_of({2, 3}, [](auto& x) { return unsqueeze(x, {-1, 0}); }).shape(), (Shape{1, 2, 3, 1}));
  EXPECT_EQ(result_of({0, 3}, [](auto& x) { return unsqueeze(x, {1}); }).shape(), (Shape{0, 1, 3}));
}

TEST(Shapes, BroadcastTileAndStack) {
  EXPECT_THAT(values({2, 1}, [](auto& x) { return broadcast_to(x, {2, 2, 2}); }),
              ElementsAre(0, 0, 1, 1, 0, 0, 1, 1));
  EXPECT_THAT(values({2, 2}, [](auto& x) { return tile(x, {2, 1}); }), ElementsAre(0, 1, 2, 3, 0, 1, 2, 3));
  EXPECT_THAT(
      values({2, 2}, [](auto& x) { return tile(x, {1, 2}); }, i64), ElementsAre(0, 1, 0, 1, 2, 3, 2, 3));
  EXPECT_EQ(result_of({2, 2}, [](auto& x) { return tile(x, {1, 0}); }).shape(), (Shape{2, 0}));
  EXPECT_THAT(values({2}, [](auto& x) { return stack({x, x + 5}, 1); }), ElementsAre(0, 5, 1, 6));
}

TEST(Shapes, MoveAxisAndFlip) {
  EXPECT_THAT(values({2, 3}, [](auto& x) { return move_axis(x, -1, 0); }), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(values({2, 2}, [](auto& x) { return flip(x, {0}); }), ElementsAre(2, 3, 0, 1));
  EXPECT_THAT(values({2, 2}, [](auto& x) { return flip(x, {0, -1}); }), ElementsAre(3, 2, 1, 0));
}

TEST(Shapes, SlicesOfPython) {
  const auto slice_of = [](int64_t start, int64_t end, int64_t step) {
    return values({7}, [=](auto& x) { return slice(x, 0, start, end, step); });
  };
  EXPECT_THAT(slice_of(1, 6, 2), ElementsAre(1, 3, 5));
  EXPECT_THAT(slice_of(-3, 100, 1), ElementsAre(4, 5, 6));
  EXPECT_THAT(slice_of(0, 7, 5), ElementsAre(0, 5));
  EXPECT_THAT(slice_of(5, 2, 1), ElementsAre());
  EXPECT_THAT(slice_of(100, -100, -3), ElementsAre(6, 3, 0));
  EXPECT_THAT(slice_of(4, 1, -2), ElementsAre(4, 2));
  EXPECT_THAT(slice_of(INT64_MAX, INT64_MIN, INT64_MIN), ElementsAre(6));
}

TEST(Shapes, PadWithAnyValueAndNegativeRows) {
  EXPECT_THAT(values({3}, [](auto& x) { return pad(x, {1, 2}, PadMode::kConstant, 9); }),
              ElementsAre(9, 0, 1, 2, 9, 9));
  EXPECT_THAT(values({3}, [](auto& x) { return pad(x, {-1, 1}, PadMode::kConstant, constant(x, 9)); }),
              ElementsAre(1, 2, 9));
}

TEST(Shapes, SplitCountsParts) {
  EXPECT_THAT(values({2, 4}, [](auto& x) { return split(x, 2, 1)[1]; }), ElementsAre(2, 3, 6, 7));
  EXPECT_THAT(values({2, 2}, [](auto& x) { return concat(split(x, 2), 1); }), ElementsAre(0, 1, 2, 3));
  // A graph that was built for four rows and runs with six has parts of three rows.
  Graph g;
  const Tensor x = g.input("x", f32, {4});
  g.function("second", {x}, {{"y", split(x, 2)[1]}});
  HostTensor six({f32, {6}});
  for (int64_t i = 0; i < 6; ++i) six.set(i, static_cast<double>(i));
  Batch batch;
  batch.emplace("x", six);
  const HostTensor y = compile(g, {.devices = "reference:0"}).run("second", batch).at("y");
  EXPECT_EQ(y, HostTensor({3}, {3.f, 4.f, 5.f}));
}

TEST(Shapes, Triangles) {
  EXPECT_THAT(values({2, 3}, [](auto& x) { return triu(x); }), ElementsAre(0, 1, 2, 0, 4, 5));
  EXPECT_THAT(values({2, 3}, [](auto& x) { return triu(x, 1); }, i64), ElementsAre(0, 1, 2, 0, 0, 5));
  EXPECT_THAT(values({2, 3}, [](auto& x) { return tril(x); }), ElementsAre(0, 0, 0, 3, 4, 0));
  EXPECT_THAT(values({2, 3}, [](auto& x) { return tril(x, INT64_MIN); }), ElementsAre(0, 0, 0, 0, 0, 0));
}

TEST(Shapes, DepthAndSpace) {
  EXPECT_THAT(values({1, 4, 1, 2}, [](auto& x) { return onnx_ops::depth_to_space(x, 2); }),
              ElementsAre(0, 2, 1, 3, 4, 6, 5, 7));
  EXPECT_THAT(values({1, 8, 1, 1}, [](auto& x) { return onnx_ops::depth_to_space(x, 2); }),
              ElementsAre(0, 2, 4, 6, 1, 3, 5, 7));
  EXPECT_THAT(
      values({1, 8, 1, 1},
             [](auto& x) { return onnx_ops::depth_to_space(x, 2, onnx_ops::BlockOrder::kColumnRowDepth); }),
      ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  std::vector<double> same(24);
  std::iota(same.begin(), same.end(), 0.0);
  EXPECT_THAT(values({1, 1, 4, 6},
                     [](auto& x) { return onnx_ops::depth_to_space(onnx_ops::space_to_depth(x, 2), 2); }),
              ElementsAreArray(same));
}

TEST(Shapes, Gradients) {
  const std::vector<std::pair<Shape, Build>> all = {
      {{2, 1, 3}, [](auto& x) { return squeeze(x); }},
      {{2, 3}, [](auto& x) { return broadcast_to(unsqueeze(x, {1}), {2, 4, 3}); }},
      {{2, 3}, [](auto& x) { return tile(x, {2, 3}); }},
      {{2, 3}, [](auto& x) { return stack({x, x * x}, 1); }},
      {{5, 3}, [](auto& x) { return flip(move_axis(x, 0, 1), {1}); }},
      {{7, 2}, [](auto& x) { return slice(x, 0, 6, 0, -2); }},
      {{7, 2}, [](auto& x) { return slice(x, 0, 1, 7, 3); }},
      {{3, 2}, [](auto& x) { return pad(x, {0, 0, 2, -1}, PadMode::kConstant, 3); }},
      {{3, 3}, [](auto& x) { return triu(x, 1) + tril(x); }},
      {{1, 4, 2, 2}, [](auto& x) { return onnx_ops::space_to_depth(onnx_ops::depth_to_space(x, 2), 4); }},
  };
  for (size_t i = 0; i < all.size(); ++i) {
    Graph g(i);
    const Tensor w = g.variable("w", f32, all[i].first, Initializer::uniform(-1, 1));
    const Tensor y = all[i].second(w);
    g.minimize(mean(y * y * y), {.learning_rate = 0.1});
    EXPECT_GRADIENTS(g) << "entry " << i;
  }
}

// An op for a slice of all rows could not be split along its axis, and a view can be.
TEST(Shapes, AllRowsAreAView) {
  const auto text = [](int64_t axis, int64_t start, int64_t end) {
    Graph g;
    slice(g.input("x", f32, {4, 3}), axis, start, end, 1);
    return g.text();
  };
  EXPECT_THAT(text(0, 0, INT64_MAX), Not(HasSubstr("cutset.slice")));
  EXPECT_THAT(text(1, -3, 3), Not(HasSubstr("cutset.slice")));
  EXPECT_THAT(text(0, 0, 3), HasSubstr("cutset.slice"));
}

TEST(Shapes, MistakesAddNothing) {
  Graph g;
  const Tensor x = g.input("x", f32, {2, 3, 4, 4});
  const std::string before = g.text();
  EXPECT_ERROR_HERE("squeeze of 2x3x4x4xf32 needs the size 1 in dimension 1", squeeze(x, {1}));
  EXPECT_ERROR_HERE("needs axes that differ", unsqueeze(x, {0, 0}));
  EXPECT_ERROR_HERE("needs an axis from -4 to 3, not 4", flip(x, {4}));
  EXPECT_ERROR_HERE("needs one repeat per dimension", tile(x, {2}));
  EXPECT_ERROR_HERE("needs a step that is not 0", slice(x, 0, 0, 1, 0));
  EXPECT_ERROR_HERE("needs at least as many rows as are removed", pad(x, {0, 0, 0, 0, 0, 0, -3, 0}));
  EXPECT_ERROR_HERE("needs numbers of rows that are not negative", pad(x, {-1, 0}, PadMode::kEdge));
  EXPECT_ERROR_HERE("needs two numbers per axis, for at most 4 axes", pad(x, std::vector<int64_t>(10)));
  EXPECT_ERROR_HERE("needs a multiple of block^2 channels", onnx_ops::depth_to_space(x, 2));
  EXPECT_ERROR_HERE("multiples of the block 3", onnx_ops::space_to_depth(x, 3));
  EXPECT_ERROR_HERE("the size must be from 0 to 2^44", arange(g, -1, i64));
  EXPECT_ERROR_HERE("arange has the size 9223372036854775807", arange(g, INT64_MAX, i64));
  EXPECT_ERROR_HERE("at most 2^44 rows", pad(x, {INT64_MIN, 0}));
  EXPECT_THAT(testing::error_of([&] { tile(x, {int64_t{1} << 62, 4, 1, 1}); }), HasSubstr("bytes"));
  EXPECT_THAT(testing::error_of([&] { triu(Tensor()); }), HasSubstr("is an empty Tensor"));
  EXPECT_EQ(g.text(), before);
}

}  // namespace
}  // namespace cutset
