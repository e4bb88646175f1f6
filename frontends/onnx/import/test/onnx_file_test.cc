// SPDX-License-Identifier: Apache-2.0
// Tests models in files: weights as variables, names, and strategies.
#include <cutset/explain.h>
#include <cutset/onnx.h>
#include <cutset/session.h>
#include <cutset/testing.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "frontends/onnx/import/test/model_bytes.h"
#include "frontends/onnx/names.h"
#include "tests/errors.h"
#include "tests/folder.h"

namespace cutset::onnx {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A folder with files of a test.
class OnnxFile : public Folder {
 protected:
  OnnxFile() { std::filesystem::create_directories(path("models")); }
  std::string write(const std::string& name, const std::string& bytes) {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }
  std::string write(const std::string& name, const Message& m) { return write(name, m.bytes); }
};

TEST_F(OnnxFile, OpsHaveTheNumberOfTheirNodeAsSource) {
  const Message first = node("Relu", {"x"}, "h").text(3, "block/first"), second = node("Tanh", {"h"}, "y");
  Model made = import_file(write("m.onnx", model({first, second}, {}, value("x", {2}))));
  made.graph.output("z", exp(made.results.at("y")));
  const int line = __LINE__ - 1;
  const auto ops = explain(made.graph, {.devices = "reference:0"}).ops;
  ASSERT_EQ(ops.size(), 3u);
  EXPECT_EQ(ops[0].source, "m.onnx:1");
  EXPECT_EQ(ops[0].layer, "block/first");
  EXPECT_EQ(ops[1].source, "m.onnx:2");
  EXPECT_EQ(ops[2].source, "onnx_file_test.cc:" + std::to_string(line));
}

TEST_F(OnnxFile, FilesThatAreNoModels) {
  EXPECT_THAT(testing::error_of([&] { import_file(path("missing.onnx")); }), HasSubstr("missing.onnx"));
  EXPECT_THAT(testing::error_of([&] { import_file(folder_); }), HasSubstr("regular file"));
  EXPECT_THAT(testing::error_of([&] { import_file(write("m.onnx", std::string("\xff\xff"))); }),
              HasSubstr("not a model of ONNX"));
}

// Returns a model of y = tanh(x w) w + b. Two nodes read the weight w.
Message twice() {
  std::vector<float> w;
  for (int i = 0; i < 16; ++i) w.push_back(static_cast<float>(i % 5) / 8 - 0.2f);
  return model({node("MatMul", {"x", "w"}, "h"), node("Tanh", {"h"}, "t"), node("MatMul", {"t", "w"}, "z"),
                node("Add", {"z", "b"}, "y")},
               {tensor("w", kFloat, {4, 4}, raw(w)), tensor("b", kFloat, {4}, raw<float>({1, 2, 3, 4}))},
               value("x", {8, 4}));
}

TEST(OnnxWeights, AreVariablesThatTheModelShares) {
  Model made = import_model(bytes_of(twice()));
  made.graph.minimize(mean(made.results.at("y")), {.learning_rate = 0.5});
  Session session = compile(made.graph, {.devices = "reference:0"});
  EXPECT_THAT(session.variables(), ElementsAre("b", "b/velocity", "w", "w/velocity"));
  EXPECT_EQ(session.variable("b").at(3), 4);
  session.train({{"x", HostTensor({f32, {8, 4}})}});
  EXPECT_LT(session.variable("b").at(3), 4);
}

TEST(OnnxWeights, AreFixedOnRequestAndIfTheyAreStatistics) {
  Model fixed = import_model(bytes_of(twice()), {.trainable = false});
  fixed.graph.minimize(mean(fixed.results.at("y")), {.learning_rate = 0.5});
  EXPECT_THAT(testing::error_of([&] { compile(fixed.graph, {.devices = "reference:0"}); }),
              HasSubstr("no trainable variable"));
  const auto vector = [](const char* name) { return tensor(name, kFloat, {2}, raw<float>({1, 2})); };
  Model normalized =
      import_model(bytes_of(model({node("BatchNormalization", {"x", "s", "b", "m", "v"}, "y")},
                                  {vector("s"), vector("b"), vector("m"), vector("v")}, value("x", {3, 2}))),
                   {.batch_statistics = false});
  normalized.graph.minimize(mean(normalized.results.at("y")), {.learning_rate = 0.5});
  Session session = compile(normalized.graph, {.devices = "reference:0"});
  session.train({{"x", HostTensor({f32, {3, 2}})}});
  for (const char* name : {"m", "v"}) EXPECT_EQ(session.variable(name).at(1), 2) << name;
  EXPECT_NE(session.variable("b").at(1), 2);
}

// The scale in a body has the name of a weight of the graph around it.
TEST(OnnxWeights, AreTrainedIfABodyQuantizesByAScaleOfTheirName) {
  const Message quantized = graph(
      {node("QuantizeLinear", {"x", "w", "zero"}, "q"), node("DequantizeLinear", {"q", "w", "zero"}, "z")},
      {}, {value("z")}, {tensor("w", kFloat, {1}, raw<float>({0.5f})), tensor("zero", 2, {1}, {'\0'})});
  const Message plain = graph({}, {}, {value("x")});
  const Message choice = node("If", {"no"}, "h")
                             .nested(5, attribute("then_branch", quantized))
                             .nested(5, attribute("else_branch", plain));
  Model made = import_model(
      bytes_of(model({choice, node("Mul", {"h", "w"}, "y")},
                     {truth("no", false), tensor("w", kFloat, {2}, raw<float>({1, 2}))}, value("x", {2}))));
  made.graph.minimize(mean(made.results.at("y")), {.learning_rate = 1});
  EXPECT_THAT(compile(made.graph, {.devices = "reference:0"}).variables(), ElementsAre("w", "w/velocity"));
}

// In "train", the layer behaves as nn::batch_norm: the running mean moves a tenth of the way to the mean of
// the batch. In "evaluate" it normalizes by the running statistics.
TEST(OnnxWeights, StatisticsMoveInTraining) {
  const auto vector = [](const char* name, std::vector<float> v) {
    return tensor(name, kFloat, {2}, raw<float>(v));
  };
  const std::vector<Message> weights = {vector("s", {1, 1}), vector("b", {0, 0}), vector("m", {0, 10}),
                                        vector("v", {4, 4})};
  const auto of = [&](const std::vector<Message>& nodes) {
    Model made = import_model(bytes_of(model(nodes, weights, value("x", {2, 2}))));
    made.graph.minimize(mean(made.results.at("y")), {.learning_rate = 0});
    return compile(made.graph, {.devices = "reference:0"});
  };
  const Message once = node("BatchNormalization", {"x", "s", "b", "m", "v"}, "y");
  const Batch batch = {{"x", HostTensor({2, 2}, {1.0f, 2.0f, 3.0f, 6.0f})}};
  Session session = of({once});
  EXPECT_NEAR(session.run("evaluate", batch)["y"].at(0), 0.5, 1e-5);  // (1 - 0) / sqrt(4)
  EXPECT_NEAR(session.train(batch)["y"].at(0), -1, 1e-4);             // (1 - 2) / sqrt(1)
  EXPECT_NEAR(session.variable("m").at(0), 0.9 * 0 + 0.1 * 2, 1e-6);
  EXPECT_NEAR(session.variable("m").at(1), 0.9 * 10 + 0.1 * 4, 1e-6);
  EXPECT_NEAR(session.variable("v").at(1), 0.9 * 4 + 0.1 * 8, 1e-5);  // 8 with one degree of freedom
  // A node in training mode normalizes by the batch in each function. Its results are the moved statistics.
  Session training = of({node("BatchNormalization", {"x", "s", "b", "m", "v"}, {"y", "next_m", "next_v"})
                             .nested(5, attribute("training_mode", int64_t{1}))});
  EXPECT_NEAR(training.run("evaluate", batch)["y"].at(0), -1, 1e-4);
  EXPECT_NEAR(training.variable("m").at(0), 0, 1e-6);
  EXPECT_NEAR(training.train(batch)["y"].at(0), -1, 1e-4);
  EXPECT_NEAR(training.variable("m").at(1), 0.9 * 10 + 0.1 * 4, 1e-6);
  EXPECT_NEAR(training.variable("v").at(1), 0.9 * 4 + 0.1 * 4, 1e-5);
  // Two nodes with the same statistics move them one after the other, and both normalize by the batch. The
  // second batch has the mean 0.1 and the variance 2 with one degree of freedom.
  const std::vector<Message> two = {node("BatchNormalization", {"x", "s", "b", "m", "v"}, "h"),
                                    node("Add", {"h", "tenth"}, "g"),
                                    node("BatchNormalization", {"g", "s", "b", "m", "v"}, "y")};
  std::vector<Message> with_tenth = weights;
  with_tenth.push_back(real("tenth", 0.1f));
  const auto shared = [&](const std::vector<Message>& nodes) {
    Model made = import_model(bytes_of(model(nodes, with_tenth, value("x", {2, 2}))));
    made.graph.minimize(mean(made.results.at("y")), {.learning_rate = 0});
    return compile(made.graph, {.devices = "reference:0"});
  };
  Session twice_moved = shared(two);
  EXPECT_NEAR(twice_moved.train(batch)["y"].at(0), -1, 1e-4);
  EXPECT_NEAR(twice_moved.variable("m").at(0), 0.9 * 0.2 + 0.1 * 0.1, 1e-6);
  EXPECT_NEAR(twice_moved.variable("v").at(1), 0.9 * (0.9 * 4 + 0.1 * 8) + 0.1 * 2, 1e-4);
  std::vector<Message> in_training = two;
  for (const size_t i : {0u, 2u}) in_training[i].nested(5, attribute("training_mode", int64_t{1}));
  Session training_twice = shared(in_training);
  training_twice.train(batch);
  EXPECT_NEAR(training_twice.variable("m").at(0), 0.9 * 0.2 + 0.1 * 0.1, 1e-6);
  EXPECT_NEAR(training_twice.variable("v").at(1), 0.9 * (0.9 * 4 + 0.1 * 4) + 0.1 * 1, 1e-4);
  // The statistics of the second node continue from its operand, and not from the assignment of the first
  // node.
  in_training[2] = node("BatchNormalization", {"g", "s", "b", "m", "v"}, {"z", "y", "next_v"})
                       .nested(5, attribute("training_mode", int64_t{1}));
  EXPECT_NEAR(shared(in_training).train(batch)["y"].at(0), 0.1 * 0.1, 1e-6);
  // Two nodes share only the mean.
  with_tenth.push_back(vector("u", {9, 9}));
  std::vector<Message> shared_mean = two;
  shared_mean[2] = node("BatchNormalization", {"g", "s", "b", "m", "u"}, "y");
  Session apart = shared(shared_mean);
  apart.train(batch);
  EXPECT_NEAR(apart.variable("m").at(0), 0.9 * 0.2 + 0.1 * 0.1, 1e-6);
  EXPECT_NEAR(apart.variable("v").at(1), 0.9 * 4 + 0.1 * 8, 1e-5);
  EXPECT_NEAR(apart.variable("u").at(1), 0.9 * 9 + 0.1 * 2, 1e-4);
}

// Models of old versions also list their initializers as inputs.
TEST(OnnxWeights, MayBeListedAsInputs) {
  Message graph;
  graph.nested(1, node("Mul", {"x", "w"}, "y")).nested(5, tensor("w", kFloat, {2}, raw<float>({1, 2})));
  graph.nested(11, value("x", {2})).nested(11, value("w", {2})).nested(12, Message().text(1, "y"));
  const Message m = Message().nested(7, graph).nested(8, Message().number(2, 7));
  EXPECT_THAT(input_names(bytes_of(m)), ElementsAre("x"));
  Model made = import_model(bytes_of(m));
  EXPECT_EQ(made.inputs.size(), 1u);
  EXPECT_EQ(compile(made.graph, {.devices = "reference:0"}).variable("w").at(1), 2);
}

TEST(OnnxWeights, InputsHaveDifferentNames) {
  Message graph;
  graph.nested(1, node("Relu", {"x"}, "y")).nested(11, value("x", {2})).nested(11, value("x", {3}));
  graph.nested(12, Message().text(1, "y"));
  EXPECT_EQ(testing::error_of([&] {
              import_model(bytes_of(Message().nested(7, graph).nested(8, Message().number(2, 20))));
            }),
            "there are two inputs 'x'");
}

// Exporters write two weights with equal values as one initializer and an Identity. The import makes two
// variables, which training changes separately.
TEST(OnnxWeights, CopiesAreWeightsOfTheirOwn) {
  Model made = import_model(bytes_of(
      model({node("Identity", {"w"}, "v"), node("Mul", {"x", "w"}, "h"), node("Add", {"h", "v"}, "y")},
            {tensor("w", kFloat, {2}, raw<float>({1, 2}))}, value("x", {2}))));
  made.graph.minimize(mean(made.results.at("y")), {.learning_rate = 1});
  Session session = compile(made.graph, {.devices = "reference:0"});
  session.train({{"x", HostTensor({2}, {4.0f, 8.0f})}});
  EXPECT_EQ(session.variable("w").at(1), 2 - 8.0 / 2);
  EXPECT_EQ(session.variable("v").at(1), 2 - 1.0 / 2);
}

// The model states all sizes of its input, so a session does not take other sizes.
TEST(OnnxFiles, InputsHaveTheSizesThatTheModelStates) {
  const Model made =
      import_model(bytes_of(model({node("Mul", {"x", "factor"}, "y")},
                                  {tensor("factor", kFloat, {}, raw<float>({0.25f}))}, value("x", {4, 2}))));
  Session session = compile(made.graph, {.devices = "reference:0"});
  const auto of = [&](const Shape& shape) {
    return testing::error_of([&] { session.run("evaluate", {{"x", HostTensor({f32, shape})}}); });
  };
  EXPECT_EQ(of({4, 2}), "no error");
  EXPECT_THAT(of({3, 2}),
              AllOf(HasSubstr("the input 'x' has the shape [3, 2], but the model fixes the shape [4, 2]"),
                    HasSubstr("give the sizes of the model")));
  EXPECT_THAT(of({4, 3}), HasSubstr("has the shape [4, 3], but the model fixes"));
  EXPECT_THAT(of({4}), HasSubstr("has the rank 2 in the model, and the array for it has the rank 1"));
}

// Returns a model of y = reshape(x, [2, n, 3]) * w + n, where x is [n, 6] with an open n. Constants of the
// graph depend on the batch.
Message shaped_by_the_batch() {
  Message shape, type;
  shape.nested(1, Message().text(2, "n")).nested(1, Message().number(1, 6));
  type.number(1, kFloat).nested(2, shape);
  const Message x = Message().text(1, "x").nested(2, Message().nested(1, type));
  return model(
      {node("Shape", {"x"}, "sizes"), node("Gather", {"sizes", "zero"}, "n"),
       node("Concat", {"two", "n", "three"}, "shape").nested(5, attribute("axis", int64_t{0})),
       node("Reshape", {"x", "shape"}, "h"), node("Mul", {"h", "w"}, "z"),
       node("Cast", {"n"}, "count").nested(5, attribute("to", int64_t{kFloat})),
       node("Add", {"z", "count"}, "y")},
      {tensor("two", kInt64, {1}, raw<int64_t>({2})), tensor("three", kInt64, {1}, raw<int64_t>({3})),
       tensor("zero", kInt64, {1}, raw<int64_t>({0})), tensor("w", kFloat, {3}, raw<float>({1, 2, 3}))},
      x);
}

// A session of an imported graph takes other sizes, even if a loss was added to the model.
TEST(OnnxFiles, SessionsTakeTheSizesThatTheModelLeavesOpen) {
  const auto built = [](int64_t batch) {
    Model made = import_model(bytes_of(shaped_by_the_batch()), {.batch = batch});
    made.graph.minimize(mean(made.results.at("y") * made.results.at("y")),
                        {.learning_rate = 0.125, .momentum = 0});
    return made;
  };
  const Model made = built(4);
  Session session = compile(made.graph, {.devices = "reference:0"});
  for (const int64_t batch : {4, 3, 1, 7}) {
    HostTensor x({f32, {batch, 6}});
    for (int64_t i = 0; i < x.elements(); ++i) x.set(i, static_cast<double>(i % 7) / 8);
    Session wanted = compile(built(batch).graph, {.devices = "reference:0"});
    wanted.set_variable("w", session.variable("w"));
    EXPECT_EQ(session.evaluate({{"x", x}})["y"], wanted.evaluate({{"x", x}})["y"]) << batch;
    EXPECT_EQ(session.train({{"x", x}})["loss"], wanted.train({{"x", x}})["loss"]) << batch;
    EXPECT_EQ(session.variable("w"), wanted.variable("w")) << batch;
  }
  EXPECT_THAT(session.evaluate({{"x", HostTensor({f32, {2, 6}})}})["y"].type().shape, ElementsAre(2, 2, 3));
}

TEST(OnnxWeights, StrategiesSplitTheModel) {
  for (const char* strategy : {"data(2)", "model", "pipeline(2, micro_batches=2)", "tensor(2)"})
    EXPECT_SAME_ON(import_model(bytes_of(twice())).graph, "reference:0,sim:0", strategy) << strategy;
}

TEST(OnnxNames, AreUnique) {
  Names names({"train"});
  EXPECT_EQ(names.unique("a.1"), "a.1");
  EXPECT_EQ(names.unique("a"), "a");
  EXPECT_EQ(names.unique("/a"), "a.2");  // "a.1" is taken
  EXPECT_EQ(names.unique("a"), "a.3");
  EXPECT_EQ(names.unique("train"), "train.1");
  EXPECT_EQ(names.unique(""), "_");
  EXPECT_EQ(names.unique("//"), "_.1");
  EXPECT_EQ(names.unique("b/../c"), "b_.._c");
  const std::string longest = names.unique(std::string(5000, 'x'));
  EXPECT_EQ(longest, std::string(1000, 'x'));
  EXPECT_EQ(names.unique(std::string(4000, 'x')), longest + ".1");
}

// A name that must be changed does not become the name of another value, whichever comes first.
TEST(OnnxNames, ThatAreValidStay) {
  Names names;
  for (const char* name : {"a b", "a_b", "a_b.1", "/c", "c"}) names.keep(name);
  EXPECT_EQ(names.unique("a b"), "a_b.2");
  EXPECT_EQ(names.unique("a_b"), "a_b");
  EXPECT_EQ(names.unique("a_b.1"), "a_b.1");
  EXPECT_EQ(names.unique("/c"), "c.1");
  EXPECT_EQ(names.fresh("c"), "c.2");
  EXPECT_EQ(names.unique("c"), "c");

  Message graph;
  graph.nested(1, node("Add", {"x y", "w w"}, "a b")).nested(1, node("Mul", {"x_y", "w_w"}, "a_b"));
  graph.nested(5, tensor("w w", kFloat, {2}, raw<float>({1, 2})));
  graph.nested(5, tensor("w_w", kFloat, {2}, raw<float>({3, 4})));
  for (const char* input : {"x y", "x_y"}) graph.nested(11, value(input, {2}));
  for (const char* output : {"a b", "a_b"}) graph.nested(12, value(output, {2}));
  const Model made = import_model(bytes_of(Message().nested(7, graph).nested(8, Message().number(2, 20))));
  EXPECT_THAT(made.outputs, ElementsAre("a_b.1", "a_b"));
  EXPECT_TRUE(made.inputs.contains("x_y.1") && made.inputs.contains("x_y"));
  const Session session = compile(made.graph, {.devices = "reference:0"});
  EXPECT_EQ(session.variable("w_w.1").at(1), 2);
  EXPECT_EQ(session.variable("w_w").at(1), 4);
}

TEST(OnnxNames, ThatTheGraphKeepsAreChanged) {
  Message renamed = node("Add", {"x", "train"}, "loss");
  Message graph;
  graph.nested(1, renamed)
      .nested(5, tensor("train", kFloat, {2}, raw<float>({1, 2})))
      .nested(11, value("x", {2}));
  graph.nested(12, Message().text(1, "loss"));
  Model made = import_model(bytes_of(Message().nested(7, graph).nested(8, Message().number(2, 20))));
  EXPECT_THAT(made.outputs, ElementsAre("loss.1"));
  made.graph.minimize(mean(made.results.at("loss.1")), {.learning_rate = 1});
  EXPECT_EQ(compile(made.graph, {.devices = "reference:0"}).variable("train.1").at(1), 2);
}

TEST(OnnxNames, BecomeNamesOfTheGraph) {
  const auto w = [](const char* name) { return tensor(name, kFloat, {1}, raw<float>({1})); };
  Message sum = node("Add", {"x", "/a/b c"}, "/h"), second = node("Add", {"/h", "a/b_c"}, "z"),
          third = node("Add", {"z", "//"}, "y");
  Session session = compile(
      import_model(bytes_of(model({sum, second, third}, {w("/a/b c"), w("a/b_c"), w("//")}, value("x", {1}))))
          .graph,
      {.devices = "reference:0"});
  EXPECT_EQ(session.variables().size(), 3u);
  EXPECT_EQ(session.run("evaluate", {{"x", HostTensor({1}, {1.0f})}})["y"].at(0), 4);
}

}  // namespace
}  // namespace cutset::onnx
