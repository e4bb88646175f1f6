// Reads ONNX models and builds graphs from them.
//
//   onnx::Imported model = onnx::import_model(bytes);
//   Session session = compile(model.graph, {.devices = "cpu:0"});
//   for (const auto& [name, value] : model.variables) session.set_variable(name, value);
//   Outputs results = session.run("evaluate", batch);
//
// The bytes of a model may come from anyone. A malformed model throws a cutset::Error, and memory is allocated only
// after sizes have been checked.
#pragma once
#include <cutset/graph.h>

#include <map>
#include <span>
#include <string>
#include <vector>

namespace cutset::onnx {

struct ImportOptions {
  // The element types and shapes of inputs. An input that is not listed has the type in the model, which must then have
  // no unknown size.
  std::map<std::string, TensorType> inputs;
  // Elements of inputs that decide shapes, such as the new shape of Reshape. The graph is built for these elements; it has
  // the input nevertheless, and a batch must give it the same elements.
  std::map<std::string, HostTensor> known;
};

struct Imported {
  Graph graph;                                  // its function "evaluate" returns the outputs of the model
  std::vector<std::string> outputs;             // their names, in the order of the model
  std::map<std::string, HostTensor> variables;  // the values of the initializers that are too large for constants
};

// The names of the inputs of a model that are not initializers, in the order of the model. Throws kInvalidData if the bytes are
// not a model.
std::vector<std::string> input_names(std::span<const unsigned char> bytes);

// Builds the graph of a model. Throws kInvalidData if the bytes are not a valid model, and kUnsupported if nodes are not
// supported: the error then names each op, the number of its nodes, and the reason.
Imported import_model(std::span<const unsigned char> bytes, const ImportOptions& options = {});

}  // namespace cutset::onnx
