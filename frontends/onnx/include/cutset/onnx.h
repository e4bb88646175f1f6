// SPDX-License-Identifier: Apache-2.0
// Reads ONNX models and builds graphs from them, and writes functions of graphs as ONNX models.
//
//   onnx::Model model = onnx::import_file("resnet18.onnx", {.batch = 8});
//   Session session = compile(model.graph, {.devices = "cpu:0,opencl:0"});
//   Outputs results = session.run("evaluate", {{"image", image}});
//
// A model is trained like any graph: add a loss of its results, and minimize it.
//
//   Tensor label = model.graph.input("label", i32, {8});
//   Tensor loss = mean(softmax_cross_entropy(model.results.at("logits"), label));
//   model.graph.minimize(loss, {.learning_rate = 0.01});
//
// A function of a trained graph becomes a model that other programs run:
//
//   onnx::export_file("classifier.onnx", graph, session);
//
// The bytes of a model may come from an untrusted source. A malformed model throws a cutset::Error, and
// memory for elements is allocated only after sizes have been checked. A model that exceeds a limit is
// refused with kUnsupported:
// - The version of the default operator set is 1 to 28.
// - A model has at most 100,000 nodes, 1,000 inputs that are not initializers, and 1,000 outputs.
// - The nodes become at most 250,000 values of the graph.
// - The messages of the model take at most 2^27 bytes of memory, without their texts and raw data.
// - Elements that are computed while the graph is built take at most 2^30 bytes.
//
// An index in a constant must be in range, although the ops of graphs define a result for all indices.
// Indices are not checked in a branch or an iteration that a condition may drop when the program runs. All
// functions may be called from any thread.
//
// If, Loop and Scan are unrolled: the graph has the nodes of each iteration. All bodies together become at
// most a million nodes, operands and results. Bodies are nested at most 20 times, and a Scan has at most
// 65,536 iterations. If a condition is computed when the program runs, the program computes both branches of
// the If, or all iterations of the Loop, and the condition selects the results. Such a Loop has a trip count
// of at most a million. A trip count must follow from initializers, shapes and ImportOptions::known.
//
// The elements of a weight may decide what the graph is: they may be a shape or a trip count. Such a weight
// is a constant. If it has more than 1 KiB and a node reads it, it is a variable "constant" that is not
// trained. A model whose outputs are also computed with this weight is refused with kUnsupported.
#pragma once
#include <cutset/graph.h>
#include <cutset/session.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace cutset::onnx {

// The options of import_model and import_file.
struct ImportOptions {
  // The element types and shapes of inputs. An input that is not listed has the type in the model. The
  // members below give the sizes that the model leaves open.
  std::map<std::string, TensorType> inputs = {};
  // Sizes that the model leaves open, by their names in the model, such as "sequence". If a size has no name,
  // it is called by the name of its input, in the model or in the graph, and the number of the dimension,
  // counted from 0: "x.1". It is an error if another size has the same name.
  std::map<std::string, int64_t> sizes = {};
  // The shapes of the arrays that a program will give to inputs. They give the sizes that the model leaves
  // open and that `sizes` does not have. An input is called by its name in the model or in the graph. Sizes
  // with the same name are the same in all inputs. It is an error if two shapes have different sizes for one
  // name, or if a shape has another rank than the input. Names that are not inputs of the model have no
  // effect.
  std::map<std::string, Shape> shapes = {};
  // The first size of each input, if it is open and is not in `sizes` or `shapes`. If the size has a name, it
  // is the same in all inputs.
  std::optional<int64_t> batch = {};
  // Elements of inputs that decide shapes, branches or trip counts, such as the new shape of Reshape. If the
  // elements of an input decide anything, the graph is built for them and does not have the input, so a batch
  // must not have a value for it. Otherwise they have no effect, unless known_are_constants is set.
  std::map<std::string, HostTensor> known = {};
  // Whether all inputs in `known` become constants of the graph, including inputs whose elements decide
  // nothing, such as a mask.
  bool known_are_constants = false;
  // Whether minimize() trains the weights. A weight is a floating-point initializer that has a dimension.
  // - Running statistics of BatchNormalization and scales of quantization are weights that are never trained.
  // - The result of Identity of a weight is a separate weight with the same initial values, because exporters
  //   write equal weights in this way.
  // - In a model that torch.onnx.export has written with dynamo=True, the parameters of the module, and
  //   values that the exporter has computed from them, are trained. The buffers of the module are not
  //   trained.
  // - An initializer that the model also lists as an input is a weight, unless `inputs`, `shapes` or `known`
  //   names it. Then it is an input without a batch dimension.
  bool trainable = true;
  // Whether training moves the running statistics of BatchNormalization, as nn::batch_norm does.
  // - A node in inference mode then normalizes by the batch in "train", and by the running statistics in
  //   "evaluate", if the running statistics are weights and the element type is f32 or f64. Other nodes in
  //   inference mode normalize by the running statistics in every function.
  // - A node in training mode normalizes by the batch in every function, whatever this option is.
  // - Nodes that share running statistics move them one after the other.
  // - Nodes in bodies of If, Loop and Scan do not move running statistics.
  bool batch_statistics = true;
  // Whether the functions "train" and "evaluate" of the graph return the results of the model. Set it to
  // false for a program that adds a loss and defines its own functions: a step then returns only the loss,
  // and does not copy the results to the host.
  bool returns_results = true;
  // Whether files that hold elements of weights may have several hard links. DVC, Nix and Bazel make such
  // files. A hard link may be any file of the machine, so set it only for a folder that you trust.
  bool hard_links = false;
};

// The graph of a model. Its weights are variables, which start with the values in the model. The first
// dimension of each input is the batch (InputOptions), and strategies split it. A session of the graph takes
// other sizes of inputs where the model leaves them open. The model is then imported again, because its
// constants may depend on sizes. Sizes that the model states are fixed.
//
// The source of an op is the file and the number of its node, counted from 1: "resnet18.onnx:12". The layer
// of an op is the name of the node. An op of a body has the number of the node that contains the body, and
// the layers of this node and of the iteration: "steps/1/Mul".
//
// A name in a graph consists of letters, digits and the characters _ . - / and :. The import removes slashes
// at the beginning of a name, keeps its first 1,000 characters, and replaces each other character by "_". If
// two names become equal, a name that was valid before stays as it is, and the other name gets a number at
// its end. If neither was valid, the later name gets the number. A name that the graph keeps for itself
// ("loss" for outputs, "train" for variables) also gets a number.
struct Model {
  Graph graph;  // its function "evaluate" returns the results, unless returns_results is false
  std::map<std::string, Tensor>
      inputs;  // the inputs of the model that the graph has, by their names in the graph
  std::map<std::string, Tensor> results;  // the outputs of the model, by their names in the graph
  std::vector<std::string> outputs;       // the names of `results`, in the order of the model
  // The inputs in `inputs` that have no other batch: the model states their first size, and
  // ImportOptions::inputs does not replace it.
  std::set<std::string> fixed_batches;
  // Notes on effects of training that the exporter of the model may not have meant: batch normalization that
  // was joined with other weights, and weights that may be buffers. `cutset train` prints them.
  std::vector<std::string> training_notes = {};
};

// Returns the names of the inputs of a model that are not initializers, in the order of the model. Throws
// kInvalidData if the bytes are not a model, and kUnsupported if its messages take more memory than the limit
// above.
std::vector<std::string> input_names(std::span<const unsigned char> bytes);

// Returns the files with elements of weights ("external data") that the model in the file `path` names. The
// list has sorted paths that begin with the folder of `path`, each once. Does not open these files. Throws
// kInvalidData and kUnsupported as input_names(), and kUnavailable if the file of the model cannot be read.
std::vector<std::string> weight_files(const std::string& path);

// Builds the graph of a model. Elements in other files ("external data") are not supported here. If nodes
// cannot be imported, the error names each op, the number of its nodes and the reason, for at most 20
// reasons. Throws in these cases:
// - kInvalidData: the bytes are not a valid model, or a node is invalid.
// - kUnsupported: nodes are not supported, and none is invalid, or the model exceeds a limit above.
// - kInvalidArgument: `options` lack a size that the model leaves open, or an option does not fit the model.
Model import_model(std::span<const unsigned char> bytes, const ImportOptions& options = {});

// Reads a model from a file of at most 2 GiB - 1. Weights may be in other files ("external data"). They must
// be regular files in the folder of the model or below it, and have one hard link
// (ImportOptions::hard_links). A symbolic link there may lead to another file below this folder. If `path` is
// itself a symbolic link to a file, it may also lead to a file below the folder of that file, as in the cache
// of Hugging Face. Opening these files needs Linux 5.6. Throws as import_model(), and kUnavailable if a file
// cannot be read.
Model import_file(const std::string& path, const ImportOptions& options = {});

// The options of export_file.
struct ExportOptions {
  // The function to export, which must not be "train". Empty: "predict" if the graph has it, and otherwise
  // "evaluate".
  std::string function = "";
  // A safetensors file with values of variables. Other variables have their initial values. Must be empty if
  // export_file gets a session.
  std::string weights = "";
  // How `weights` is read. The default reads all its tensors. If `weights` is empty, it has no effect.
  VariableFileOptions read = {};
  // Whether the model runs with any size of the batch, called "batch" in the model. The graph must allow it:
  // the function has the same ops for other sizes, and each size of a value is a multiple of the batch plus a
  // number. Numbers that depend on the batch, such as the divisor of a mean, are then computed when the model
  // runs. Otherwise the model has the sizes of the graph.
  bool open_batch = true;
  // Whether the elements of weights of 1 KiB or more are written to PATH.data beside the model ("external
  // data"). If all weights together have more than 1 GiB, they are written there in any case.
  bool external_data = false;
};

// The result of export_file.
struct ExportedFile {
  std::string function;            // the function that the model computes
  std::vector<std::string> files;  // the model, and PATH.data if it was written
  int64_t nodes = 0;               // the nodes of the model
  int64_t weight_bytes = 0;        // the bytes of all its weights and constants
  LoadedVariables loaded;          // what the file ExportOptions::weights gave to the variables
  bool open_batch = false;         // whether the model runs with any size of the batch
  std::string why_fixed;           // why the model has a fixed batch; empty if it does not
};

// Writes a function of the graph to a file as an ONNX model of version 20 of the operator set. The inputs,
// the outputs and the weights have the names of the inputs, outputs and variables of the graph. The variables
// have their initial values. Each op becomes nodes that compute the same values, even for indices that are
// out of range, integers that are divided by 0, and numbers that a type cannot hold. ONNX does not define the
// order of NaN in top_k and max_pool, and the result of scatter_elements for equal indices, so they depend on
// the program that runs the model.
//
// After an error, an existing file has its old contents. Throws in these cases:
// - kUnsupported: the function has ops that ONNX cannot express, such as random numbers. The error names each
//   op, how often the function has it, the reason, and the lines of the program.
// - kInvalidArgument: the graph does not have the function, or the function is "train".
// - kUnavailable: a file cannot be read or written.
ExportedFile export_file(const std::string& path, const Graph& graph, const ExportOptions& options = {});
// Writes a function with the values of the variables in `session`, which must have been compiled from the
// graph without CompileOptions::f64. If the function reads averages of Graph::average_weights, the model has
// the averages.
ExportedFile export_file(const std::string& path, const Graph& graph, const Session& session,
                         const ExportOptions& options = {});

}  // namespace cutset::onnx
