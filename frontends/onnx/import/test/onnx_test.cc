// SPDX-License-Identifier: Apache-2.0
// Tests the import of ONNX models: initializers, shapes that nodes compute, the report of nodes that are not
// supported, and hostile bytes. The models are written as bytes of protobuf, field by field. tests/onnx tests
// the converters.
#include <cutset/onnx.h>
#include <cutset/session.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontends/onnx/import/model/tensor_proto.h"
#include "frontends/onnx/import/test/changed_models.h"
#include "frontends/onnx/import/test/model_bytes.h"
#include "tests/errors.h"

namespace cutset::onnx {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string error_of_model(const Message& m) {
  return testing::error_of([&] { import_model(bytes_of(m)); });
}
HostTensor run(const Message& m, const HostTensor& x) {
  const Model imported = import_model(bytes_of(m));
  Session session = compile(imported.graph, {.devices = "reference:0"});
  Batch batch;
  batch.emplace("x", x);
  return session.run("evaluate", batch)["y"];
}

TEST(Onnx, AddsAnInitializer) {
  const Message m = model({node("Add", {"x", "w"}, "y")}, {tensor("w", kFloat, {2}, raw<float>({10, 20}))},
                          value("x", {2}));
  const HostTensor y = run(m, HostTensor({2}, {1.0f, 2.0f}));
  EXPECT_THAT(y.as<float>(), ElementsAre(11, 22));
  EXPECT_THAT(input_names(bytes_of(m)), ElementsAre("x"));
}

// In ONNX, a caller may replace an initializer that is also an input.
TEST(Onnx, AnInitializerThatIsAnInputHasAnotherValueIfItIsGiven) {
  const Message m = model(graph({node("Add", {"x", "w"}, "y")}, {value("x", {2}), value("w", {2})},
                                {value("y")}, {floats("w", {10, 20})}));
  const HostTensor x({2}, {1.0f, 2.0f}), w({2}, {100.0f, 200.0f});
  const auto results = [&](const ImportOptions& options, Batch batch) {
    Session session = compile(import_model(bytes_of(m), options).graph, {.devices = "reference:0"});
    const HostTensor y = session.run("evaluate", batch)["y"];
    return std::vector<float>(y.as<float>().begin(), y.as<float>().end());
  };
  EXPECT_THAT(results({}, {{"x", x}}), ElementsAre(11, 22));
  EXPECT_THAT(results({.shapes = {{"w", {2}}}}, {{"x", x}, {"w", w}}), ElementsAre(101, 202));
  EXPECT_THAT(results({.inputs = {{"w", w.type()}}}, {{"x", x}, {"w", w}}), ElementsAre(101, 202));
  EXPECT_THAT(results({.known = {{"w", w}}, .known_are_constants = true}, {{"x", x}}), ElementsAre(101, 202));
  EXPECT_THAT(import_model(bytes_of(m), {.shapes = {{"w", {2}}}}).fixed_batches, ElementsAre("x"));
}

TEST(Onnx, LargeInitializersAreVariables) {
  const Message m = model({node("Add", {"x", "w"}, "y")},
                          {tensor("w", kFloat, {300}, raw(std::vector<float>(300, 7)))}, value("x", {300}));
  EXPECT_EQ(compile(import_model(bytes_of(m)).graph, {.devices = "reference:0"}).variables().size(), 1u);
  EXPECT_EQ(run(m, HostTensor({f32, {300}})).at(299), 7);
}

// y = reshape(x, shape(x) * [3, 1] / [1, 3]): nodes compute the new shape.
TEST(Onnx, ComputesShapesWhileTheGraphIsBuilt) {
  const Message m =
      model({node("Shape", {"x"}, "s"), node("Mul", {"s", "a"}, "t"), node("Div", {"t", "b"}, "u"),
             node("Reshape", {"x", "u"}, "y")},
            {tensor("a", kInt64, {2}, raw<int64_t>({3, 1})), tensor("b", kInt64, {2}, raw<int64_t>({1, 3}))},
            value("x", {2, 6}));
  EXPECT_EQ(run(m, HostTensor({f32, {2, 6}})).shape(), (Shape{6, 2}));
}

TEST(Onnx, ShapesThatDependOnDataAreRefused) {
  const Message m =
      model({node("Add", {"x", "x"}, "s"), node("Reshape", {"x", "s"}, "y")}, {}, value("x", {2}));
  EXPECT_THAT(error_of_model(m), HasSubstr("the elements of operand 1 ('s') decide what the graph is, but "
                                           "they are computed when the program runs"));
}

TEST(Onnx, ReportsAllNodesThatAreNotSupported) {
  const Message m = model({node("Strange", {"x"}, "a"), node("Strange", {"x"}, "b"), node("Relu", {"a"}, "c"),
                           node("Odd", {"x"}, "y")},
                          {}, value("x", {2}));
  EXPECT_THAT(error_of_model(m), AllOf(HasSubstr("1 node Odd: there is no converter"),
                                       HasSubstr("2 nodes Strange: there is no converter")));
  EXPECT_THAT(error_of_model(m), ::testing::Not(HasSubstr("Relu")));
}

// The error has a limit, however many nodes a model has.
TEST(Onnx, ReportsAFewReasons) {
  std::vector<Message> nodes;
  for (int i = 0; i < 1000; ++i)
    nodes.push_back(node("Relu", {std::string(5000, 'a') + std::to_string(i)}, "r" + std::to_string(i)));
  for (int i = 0; i < 100; ++i)
    nodes.push_back(node("Strange" + std::to_string(i), {"x"}, "s" + std::to_string(i)));
  const std::string error = error_of_model(model(nodes, {}, value("x", {2})));
  EXPECT_THAT(error, HasSubstr("1000 nodes Relu: no node before it computes the operand 'aaaa"));
  EXPECT_THAT(error, HasSubstr("and 81 more reasons"));
  EXPECT_LT(error.size(), 4000u);
}

TEST(Onnx, InvalidGraphs) {
  EXPECT_THAT(error_of_model(model({node("Relu", {"z"}, "y")}, {}, value("x", {2}))),
              HasSubstr("no node before it computes the operand 'z'"));
  EXPECT_THAT(error_of_model(model({node("Relu", {"x"}, "x")}, {}, value("x", {2}))),
              HasSubstr("exists already"));
  EXPECT_THAT(error_of_model(model({node("Relu", {}, "y")}, {}, value("x", {2}))),
              HasSubstr("operand 0 is missing"));
  EXPECT_THAT(error_of_model(model({}, {}, value("x", {2}))), HasSubstr("nothing computes 'y'"));
  EXPECT_THAT(error_of_model(Message()), HasSubstr("no graph"));
  EXPECT_THAT(error_of_model(Message().text(7, "\xff\xff")), HasSubstr("not a model of ONNX"));
}

// The message claims many elements, but holds few. No memory is allocated for them.
TEST(Onnx, HostileTensors) {
  const auto of = [](const Message& t) { return testing::error_of([&] { parse_tensor(bytes_of(t), "t"); }); };
  EXPECT_THAT(of(tensor("t", kFloat, {int64_t{1} << 40}, "1234")), HasSubstr("but the message holds fewer"));
  EXPECT_THAT(of(tensor("t", kFloat, {int64_t{1} << 62, 4}, "1234")), HasSubstr("invalid type"));
  EXPECT_THAT(of(tensor("t", kFloat, {-1}, "")), HasSubstr("invalid type"));
  EXPECT_THAT(of(tensor("t", kFloat, {1}, "12345")), HasSubstr("has 5 bytes, but its type needs 4"));
  EXPECT_EQ(of(tensor("t", kFloat, {0, 3}, "")), "no error");
  EXPECT_THAT(of(tensor("t", 99, {1}, "1234")), HasSubstr("the element type 99"));
  EXPECT_THAT(of(tensor("t", 8, {1}, "1234")), HasSubstr("the element type STRING"));
  EXPECT_THAT(of(tensor("t", kFloat, {1}, "1234").number(14, 1)), HasSubstr("another file"));
}

// Sizes and scales of a model decide how much is computed while the graph is built, so they are checked
// before.
TEST(Onnx, HostileSizesOfImages) {
  const auto resized = [](std::vector<float> scales) {
    const auto n = static_cast<int64_t>(scales.size());
    return error_of_model(model({node("Resize", {"x", "", "s"}, "y")},
                                {tensor("s", kFloat, {n}, raw(scales))}, value("x", {1, 1, 4, 4})));
  };
  const float nan = std::nanf(""), inf = HUGE_VALF;
  EXPECT_EQ(resized({1, 1, 2, 2}), "no error");
  EXPECT_EQ(resized({1, 1, 1e-30f, 2}), "no error");  // no rows
  for (const float scale : {nan, inf, -inf, 0.0f, -1.0f, 1e30f, 1e9f, 3e5f})
    EXPECT_THAT(resized({1, 1, 2, scale}), HasSubstr("1 node Resize: resize of 1x1x4x4xf32 needs")) << scale;
  EXPECT_THAT(resized({2}), HasSubstr("1 node Resize: resize of 1x1x4x4xf32 needs"));
  const auto sized = [](const char* op, const std::vector<std::string>& inputs, std::vector<int64_t> sizes) {
    const auto n = static_cast<int64_t>(sizes.size());
    return error_of_model(
        model({node(op, inputs, "y")}, {tensor("s", kInt64, {n}, raw(sizes))}, value("x", {1, 2, 3})));
  };
  for (const int64_t size : {INT64_MIN, int64_t{-1}, int64_t{1} << 21, INT64_MAX}) {
    EXPECT_THAT(sized("Resize", {"x", "", "", "s"}, {1, 1, size}), HasSubstr("1 node Resize: resize"))
        << size;
    EXPECT_THAT(sized("AffineGrid", {"x", "s"}, {1, 1, 4, size}), HasSubstr("1 node AffineGrid: affine_grid"))
        << size;
    EXPECT_THAT(sized("Col2Im", {"x", "s", "s"}, {1, size}), HasSubstr("1 node Col2Im: ")) << size;
  }
}

// Sizes and equations that are too large for a composition of ops are errors before memory is allocated for
// them.
TEST(Onnx, HostileNodes) {
  const auto with = [](Message n, const Message& attribute) { return n.nested(5, attribute); };
  const auto of = [](const Message& n, const std::vector<int64_t>& known, const std::vector<int64_t>& x) {
    std::vector<Message> initializers;
    for (size_t i = 0; i < known.size(); ++i)
      initializers.push_back(tensor("k" + std::to_string(i), kInt64, {}, raw<int64_t>({known[i]})));
    return error_of_model(model({n}, initializers, value("x", x)));
  };
  constexpr int64_t kHuge = int64_t{1} << 62;
  const auto einsum = [&](const std::string& equation) {
    return of(with(node("Einsum", {"x"}, "y"), attribute("equation", equation.c_str())), {}, {2, 3});
  };
  EXPECT_THAT(einsum("ij->ik"), HasSubstr("has the letter 'k' only in its result"));
  EXPECT_THAT(einsum(std::string(100'000, '.')), HasSubstr("two ellipses in one term"));
  EXPECT_THAT(einsum(std::string(100'000, 'a')), HasSubstr("does not name the 2 dimensions of operand 0"));
  EXPECT_THAT(einsum(std::string(100'000, ',')), HasSubstr("does not name the 2 dimensions of operand 0"));
  EXPECT_THAT(einsum("\xff\xff"), HasSubstr("a character that is not a letter"));
  EXPECT_THAT(of(node("Einsum", {"x"}, "y"), {}, {2, 3}), HasSubstr("does not name the 2 dimensions"));
  EXPECT_THAT(of(node("DFT", {"x", "k0"}, "y"), {kHuge}, {2, 3, 1}),
              HasSubstr("needs a length from 1 to 2^24"));
  EXPECT_THAT(of(node("DFT", {"x", "k0", "k1"}, "y"), {4, kHuge}, {2, 3, 1}),
              HasSubstr("needs an axis from -3 to 2"));
  EXPECT_THAT(of(node("STFT", {"x", "k0", "", "k1"}, "y"), {kHuge, kHuge}, {2, 3, 1}),
              HasSubstr("needs a frame length"));
  EXPECT_THAT(of(node("STFT", {"x", "k0"}, "y"), {-kHuge}, {2, 3, 1}),
              HasSubstr("a frame step of 1 or more"));
  EXPECT_THAT(of(node("HannWindow", {"k0"}, "y"), {kHuge}, {2}),
              HasSubstr("the size is 4611686018427387904"));
  EXPECT_THAT(of(node("MelWeightMatrix", {"k0", "k1", "k2", "k3", "k4"}, "y"), {kHuge, kHuge, 8, 0, 4}, {2}),
              HasSubstr("more than 2^24 weights"));
  const Message quantize = node("QuantizeLinear", {"x", "x"}, "y");
  EXPECT_THAT(of(with(quantize, attribute("block_size", int64_t{-1})), {}, {2, 3}),
              HasSubstr("a block size that is not negative"));
  EXPECT_THAT(of(with(quantize, attribute("block_size", kHuge)), {}, {2, 3}),
              HasSubstr("of the shape [2, 1], not 2x3xf32"));
  EXPECT_THAT(of(with(quantize, attribute("axis", kHuge)), {}, {2, 3}), HasSubstr("an axis from -2 to 1"));
  EXPECT_THAT(of(with(quantize, attribute("output_dtype", int64_t{99})), {}, {2, 3}),
              HasSubstr("the element type 99"));
  EXPECT_THAT(of(node("MatMulInteger", {"x", "x"}, "y"), {}, {2, 2}), HasSubstr("needs i8 or u8"));
  EXPECT_THAT(of(node("ConvInteger", {"x", "x"}, "y"), {}, {1, 1, 2}), HasSubstr("needs i8 or u8"));
  EXPECT_THAT(of(with(node("LinearAttention", {"x", "x", "x"}, "y"), attribute("update_rule", "linear")), {},
                 {2, 3, 4}),
              HasSubstr("has no 0 heads"));
  EXPECT_THAT(of(node("LinearAttention", {"x", "x", "x"}, "y"), {}, {2, 3, 4}),
              HasSubstr("do not fit the update_rule"));
  const auto unpool = [&](const std::vector<int64_t>& kernel, const std::vector<int64_t>& x) {
    return of(with(node("MaxUnpool", {"x", "x"}, "y"), attribute("kernel_shape", kernel)), {}, x);
  };
  const int64_t window = (1 << 20) - 1;
  EXPECT_THAT(unpool({window, window, window}, {1, 64, 1, 1, 1}), HasSubstr("the limit is 2^48 bytes"));
  EXPECT_THAT(unpool({2, 2}, {1, 1, 1, int64_t{1} << 33}), HasSubstr("at most 2^32 elements per dimension"));
  EXPECT_THAT(of(node("NegativeLogLikelihoodLoss", {"x", "x"}, "y"), {}, {2, 3}),
              HasSubstr("needs integer labels"));
}

// Every change of one byte gives a model or a cutset::Error.
TEST(Onnx, MutatedModelsDoNotCrash) {
  Message m = model({node("Shape", {"x"}, "s"), node("Mul", {"s", "a"}, "t"),
                     node("Reshape", {"x", "t"}, "z"), node("Add", {"z", "z"}, "y")},
                    {tensor("a", kInt64, {2}, raw<int64_t>({1, 1}))}, value("x", {2, 6}))
                  .text(2, "the producer of the model");
  const int refused = refused_changes(m, 400);
  EXPECT_GT(refused, 100);
  EXPECT_LT(refused, 400);
}

// In every mode, PyTorch writes a region without elements, and tf2onnx writes a region with all elements. The
// region has an effect in one mode only.
TEST(Onnx, TheRegionOfResizeHasNoEffectInOtherModes) {
  for (const std::vector<float>& region : {std::vector<float>{}, std::vector<float>{0, 0, 0, 1, 1, 1}}) {
    const Message m = model({node("Resize", {"x", "region", "scales"}, "y")},
                            {tensor("region", kFloat, {static_cast<int64_t>(region.size())}, raw(region)),
                             tensor("scales", kFloat, {3}, raw<float>({1, 1, 2}))},
                            value("x", {1, 1, 2}));
    Session session = compile(import_model(bytes_of(m)).graph, {.devices = "reference:0"});
    const HostTensor y = session.run("evaluate", {{"x", HostTensor({1, 1, 2}, {1.0f, 2.0f})}})["y"];
    EXPECT_THAT(y.as<float>(), ::testing::ElementsAre(1, 1, 2, 2));
  }
}

// In version 10, the nearest row is at the ceiling along axes that become smaller, and at the floor along
// other axes.
TEST(Onnx, ResizeOfVersion10) {
  const auto expect = [](const std::vector<float>& scales, const std::vector<float>& wanted) {
    const Message m = model(
        graph({node("Resize", {"x", "w"}, "y")}, {value("x", {2, 4})}, {value("y")}, {floats("w", scales)}),
        10);
    Session session = compile(import_model(bytes_of(m)).graph, {.devices = "reference:0"});
    const HostTensor x({2, 4}, {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 7.0f, 8.0f});
    const HostTensor y = session.run("evaluate", {{"x", x}})["y"];
    EXPECT_THAT(y.as<float>(), ::testing::ElementsAreArray(wanted));
  };
  expect({0.6F, 0.6F}, {1, 3});  // ONNX's node test resize_downsample_nearest of version 10
  expect({2, 0.6F}, {1, 3, 1, 3, 5, 7, 5, 7});
  expect({1, 1.5F}, {1, 1, 2, 3, 3, 4, 5, 5, 6, 7, 7, 8});
}

}  // namespace
}  // namespace cutset::onnx
