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
//   model.graph.minimize(mean(softmax_cross_entropy(model.results.at("logits"), label)), {.learning_rate =
//   0.01});
//
// A function of a trained graph becomes a model that other programs run:
//
//   onnx::export_file("classifier.onnx", graph, session);
//
// The bytes of a model may come from anyone. A malformed model throws a cutset::Error, and memory for
// elements is allocated only after sizes have been checked. A model has at most 100,000 nodes, 1,000 inputs
// that are not initializers, and 1,000 outputs. Its nodes become at most 250,000 values of the graph, and its
// messages take at most 2^27 bytes of memory beside their texts and raw data. An index in a constant must be
// in range, although the ops of graphs define a result for all indices. This does not hold in a branch or an
// iteration that a condition may drop when the program runs. The version of the default operator
// set is 1 to 28. Elements that are computed while the graph is built take at most 2^30 bytes. A model that
// exceeds a limit is refused with kUnsupported. All functions may be called from any thread.
//
// If, Loop and Scan are unrolled: the graph has the nodes of each iteration, at most a million nodes,
// operands and results in all. Bodies are nested at most 20 times, and a Scan has at most 65,536 iterations.
// If a condition is computed when the program runs, both branches of the If, or all iterations of the Loop,
// are computed, and the condition selects the results. The trip count of such a Loop is at most a million. A
// trip count must follow from initializers, shapes and ImportOptions::known.
//
// The elements of a weight may decide what the graph is, such as a shape or a trip count. Such a
// weight is a constant; if it has more than 1 KiB and a node reads it, it is a variable "constant" that is
// not trained. A model whose outputs are also computed with this weight is refused with kUnsupported.
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
  // The element types and shapes of inputs. An input that is not listed has the type in the model, with the
  // sizes below where the model leaves a size open.
  std::map<std::string, TensorType> inputs = {};
  // Sizes that the model leaves open, by the names that it gives them, such as "sequence". A size without a
  // name is named by its input, as the model or the graph calls it, and by the number of the dimension,
  // counted from 0: "x.1". It is an error if this name is also that of another size.
  std::map<std::string, int64_t> sizes = {};
  // The shapes of inputs, for the sizes that the model leaves open and `sizes` does not have: those of the
  // arrays that a program will give. An input has its name in the model or in the graph. Sizes with the same
  // name are the same in all inputs. It is an error if two arrays have different sizes for one name, or if a
  // shape has another rank than the input. Names that are not inputs of the model have no effect.
  std::map<std::string, Shape> shapes = {};
  // The first size of each input whose first size is open and is not in `sizes` or `shapes`. If the size has
  // a name, it is the same in all inputs.
  std::optional<int64_t> batch = {};
  // Elements of inputs that decide shapes, branches or trip counts, such as the new shape of Reshape. If they
  // decide anything, the graph is built for them and does not have the input, so a batch must not give it a
  // value. Otherwise they have no effect, unless known_are_constants is set.
  std::map<std::string, HostTensor> known = {};
  // Whether all inputs in `known` become constants of the graph, also those whose elements decide nothing,
  // such as a mask.
  bool known_are_constants = false;
  // Whether minimize() trains the weights. A weight is a floating-point initializer that has a dimension.
  // Running statistics of BatchNormalization and scales of quantization are weights that are never trained.
  // The result of Identity of a weight is a weight of its own with the same first values, because exporters
  // write equal weights in this way. In a model that torch.onnx.export has written with dynamo=True, the
  // parameters of the module, and what the exporter has computed from them, are weights that are trained. Its
  // buffers are not. An initializer that the model also lists as an input is a weight, and no input of the
  // graph, unless `inputs`, `shapes` or `known` names it. No dimension of such an input is the batch.
  bool trainable = true;
  // Whether training moves the running statistics of BatchNormalization, as nn::batch_norm does. A node in
  // inference mode whose running statistics are weights, in f32 and f64, then normalizes by the batch in
  // "train", and by the running statistics in "evaluate". A node in training mode normalizes by the batch in
  // every function, whatever this option is. Nodes that share running statistics move them one after the
  // other. Nodes in bodies of If, Loop and Scan move none. All other nodes in inference mode use the running
  // statistics.
  bool batch_statistics = true;
  // Whether the graph returns the results of the model, in its functions "train" and "evaluate". A program
  // that trains with a loss of them, and defines its own functions, sets it to false. A step then returns the
  // loss only, and does not copy the results to the host.
  bool returns_results = true;
  // Whether files that hold elements of weights may have several hard links, as those of DVC, Nix and Bazel
  // have. Such a file may be any file of the machine, so set it only for a folder that you trust.
  bool hard_links = false;
};

// The graph of a model. Its weights are variables, which start with the values in the model. The first
// dimension of each input is the batch (InputOptions), and strategies split it. A session of the graph takes
// other sizes of inputs where the model leaves them open: the model is imported again for them, because its
// constants may depend on sizes. Sizes that the model states are fixed. The source of an op is the file and
// the number of its node, counted from 1, "resnet18.onnx:12", and its layer is the name of the node. An op of
// a body has the number of the node of the graph that contains the body, and the layers of that node and of
// its iteration: "steps/1/Mul".
//
// A name in a graph consists of letters, digits and the characters _ . - / and :. The import removes slashes
// at the beginning of a name, keeps its first 1,000 characters, and replaces each other character by "_". If
// two names become equal, the one that is a valid name stays as it is, and the other one gets a number at its
// end. If neither is valid, or if the graph keeps the name for itself ("loss" of an output, "train" of a
// variable), the later one gets the number.
struct Model {
  Graph graph;  // its function "evaluate" returns the results, unless returns_results is false
  std::map<std::string, Tensor>
      inputs;  // the inputs of the model that the graph has, by their names in the graph
  std::map<std::string, Tensor> results;  // its outputs
  std::vector<std::string> outputs;       // the names of `results`, in the order of the model
  // Those of `inputs` whose first size the model states, and ImportOptions::inputs does not replace: they
  // have no other batch.
  std::set<std::string> fixed_batches;
  // Notes on what training the weights would do that the exporter of the model may not have meant: that batch
  // normalization was joined with other weights, or that weights may be buffers. `cutset train` prints them.
  std::vector<std::string> training_notes = {};
};

// The names of the inputs of a model that are not initializers, in the order of the model. Throws
// kInvalidData if the bytes are not a model, and kUnsupported if its messages take more memory than the limit
// above.
std::vector<std::string> input_names(std::span<const unsigned char> bytes);

// The files that the model in a file names for the elements of its weights ("external data"), as paths that
// begin with the folder of `path`, sorted and each once. The files themselves are not opened. Throws
// kInvalidData and kUnsupported as input_names(), and kUnavailable if the file of the model cannot be read.
std::vector<std::string> weight_files(const std::string& path);

// Builds the graph of a model. Throws kInvalidData if the bytes are not a valid model, and kUnsupported if
// nodes are not supported or if the model exceeds a limit above. If nodes cannot be imported, the error names
// each op, the number of its nodes and the reason, for at most 20 reasons; its code is kInvalidData if one of
// the nodes is invalid. Elements in other files ("external data") are not supported here. Throws
// kInvalidArgument if a size that the model leaves open is missing in `options`, or if an option does not
// fit.
Model import_model(std::span<const unsigned char> bytes, const ImportOptions& options = {});

// Reads a model from a file of at most 2 GiB - 1. Weights may be in other files ("external data"), which must
// be regular files in the folder of the model or below it, with one hard link (ImportOptions::hard_links). A
// symbolic link there may lead to another file of this folder, or, if `path` is a symbolic link, too, to a
// file in the folder of the file that it leads to, as in the cache of Hugging Face. Opening these files needs
// Linux 5.6. Throws as import_model(), and kUnavailable if a file cannot be read.
Model import_file(const std::string& path, const ImportOptions& options = {});

// The options of export_file.
struct ExportOptions {
  // The function to export, which must not be "train". Empty: "predict" if the graph has it, and otherwise
  // "evaluate".
  std::string function = "";
  // A safetensors file with values of variables. Other variables have their initial values. Only without a
  // session.
  std::string weights = "";
  // How `weights` is read. The default reads all its tensors. Without `weights`, it has no effect.
  VariableFileOptions read = {};
  // Whether the model runs with any size of the batch, called "batch" in the model, if the graph allows it:
  // if the function has the same ops for other sizes, and each size of a value is a multiple of the batch
  // plus a number. Sizes that depend on the batch, such as the divisor of a mean, are then computed when the
  // model runs. Otherwise all sizes are those of the graph.
  bool open_batch = true;
  // Writes the elements of weights of 1 KiB or more to PATH.data beside the model ("external data"). This is
  // done in any case if all weights together have more than 1 GiB.
  bool external_data = false;
};

// What export_file has written.
struct ExportedFile {
  std::string function;            // the function that the model computes
  std::vector<std::string> files;  // the model, and PATH.data if it was written
  int64_t nodes = 0;               // the nodes of the model
  int64_t weight_bytes = 0;        // the bytes of all its weights and constants
  LoadedVariables loaded;          // what the file ExportOptions::weights gave to the variables
  bool open_batch = false;         // whether the model runs with any size of the batch
  std::string why_fixed;           // why not; empty if it does
};

// Writes a function of the graph to a file as an ONNX model of version 20 of the operator set. The inputs and
// the outputs have their names in the graph, and the weights those of the variables, which have their initial
// values. Each op becomes the nodes that compute the same values, also for indices that are out of range,
// integers that are divided by 0 and numbers that a type cannot hold. The order of NaN in top_k and max_pool,
// and the result of scatter_elements for equal indices, are those of the program that runs the model, because
// ONNX does not define them.
//
// Throws kUnsupported if the function has ops that ONNX cannot express, such as random numbers: the error
// names each op, how often the function has it, why, and the lines of the program. Throws kInvalidArgument if
// the graph does not have the function, or if it is "train", and kUnavailable if a file cannot be read or
// written. After an error, an existing file has its old contents.
ExportedFile export_file(const std::string& path, const Graph& graph, const ExportOptions& options = {});
// The same with the values of the variables in `session`, which was compiled from the graph without
// CompileOptions::f64. A graph with Graph::average_weights exports the averages for the functions that read
// them.
ExportedFile export_file(const std::string& path, const Graph& graph, const Session& session,
                         const ExportOptions& options = {});

}  // namespace cutset::onnx
