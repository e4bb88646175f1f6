// Reads ONNX models and builds graphs from them.
//
//   onnx::Model model = onnx::import_file("resnet18.onnx", {.batch = 8});
//   Session session = compile(model.graph, {.devices = "cpu:0,opencl:0"});
//   Outputs results = session.run("evaluate", {{"image", image}});
//
// A model is trained like any graph: add a loss of its results, and minimize it.
//
//   Tensor label = model.graph.input("label", i32, {8});
//   model.graph.minimize(mean(softmax_cross_entropy(model.results.at("logits"), label)), {.learning_rate = 0.01});
//
// The bytes of a model may come from anyone. A malformed model throws a cutset::Error, and memory is allocated only
// after sizes have been checked. All functions may be called from any thread.
#pragma once
#include <cutset/graph.h>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cutset::onnx {

// The options of import_model and import_file.
struct ImportOptions {
  // The element types and shapes of inputs. An input that is not listed has the type in the model, with the sizes below where the
  // model leaves a size open.
  std::map<std::string, TensorType> inputs = {};
  // The first size of each input whose first size the model leaves open.
  std::optional<int64_t> batch = {};
  // The other sizes that the model leaves open, by the names that it gives them, such as "sequence".
  std::map<std::string, int64_t> sizes = {};
  // Elements of inputs that decide shapes, such as the new shape of Reshape. The graph is built for these elements; it has
  // the input nevertheless, and a batch must give it the same elements.
  std::map<std::string, HostTensor> known = {};
  // Whether minimize() trains the weights. These are the floating-point initializers that have a dimension and are neither running
  // statistics of BatchNormalization nor scales of quantization.
  bool trainable = true;
  // Whether BatchNormalization behaves in "train" as nn::batch_norm does: it normalizes by the statistics of the batch, and moves the
  // running ones towards them. Otherwise, and in "evaluate", it normalizes by the running statistics.
  bool batch_statistics = true;
};

// The graph of a model. Its weights are variables, which start with the values in the model. The first dimension of each input is the
// batch (InputOptions), and strategies split it.
struct Model {
  Graph graph;                            // its function "evaluate" returns the results
  std::map<std::string, Tensor> results;  // the outputs of the model, by their names in the graph
  std::vector<std::string> outputs;       // these names, in the order of the model
};
// Names in a graph have fewer characters than names in ONNX (ir/core/names.h). A name with another character has "_" there, and a
// number at the end if it would otherwise be the same as an earlier one.

// The names of the inputs of a model that are not initializers, in the order of the model. Throws kInvalidData if the bytes are
// not a model.
std::vector<std::string> input_names(std::span<const unsigned char> bytes);

// Builds the graph of a model. Throws kInvalidData if the bytes are not a valid model, and kUnsupported if nodes are not
// supported: the error then names each op, the number of its nodes, and the reason. Weights in other files are not supported.
Model import_model(std::span<const unsigned char> bytes, const ImportOptions& options = {});

// Reads a model from a file of at most 2 GiB - 1. Weights may be in other files ("external data"), which must be regular files in the
// folder of the model or below it, without symbolic links and with one hard link. Throws as import_model(), and kUnavailable if a file
// cannot be read.
Model import_file(const std::string& path, const ImportOptions& options = {});

}  // namespace cutset::onnx
