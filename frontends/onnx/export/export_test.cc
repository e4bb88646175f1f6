// SPDX-License-Identifier: Apache-2.0
// Tests the export of functions: names, values of variables, the batch, refusals and files.
// export_ops_test.cc tests each op.
#include <cutset/indexing.h>
#include <cutset/layers.h>
#include <cutset/onnx.h>
#include <cutset/recurrent_layers.h>
#include <cutset/reductions.h>
#include <cutset/shapes.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "runtime/files/files.h"
#include "tests/errors.h"
#include "tests/folder.h"

namespace cutset::onnx {
namespace {

using ::testing::AllOf;
using testing::error_of;
using ::testing::HasSubstr;

class Export : public Folder {};

// Returns a classifier of samples of 6 numbers, with one output per sample and a mean over the batch.
Graph classifier(int64_t batch) {
  Graph g;
  const Tensor x = g.input("x", f32, {batch, 6}), label = g.input("label", i32, {batch});
  const Tensor logits = nn::dense("out", relu(nn::dense("hidden", x, 16)), 3);
  g.minimize(mean(softmax_cross_entropy(logits, label)), {.learning_rate = 0.1});
  g.function("predict", {x}, {{"logits", logits}});
  return g;
}
Batch batch_of(int64_t size) {
  HostTensor x({f32, {size, 6}}), label({i32, {size}});
  for (int64_t i = 0; i < x.elements(); ++i) x.set(i, static_cast<double>(i % 7) - 3);
  for (int64_t i = 0; i < size; ++i) label.set(i, static_cast<double>(i % 3));
  Batch batch;
  batch.emplace("x", x);
  batch.emplace("label", label);
  return batch;
}
Session on_reference(const Graph& graph) { return compile(graph, {.devices = "reference:0", .threads = 1}); }
void expect_near(const HostTensor& got, const HostTensor& want) {
  ASSERT_EQ(got.type(), want.type());
  for (int64_t i = 0; i < want.elements(); ++i) EXPECT_NEAR(got.at(i), want.at(i), 1e-5) << "element " << i;
}
std::string contents(const std::string& path) { return *read_file(path); }

TEST_F(Export, WritesTheTrainedValuesUnderTheirNames) {
  const Graph graph = classifier(4);
  Session session = on_reference(graph);
  for (int i = 0; i < 5; ++i) session.train(batch_of(4));
  const ExportedFile made = export_file(path("m.onnx"), graph, session);
  EXPECT_EQ(made.function, "predict");
  EXPECT_EQ(made.files, std::vector<std::string>{path("m.onnx")});
  EXPECT_TRUE(made.open_batch) << made.why_fixed;
  const Model imported = import_file(path("m.onnx"), {.batch = 4});
  EXPECT_EQ(imported.inputs.size(), 1u);
  Batch x = batch_of(4);
  x.erase("label");
  Session again = on_reference(imported.graph);
  expect_near(again.run("evaluate", x)["logits"], session.run("predict", x)["logits"]);
  expect_near(again.variable("out.weight"), session.variable("out.weight"));
}

// The mean divides by the number of samples, which the model counts when it runs.
TEST_F(Export, CountsTheSamplesOfEachBatch) {
  const Graph graph = classifier(4);
  EXPECT_TRUE(export_file(path("m.onnx"), graph, {.function = "evaluate"}).open_batch);
  for (const int64_t size : {1, 4, 9}) {
    const Model imported = import_file(path("m.onnx"), {.batch = size});
    Session before = on_reference(graph), after = on_reference(imported.graph);
    // The import keeps the name "loss" for itself.
    expect_near(after.run("evaluate", batch_of(size))["loss.1"],
                before.run("evaluate", batch_of(size))["loss"]);
  }
}

// Each sample has two rows, the batch is the second dimension of another input, and a sum is taken over the
// rows.
TEST_F(Export, KnowsTheBatchOfEachInput) {
  Graph g;
  const Tensor rows = g.input("rows", f32, {6, 2}, {.several_rows_per_sample = true});
  const Tensor steps = g.input("steps", f32, {5, 3, 2}, {.batch_dimension = 1});
  const Tensor by_sample = ops::reduce_sum(reshape(rows, {.shape = {-1, 2, 2}}), {.axes = {1}});
  g.function("f", {rows, steps}, {{"y", add(by_sample, mean(steps, {0}))}, {"m", mean(rows)}});
  EXPECT_TRUE(export_file(path("m.onnx"), g, {.function = "f"}).open_batch);
  const Model imported = import_file(path("m.onnx"), {.sizes = {{"batch", 4}, {"2*batch", 8}}});
  Batch batch;
  HostTensor a({f32, {8, 2}}), b({f32, {5, 4, 2}});
  for (int64_t i = 0; i < a.elements(); ++i) a.set(i, static_cast<double>(i * i));
  for (int64_t i = 0; i < b.elements(); ++i) b.set(i, static_cast<double>(i));
  batch.emplace("rows", a);
  batch.emplace("steps", b);
  Session before = on_reference(g), after = on_reference(imported.graph);
  const Outputs got = after.run("evaluate", batch), want = before.run("f", batch);
  expect_near(got["y"], want["y"]);
  expect_near(got["m"], want["m"]);
}

// Each sample is a class, so the number of classes is the number of samples.
TEST_F(Export, CountsClassesThatAreSamples) {
  Graph g;
  const Tensor x = g.input("x", f32, {4, 6}), label = g.input("label", i32, {4});
  const Tensor losses = softmax_cross_entropy(matmul(x, x, {.transpose_y = true}), label);
  const Tensor chosen = gather(x, label);
  g.function("f", {x, label}, {{"losses", losses}, {"chosen", chosen}});
  EXPECT_TRUE(export_file(path("m.onnx"), g, {.function = "f"}).open_batch);
  Session before = on_reference(g), after = on_reference(import_file(path("m.onnx"), {.batch = 7}).graph);
  Batch batch = batch_of(7);
  batch.at("label") = HostTensor({7}, {6, 5, 4, 3, 2, 1, 0});
  const Outputs got = after.run("evaluate", batch), want = before.run("f", batch);
  expect_near(got["losses"], want["losses"]);
  expect_near(got["chosen"], want["chosen"]);
}

TEST_F(Export, FixesTheBatchWhereTheGraphDoes) {
  Graph g;
  const Tensor x = g.input("x", f32, {4, 6});
  g.function("f", {x}, {{"y", reshape(x, {.shape = {2, 12}})}});
  const ExportedFile made = export_file(path("m.onnx"), g, {.function = "f"});
  EXPECT_FALSE(made.open_batch);
  EXPECT_THAT(made.why_fixed, HasSubstr("export_test.cc"));
  EXPECT_FALSE(export_file(path("n.onnx"), classifier(4), {.open_batch = false}).open_batch);
  EXPECT_EQ(import_file(path("n.onnx")).inputs.at("x").shape(), (Shape{4, 6}));
}

TEST_F(Export, LayersOfSequencesComputeTheSame) {
  Graph g;
  const Tensor x = g.input("x", f32, {3, 5, 4});
  const auto lstm = nn::lstm("lstm", x, {.hidden = 6, .layers = 2, .bidirectional = true});
  const auto gru = nn::gru("gru", lstm.output, {.hidden = 3});
  g.function("f", {x}, {{"all", gru.output}, {"last", gru.state}, {"cells", lstm.cell}});
  const ExportedFile made = export_file(path("m.onnx"), g, {.function = "f"});
  EXPECT_TRUE(made.open_batch) << made.why_fixed;
  // The products with the input weights are in the nodes. Identity matrices would have 9 KB more.
  EXPECT_LT(made.weight_bytes, 8000);
  const Model imported = import_file(path("m.onnx"), {.batch = 7});
  HostTensor elements({f32, {7, 5, 4}});
  for (int64_t i = 0; i < elements.elements(); ++i) elements.set(i, static_cast<double>(i % 11) / 5 - 1);
  Batch batch;
  batch.emplace("x", elements);
  Session before = on_reference(g), after = on_reference(imported.graph);
  const Outputs got = after.run("evaluate", batch), want = before.run("f", batch);
  for (const char* name : {"all", "last", "cells"}) expect_near(got[name], want[name]);
}

TEST_F(Export, ListsAllOpsThatCannotBeExported) {
  Graph g;
  const Tensor x = g.input("x", f32, {4, 6});
  const Tensor noise = random_normal(x, g.step(), {.seed = 1, .stream = 2});
  const int noise_line = __LINE__ - 1;
  const Tensor p = cumprod(add(x, noise), {.axis = 1}), q = cumprod(p, {.axis = 0});
  const int product_line = __LINE__ - 1;
  g.function("f", {x}, {{"y", relu(q)}});
  std::ofstream(path("m.onnx")) << "old";
  const std::string error = error_of([&] { export_file(path("m.onnx"), g, {.function = "f"}); });
  const auto at = [](int line) { return "export_test.cc:" + std::to_string(line); };
  EXPECT_THAT(error, AllOf(HasSubstr("1 op random_normal: there is no exporter"), HasSubstr(at(noise_line)),
                           HasSubstr("2 ops cumprod: there is no exporter"), HasSubstr(at(product_line))));
  EXPECT_THAT(error, ::testing::Not(HasSubstr("relu")));
  EXPECT_EQ(contents(path("m.onnx")), "old");
}

TEST_F(Export, RefusesFunctionsThatItCannotWrite) {
  const Graph graph = classifier(4);
  EXPECT_THAT(error_of([&] { export_file(path("m.onnx"), graph, {.function = "train"}); }),
              HasSubstr("updates variables"));
  EXPECT_THAT(error_of([&] { export_file(path("m.onnx"), graph, {.function = "nosuch"}); }),
              AllOf(HasSubstr("no function 'nosuch'"), HasSubstr("evaluate, predict")));
  EXPECT_THAT(error_of([&] { export_file(path("no/m.onnx"), graph); }), HasSubstr("cannot write"));
  Session wide = compile(graph, {.devices = "reference:0", .f64 = true});
  EXPECT_THAT(error_of([&] { export_file(path("m.onnx"), graph, wide); }),
              AllOf(HasSubstr("16xf64"), HasSubstr("without f64")));
  EXPECT_THAT(error_of([&] { export_file(path("m.onnx"), graph, wide, {.weights = "w"}); }),
              HasSubstr("from a session"));
  Graph g;
  const Tensor x = g.input("x", f32, {2});
  g.function("f", {x}, {{"x", relu(x)}});
  EXPECT_THAT(error_of([&] { export_file(path("m.onnx"), g, {.function = "f"}); }),
              HasSubstr("have the name 'x'"));
  EXPECT_EQ(entries(), 0);
}

// An output that is an input or a variable, and two outputs of one value, are copies.
TEST_F(Export, CopiesValuesThatNoNodeComputes) {
  Graph g;
  const Tensor x = g.input("x", f32, {2}), w = g.variable("w", HostTensor({2}, {5.f, 6.f})), y = add(x, w);
  g.function("f", {x}, {{"a", x}, {"b", w}, {"c", y}, {"d", y}});
  export_file(path("m.onnx"), g, {.function = "f"});
  Batch batch;
  batch.emplace("x", HostTensor({2}, {1.f, 2.f}));
  const Outputs got = on_reference(import_file(path("m.onnx"), {.batch = 2}).graph).run("evaluate", batch);
  EXPECT_EQ(got["a"], HostTensor({2}, {1.f, 2.f}));
  EXPECT_EQ(got["b"], HostTensor({2}, {5.f, 6.f}));
  EXPECT_EQ(got["c"], HostTensor({2}, {6.f, 8.f}));
  EXPECT_EQ(got["d"], got["c"]);
}

TEST_F(Export, WritesWeightsBesideTheModel) {
  Graph g;
  const Tensor x = g.input("x", f32, {2, 300});
  HostTensor values({f32, {300, 7}}), bias({f32, {7}});
  for (int64_t i = 0; i < values.elements(); ++i) values.set(i, static_cast<double>(i % 13));
  g.function("f", {x}, {{"y", add(matmul(x, g.variable("w", values)), g.variable("b", bias))}});
  const ExportedFile made = export_file(path("m.onnx"), g, {.function = "f", .external_data = true});
  EXPECT_EQ(made.files, (std::vector<std::string>{path("m.onnx"), path("m.onnx.data")}));
  EXPECT_LT(contents(path("m.onnx")).size(), 1000u);
  EXPECT_EQ(on_reference(import_file(path("m.onnx"), {.batch = 2}).graph).variable("w"), values);
  // If the model cannot be written, the elements beside it stay as they were.
  const std::string before = contents(path("m.onnx.data"));
  std::filesystem::remove(path("m.onnx"));
  std::filesystem::create_directory(path("m.onnx"));
  EXPECT_THAT(error_of([&] { export_file(path("m.onnx"), g, {.function = "f", .external_data = true}); }),
              HasSubstr("cannot write"));
  EXPECT_EQ(contents(path("m.onnx.data")), before);
}

TEST_F(Export, ReadsWeightsFromAFile) {
  const Graph graph = classifier(4);
  Session session = on_reference(graph);
  session.train(batch_of(4));
  session.save(path("w.safetensors"));
  EXPECT_TRUE(export_file(path("m.onnx"), graph, {.weights = path("w.safetensors")}).loaded.complete());
  export_file(path("n.onnx"), graph, session);
  EXPECT_EQ(contents(path("m.onnx")), contents(path("n.onnx")));
  export_file(path("n.onnx"), graph);
  EXPECT_NE(contents(path("m.onnx")), contents(path("n.onnx")));
}

TEST_F(Export, WritesTheAveragesOfWeights) {
  Graph graph = classifier(4);
  graph.average_weights({.decay = 0.9, .functions = {"predict"}});
  Session session = on_reference(graph);
  for (int i = 0; i < 3; ++i) session.train(batch_of(4));
  export_file(path("m.onnx"), graph, session);
  Session again = on_reference(import_file(path("m.onnx"), {.batch = 4}).graph);
  Batch x = batch_of(4);
  x.erase("label");
  expect_near(again.run("evaluate", x)["logits"], session.run("predict", x)["logits"]);
}

// The graph is imported again for other batches, which shows that its ops are the same.
TEST_F(Export, AnImportedGraphHasAnOpenBatch) {
  export_file(path("m.onnx"), classifier(4));
  EXPECT_TRUE(export_file(path("n.onnx"), import_file(path("m.onnx"), {.batch = 5}).graph).open_batch);
  EXPECT_THAT(import_file(path("n.onnx"), {.batch = 2}).graph.inputs(),
              ::testing::ElementsAre(std::pair("x", TensorType{f32, {2, 6}})));
}

// A sort over the batch has sizes of the batch, which the nodes of the model cannot have.
TEST_F(Export, OpsThatDependOnTheBatchFixIt) {
  Graph g;
  g.output("y", argsort(g.input("x", f32, {4, 6}), 0));
  const ExportedFile made = export_file(path("m.onnx"), g);
  EXPECT_FALSE(made.open_batch);
  EXPECT_THAT(made.why_fixed, HasSubstr("'top_k' (export_test.cc:"));
  EXPECT_THAT(import_file(path("m.onnx")).graph.inputs(),
              ::testing::ElementsAre(std::pair("x", TensorType{f32, {4, 6}})));
}

// Consecutive batches do not show these limits.
TEST_F(Export, RowsThatAreCutOffAndSizesOfOneFixTheBatch) {
  const auto why = [&](const std::function<Tensor(const Tensor&)>& f) {
    Graph g;
    g.output("y", f(g.input("x", f32, {4, 6})));
    const ExportedFile made = export_file(path("m.onnx"), g);
    EXPECT_FALSE(made.open_batch);
    return made.why_fixed;
  };
  EXPECT_THAT(why([](const Tensor& x) { return slice(x, 0, 0, 9, 1); }), HasSubstr("other batches"));
  EXPECT_THAT(why([](const Tensor& x) { return squeeze(x); }), HasSubstr("for a batch of 1"));
}

// The reshapes of these functions have sizes of the batch.
TEST_F(Export, FunctionsThatChangeShapesKeepTheBatchOpen) {
  Graph g;
  const Tensor x = g.input("x", f32, {4, 6});
  g.output("y", squeeze(unsqueeze(tile(stack({x, x * 2}, 1), {1, 3, 2}), {0}), {0}));
  EXPECT_TRUE(export_file(path("m.onnx"), g).open_batch);
  for (const int64_t size : {1, 3, 9}) {
    HostTensor values({f32, {size, 6}});
    for (int64_t i = 0; i < values.elements(); ++i) values.set(i, static_cast<double>(i));
    Session before = on_reference(g),
            after = on_reference(import_file(path("m.onnx"), {.batch = size}).graph);
    expect_near(after.evaluate({{"x", values}})["y"], before.evaluate({{"x", values}})["y"]);
  }
}

}  // namespace
}  // namespace cutset::onnx
