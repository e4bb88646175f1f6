// SPDX-License-Identifier: Apache-2.0
// Tests which initializers are trained in models that PyTorch has written.
#include <cutset/cutset.h>
#include <cutset/onnx.h>
#include <gmock/gmock.h>

#include "frontends/onnx/import/test/model_bytes.h"

namespace cutset::onnx {
namespace {

Message entry(const std::string& key, const std::string& text) {
  return Message().text(1, key).text(2, text);
}
// Returns the metadata of a value that the exporter has computed from `sources`.
Message folded(const std::string& name, const std::string& sources) {
  return Message().text(1, name).nested(4, entry("pkg.onnxscript.optimizer.folded_from", sources));
}

TEST(OnnxSignature, OfAModuleNamesTheWeightsThatAreTrained) {
  const std::vector<std::string> names = {"fc.weight", "mean", "scaled", "scale", "constant"};
  std::vector<Message> nodes, weights;
  std::string last = "x";
  for (const std::string& name : names) {
    nodes.push_back(node("Mul", {last, name}, name + "_y"));
    weights.push_back(floats(name, {1, 2}));
    last = name + "_y";
  }
  nodes.push_back(node("Relu", {last}, "y"));
  const auto trained = [&](const std::string& signature) {
    Message g = graph(nodes, {value("x", {3, 2})}, {value("y", {3, 2})});
    for (const Message& weight : weights) g.nested(5, weight);
    g.nested(13, folded("scaled", "['val_1', 'gain']")).nested(13, folded("scale", "['val_1', 'val_2']"));
    if (!signature.empty())
      g.nested(16, entry("pkg.torch.export.ExportedProgram.graph_signature", signature));
    Model made = import_model(bytes_of(model(g)));
    made.graph.minimize(mean(made.results.at("y")), {.learning_rate = 0.5, .momentum = 0});
    Session session = compile(made.graph, {.devices = "reference:0"});
    session.train({{"x", HostTensor({3, 2}, {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f})}});
    std::vector<std::string> moved;
    for (const std::string& name : names)
      if (session.variable(name).at(1) != 2) moved.push_back(name);
    return moved;
  };
  EXPECT_THAT(
      trained("\n# inputs\np_fc_weight: PARAMETER target='fc.weight'\np_gain: PARAMETER target='gain'\n"
              "b_mean: BUFFER target='mean' persistent=True\nx: USER_INPUT\n"),
      ::testing::ElementsAre("fc.weight", "scaled"));
  EXPECT_EQ(trained(""), names);
  EXPECT_EQ(trained("p_fc_weight: PARAMETER target='fc.weight'\nPARAMETER target='cut"),
            std::vector<std::string>{"fc.weight"});
}

// What a user learns before the weights of a model are trained.
TEST(OnnxTrainingNotes, NameWhatAnExporterMayNotHaveMeant) {
  const auto notes = [](const std::vector<Message>& nodes, const std::vector<Message>& weights,
                        const std::string& signature = "", bool trainable = true) {
    Message g = graph(nodes, {value("x", {1, 2, 2})}, {value("y")}, weights);
    if (!signature.empty())
      g.nested(16, entry("pkg.torch.export.ExportedProgram.graph_signature", signature));
    std::string all;
    for (const std::string& note : import_model(bytes_of(model(g)), {.trainable = trainable}).training_notes)
      all += note + "\n";
    return all;
  };
  const auto weight = [](const char* name) { return tensor(name, kFloat, {2, 2}, raw<float>({1, 2, 3, 4})); };
  const std::vector<Message> masked = {node("MatMul", {"x", "w"}, "h"), node("Add", {"h", "mask"}, "y")},
                             masks = {weight("w"), weight("mask")};
  const std::string buffers =
      "does not say which of its initializers are parameters, so all are trained; 'mask' may be";
  EXPECT_THAT(notes(masked, masks), ::testing::HasSubstr(buffers));
  EXPECT_EQ(notes(masked, masks, "", false), "");
  EXPECT_EQ(notes(masked, masks, "p: PARAMETER target='w'\nb: BUFFER target='mask'\n"), "");
  const std::vector<Message> sliced = {node("Slice", {"mask", "zero", "two"}, "part"),
                                       node("Mul", {"x", "part"}, "y")};
  const auto list = [](const char* name, int64_t i) { return tensor(name, kInt64, {1}, raw<int64_t>({i})); };
  EXPECT_THAT(notes(sliced, {weight("mask"), list("zero", 0), list("two", 2)}),
              ::testing::HasSubstr(buffers));
  EXPECT_EQ(notes({node("MatMul", {"x", "w"}, "h"), node("Add", {"h", "b"}, "y")},
                  {weight("w"), floats("b", {1, 2})}),
            "");
  // Batch normalization that PyTorch has joined with a convolution.
  const std::string joined = "has no batch normalization, because PyTorch has joined it";
  const std::vector<Message> conv = {node("Conv", {"x", "onnx::Conv_12"}, "y")},
                             filter = {tensor("onnx::Conv_12", kFloat, {2, 2, 1}, raw<float>({1, 2, 3, 4}))};
  EXPECT_THAT(notes(conv, filter), ::testing::HasSubstr(joined));
  const std::vector<Message> product = {node("MatMul", {"x", "w"}, "y")};
  EXPECT_THAT(
      notes(product, {weight("w")}, "p: PARAMETER target='w'\nb_mean: BUFFER target='bn.running_mean'\n"),
      ::testing::HasSubstr(joined));
  EXPECT_EQ(notes(product, {weight("w")}, "p: PARAMETER target='w'\n"), "");
}

}  // namespace
}  // namespace cutset::onnx
