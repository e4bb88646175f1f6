// SPDX-License-Identifier: Apache-2.0
// Tests the sizes that a model leaves open: options or arrays give them, and it is an error if neither does.
#include <cutset/onnx.h>
#include <gmock/gmock.h>

#include "frontends/onnx/import/test/model_bytes.h"
#include "tests/errors.h"

namespace cutset::onnx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Returns an input whose sizes have these names. An empty name is a size that is not stated.
Message open_value(const std::string& name, const std::vector<std::string>& sizes) {
  Message shape;
  for (const std::string& s : sizes) shape.nested(1, s.empty() ? Message() : Message().text(2, s));
  return Message().text(1, name).nested(2, Message().nested(1, Message().number(1, kFloat).nested(2, shape)));
}

TEST(OnnxSizes, OfOptionsAreTakenWhereTheModelLeavesThemOpen) {
  const std::vector<unsigned char> bytes =
      bytes_of(model({node("Relu", {"x"}, "y")}, {}, open_value("x", {"batch", "length", ""})));
  const auto of = [&](const ImportOptions& o) {
    return import_model(bytes, o).graph.inputs()[0].second.shape;
  };
  const std::vector<unsigned char> two =
      bytes_of(model({node("Relu", {"x"}, "y")}, {}, open_value("x", {"batch", "length"})));
  EXPECT_EQ(import_model(two, {.sizes = {{"length", 5}}, .batch = 3}).graph.inputs()[0].second.shape,
            (Shape{3, 5}));
  EXPECT_EQ(import_model(two, {.sizes = {{"length", 5}, {"batch", 2}}}).graph.inputs()[0].second.shape,
            (Shape{2, 5}));
  EXPECT_EQ(of({.inputs = {{"x", {DType::f32, {1, 2, 3}}}}}), (Shape{1, 2, 3}));
  EXPECT_EQ(of({.sizes = {{"length", 5}, {"x.2", 7}}, .batch = 3}), (Shape{3, 5, 7}));
  EXPECT_EQ(of({.sizes = {{"x.2", 7}}, .shapes = {{"x", {2, 4, 6}}}}), (Shape{2, 4, 7}));
  EXPECT_THAT(
      testing::error_of([&] { of({}); }),
      HasSubstr(
          "the model leaves sizes open: dimension 0 of the input 'x' ('batch'), dimension 1 of the input 'x' "
          "('length'), dimension 2 of the input 'x' (give --size batch=N --size length=N --size x.2=N, or"));
  EXPECT_THAT(testing::error_of([&] { of({.sizes = {{"length", 5}}, .batch = 3}); }),
              HasSubstr("the model leaves sizes open: dimension 2 of the input 'x'"));
  EXPECT_EQ(testing::error_of([&] { import_model(two, {.sizes = {{"length", 5}, {"x.0", 2}}, .batch = 3}); }),
            "the model has no open size 'x.0' (the model leaves sizes open: dimension 0 of the input 'x' "
            "('batch'), dimension 1 of the input 'x' ('length'))");
  EXPECT_THAT(testing::error_of([&] { of({.sizes = {{"lenght", 5}}}); }),
              StartsWith("the model has no open size 'lenght' (the model leaves sizes open: "));
  EXPECT_THAT(testing::error_of([&] { import_model(two, {.sizes = {{"length", 5}}, .batch = -3}); }),
              StartsWith("input 'x' has the shape [-3, 5], and a size cannot be negative"));
}

TEST(OnnxSizes, OfArraysAreTakenWhereTheModelLeavesThemOpen) {
  Message graph;
  graph.nested(1, node("Add", {"x", "z"}, "y")).nested(12, value("y", {}));
  graph.nested(11, open_value("x", {"batch", "length"}))
      .nested(11, open_value("z", {"length"}))
      .nested(11, value("w", {8}));
  const std::vector<unsigned char> bytes =
      bytes_of(Message().nested(7, graph).nested(8, Message().number(2, 20)));
  const auto of = [&](const ImportOptions& o) {
    const Model made = import_model(bytes, o);
    std::vector<Shape> shapes;
    for (const auto& [name, type] : made.graph.inputs()) shapes.push_back(type.shape);
    return shapes;
  };
  EXPECT_THAT(of({.shapes = {{"x", {4, 5}}, {"z", {5}}, {"label", {4}}}}),
              ElementsAre(Shape{4, 5}, Shape{5}, Shape{8}));
  EXPECT_THAT(of({.shapes = {{"x", {4, 5}}}, .batch = 9}),
              ElementsAre(Shape{4, 5}, Shape{5}, Shape{8}));  // 'length' is 5
  EXPECT_THAT(of({.sizes = {{"length", 7}}, .shapes = {{"x", {4, 5}}}}),
              ElementsAre(Shape{4, 7}, Shape{7}, Shape{8}));
  EXPECT_THAT(of({.shapes = {{"x", {4, 5}}, {"w", {9}}}}),
              ElementsAre(Shape{4, 5}, Shape{5}, Shape{8}));  // the model has 8
  EXPECT_THAT(of({.shapes = {{"z", {5}}}, .batch = 9}), ElementsAre(Shape{9, 5}, Shape{5}, Shape{8}));
  EXPECT_THAT(testing::error_of([&] { of({.shapes = {{"x", {4}}}}); }),
              HasSubstr("the input 'x' has the rank 2 in the model, and the array for it has the rank 1"));
  EXPECT_THAT(testing::error_of([&] { of({.shapes = {{"x", {4, 5}}, {"z", {1}}}}); }),
              HasSubstr("the open size 'length' is 5 in the array for 'x', and 1 in that for 'z'"));
}

// In the state of PyTorch's LSTM, the dimension of the batch follows the dimension of the layers.
TEST(OnnxSizes, TheBatchHasItsSizeInAllDimensionsOfItsName) {
  Message graph;
  graph.nested(1, node("Relu", {"h"}, "y")).nested(12, value("y", {}));
  graph.nested(11, open_value("h", {"layers", "batch"})).nested(11, open_value("x", {"batch"}));
  const std::vector<unsigned char> bytes =
      bytes_of(Message().nested(7, graph).nested(8, Message().number(2, 20)));
  const Model made = import_model(bytes, {.sizes = {{"layers", 2}}, .batch = 3});
  EXPECT_EQ(made.graph.inputs()[0].second.shape, (Shape{2, 3}));
  EXPECT_EQ(made.graph.inputs()[1].second.shape, (Shape{3}));
}

TEST(OnnxSizes, WithoutANameHaveThatOfTheirInput) {
  Message graph;
  graph.nested(1, node("Add", {"in put", "z"}, "y")).nested(12, value("y", {}));
  graph.nested(11, open_value("in put", {"batch", ""})).nested(11, open_value("z", {"in put.1"}));
  const std::vector<unsigned char> bytes =
      bytes_of(Message().nested(7, graph).nested(8, Message().number(2, 20)));
  const Model made = import_model(bytes, {.sizes = {{"batch", 2}, {"in_put.1", 3}, {"in put.1", 3}}});
  EXPECT_EQ(made.graph.inputs()[0].second.shape, (Shape{2, 3}));
  EXPECT_THAT(testing::error_of([&] { import_model(bytes, {.batch = 2}); }), HasSubstr("--size in_put.1=N"));
  EXPECT_THAT(
      testing::error_of([&] { import_model(bytes, {.sizes = {{"in put.1", 3}}, .batch = 2}); }),
      HasSubstr("the size 'in put.1' may be dimension 1 of the input 'in put', or the size with this name"));
}

TEST(OnnxSizes, OptionsThatTheModelDoesNotHaveAreRefused) {
  const std::vector<unsigned char> bytes = bytes_of(model({node("Relu", {"x"}, "y")}, {}, value("x", {2})));
  const auto of = [&](const ImportOptions& o) { return testing::error_of([&] { import_model(bytes, o); }); };
  EXPECT_EQ(of({.sizes = {{"n", 3}}}), "the model has no open size 'n' (the model leaves no size open)");
  EXPECT_EQ(of({.inputs = {{"z", {DType::f32, {2}}}}}), "the model has no input 'z'");
  EXPECT_EQ(of({.known = {{"z", HostTensor({f32, {2}})}}}), "the model has no input 'z'");
}

// Old exporters state -1 where an output has an open size.
TEST(OnnxSizes, OfOutputsMayBeOpen) {
  const auto of = [](int64_t size) {
    const Message m = model(graph({node("Relu", {"x"}, "y")}, {value("x", {2})}, {value("y", {size})}));
    return testing::error_of([&] { import_model(bytes_of(m)); });
  };
  EXPECT_EQ(of(-1), "no error");
  EXPECT_EQ(of(-2), "the output 'y' has a size of -2");
  EXPECT_EQ(of(INT64_MIN), "the output 'y' has a size of -9223372036854775808");
}

}  // namespace
}  // namespace cutset::onnx
