// SPDX-License-Identifier: Apache-2.0
// Tests the built-in models: their sizes and names, and that every partition of a model gives the results of
// one device.
#include <cutset/testing.h>
#include <gmock/gmock.h>

#include <regex>

#include "frontends/models/models.h"
#include "tests/equivalence/support/runs.h"

namespace cutset::testing {
namespace {

using models::Model;
using ::testing::HasSubstr;

// Returns sizes with which a model is small.
std::map<std::string, int64_t> small_sizes(const Model& model, int64_t image_size) {
  std::map<std::string, int64_t> sizes;
  for (const models::Size& s : model.sizes) {
    const std::string name = s.name;
    if (name == "image_size") sizes[name] = std::string(model.name) == "alexnet" ? 63 : image_size;
    if (name == "classes") sizes[name] = 12;
    if (name == "vocabulary") sizes[name] = 13;
    if (name == "sequence_length" || name == "history") sizes[name] = 5;
    if (name == "width") sizes[name] = 8;
    if (name == "heads") sizes[name] = 2;
    if (name == "layers") sizes[name] = 2;
  }
  return sizes;
}
Graph small(const char* name, int64_t batch, int64_t image_size = 32) {
  const Model& model = models::find(name);
  // With a larger rate, the activations of the deepest networks overflow after a step on so few samples.
  return model.build(
      {.batch = batch, .seed = 3, .optimizer = {1e-4, 0.9}, .sizes = small_sizes(model, image_size)});
}

// Returns the number of elements of the trainable variables of a graph.
int64_t parameters_of(const Graph& graph) {
  const std::string text = graph.text();
  const std::regex variable("cutset\\.variable @[^\\n]*: tensor<([0-9x]*)xf32>[^\\n]*");
  int64_t total = 0;
  for (std::sregex_iterator it(text.begin(), text.end(), variable), end; it != end; ++it) {
    if (it->str().find(" frozen") != std::string::npos) continue;
    int64_t elements = 1;
    std::istringstream sizes((*it)[1].str());
    for (std::string size; std::getline(sizes, size, 'x');) elements *= std::stoll(size);
    total += elements;
  }
  return total;
}

class BuiltInModels : public ::testing::TestWithParam<Model> {};

TEST_P(BuiltInModels, HaveTheParametersOfTheirSummary) {
  const std::string summary = GetParam().summary;
  std::string number;
  for (const char c : summary.substr(summary.rfind(';')))
    if (c >= '0' && c <= '9') number += c;
  EXPECT_EQ(std::to_string(parameters_of(GetParam().build({.batch = 2}))), number) << summary;
}

// The ops of every model give the values of one device, each from the same operands.
TEST_P(BuiltInModels, AreTheSameOnTwoDevices) {
  const Graph graph = small(GetParam().name, 3);
  if (!have("cpu:0,sim:0")) GTEST_SKIP() << "cpu and sim are not both available";
  EXPECT_SAME_ON(graph, "cpu:0,sim:0", "pipeline(2, micro_batches=1)", {random_batch(graph, 1)});
}

INSTANTIATE_TEST_SUITE_P(All, BuiltInModels, ::testing::ValuesIn(models::all()), [](const auto& info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// In f64, training runs stay equal although relu has kinks. Batch statistics are computed over the whole
// batch.
TEST(BuiltInModelsInF64, TrainTheSameUnderEveryStrategy) {
  for (const char* name : {"resnet18", "transformer", "lstm"}) {
    const Graph graph = small(name, 8, 16);
    const auto losses_of = [&](const char* devices, const std::string& strategy) {
      Session session = compile(graph, {.devices = devices, .strategy = strategy, .f64 = true});
      std::vector<double> losses;
      for (uint64_t step = 0; step < 2; ++step)
        losses.push_back(session.train(random_batch(graph, step))["loss"].item<double>());
      return losses;
    };
    const std::vector<double> want = losses_of("reference:0", "");
    EXPECT_NE(want[0], want[1]) << name;
    // Statistics of the whole batch need the forward passes of all micro-batches before the first backward
    // pass.
    const std::string pipeline = std::string("pipeline(2, micro_batches=4") +
                                 (std::string(name) == "resnet18" ? ", schedule=gpipe)" : ")");
    for (const std::string& strategy :
         {std::string("model"), std::string("data(2)"), pipeline, std::string("tensor(2)")})
      EXPECT_LE(loss_difference(losses_of("reference:0,sim:0", strategy), want), 1e-9)
          << name << " " << strategy;
  }
}

TEST(BuiltInModelErrors, NameTheSize) {
  const auto error_of = [](const char* model, std::map<std::string, int64_t> sizes) {
    try {
      models::find(model).build({.sizes = std::move(sizes)});
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_THAT(error_of("resnet18", {{"vocabulary", 3}}), HasSubstr("no size 'vocabulary'"));
  EXPECT_THAT(error_of("resnet18", {{"vocabulary", 3}}), HasSubstr("channels, image_size, classes"));
  EXPECT_THAT(error_of("lenet", {{"classes", 0}}), HasSubstr("the size 'classes' is 0"));
  EXPECT_THAT(error_of("lenet", {{"classes", int64_t{1} << 60}}),
              HasSubstr("the size 'classes' is 1152921504606846976"));
  EXPECT_THAT(error_of("transformer", {{"width", 250}}), HasSubstr("not a multiple of the 8 heads"));
  EXPECT_NE(error_of("alexnet", {{"image_size", 8}}), "");
}

// "evaluate" counts a label among the five likeliest classes exactly if at most four classes have a greater
// logit.
TEST(BuiltInModelMetrics, CountTheFiveLikeliestClasses) {
  const Graph graph = small("youtube", 64);
  Session session = compile(graph, {.devices = "reference:0"});
  const Batch batch = random_batch(graph, 5);
  const HostTensor logits = session.run("predict", batch)["logits"], label = batch.at("label");
  const int64_t classes = logits.type().shape[1];
  double one = 0, five = 0;
  for (int64_t i = 0; i < 64; ++i) {
    int greater = 0;
    const auto wanted = static_cast<int64_t>(label.at(i));
    for (int64_t c = 0; c < classes; ++c)
      greater += logits.at(i * classes + c) > logits.at(i * classes + wanted);
    one += greater == 0;
    five += greater < 5;
  }
  const Outputs outputs = session.evaluate(batch);
  EXPECT_EQ(outputs["correct"].item<double>(), one);
  EXPECT_EQ(outputs["correct_top5"].item<double>(), five);
  EXPECT_TRUE(one < five && five < 64) << "the test needs labels of all kinds";
}

}  // namespace
}  // namespace cutset::testing
