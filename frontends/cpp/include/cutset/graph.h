// SPDX-License-Identifier: Apache-2.0
// Building a graph. Each call appends an op at once and infers its shapes. If an operand does not fit, the
// call throws a cutset::Error with the line of the call, and the graph stays as it was.
//
//   Graph g;
//   Tensor x = g.input("x", f32, {32, 10}), y = g.input("y", i32, {32});
//   Tensor logits = nn::dense("out", x, 3);
//   g.output("logits", logits);
//   g.minimize(cross_entropy(logits, y), {.learning_rate = 0.1});
//
// A graph has functions, which Session::run names. minimize() makes "train", which is one training step.
// "evaluate" exists if the graph has an output or has no function. Both return the tensors that output()
// names. function() makes other functions. A function computes only what its results depend on, and it needs
// only the inputs that they depend on.
//
// A Graph, its tensors and its scopes belong to one thread at a time. A second thread that builds at the same
// time gets a cutset::Error. Copies of a Graph, of its tensors and of its scopes are handles of one graph, so
// an op that is added through one copy exists for all of them.
#pragma once
#include <cutset/error.h>
#include <cutset/handle.h>
#include <cutset/host_tensor.h>
#include <cutset/ops.h>
#include <cutset/optimizers.h>

#include <cstdint>
#include <map>
#include <optional>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

namespace cutset {

// The initial values of a variable. Random values depend on the seed of the graph, the number of variables
// that were made before, and the index of the element. They do not depend on the devices. The generator is
// Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011).
struct Initializer {
  // The distributions.
  enum class Kind { kZeros, kUniform, kNormal } kind = Kind::kZeros;
  double low = 0, high = 1;     // kUniform: values are in [low, high)
  double mean = 0, stddev = 1;  // kNormal: mean and standard deviation
  // Sets all elements to 0.
  static Initializer zeros() { return {}; }
  // Sets all elements to `value`, which must be finite.
  static Initializer constant(double value) { return uniform(value, value); }
  // Draws from the uniform distribution over [low, high). Both bounds must be finite, and low must not be
  // above high.
  static Initializer uniform(double low, double high) {
    return {.kind = Kind::kUniform, .low = low, .high = high};
  }
  // Draws from the normal distribution. Both parameters must be finite, and stddev must not be negative.
  static Initializer normal(double mean, double stddev) {
    return {.kind = Kind::kNormal, .mean = mean, .stddev = stddev};
  }
};

// The options of Graph::variable.
struct VariableOptions {
  // Whether minimize() trains the variable, unless Graph::freeze excludes it later. A variable that is not
  // trained changes only by Graph::assign and Session::set_variable.
  bool trainable = true;
};

// Along which dimension the devices of an axis divide a variable.
struct Sharding {
  std::string axis = "tensor";  // the axis of the strategy tensor(n); no other axis is divided by dimensions
  int dimension = 0;            // of the variable, from 0 on
};

// The options of Graph::input.
struct InputOptions {
  // The dimension that is the batch, from 0 on: 1 for a time-major tensor [T, B, F]. A strategy that splits
  // the batch gives each replica and each micro-batch its samples. std::nullopt: no dimension is the batch,
  // and every replica gets the whole tensor, such as a mask or a table. A scalar never has a batch; the
  // option is then ignored.
  std::optional<int> batch_dimension = 0;
  // Whether each sample has several consecutive rows along the batch dimension, as labels [B*S] beside tokens
  // [B, S]. Every sample has the same number of rows: the size of the dimension divided by the size of the
  // batch. The inputs without this option have the size of the batch. A strategy splits the rows only between
  // two samples. If all inputs of a function have this option, each row is a sample.
  bool several_rows_per_sample = false;
};

// A graph under construction. A Graph is a handle: its copies and its Tensors share one graph. Every use of a
// Graph that was moved from throws a cutset::Error.
//
// Inputs, variables, outputs and functions have names, which are unique within their kind. A hyper-parameter
// cannot have the name of an input. In all methods `source` is the line that errors and drawings name. Its
// default is the line of the call.
class Graph {
 public:
  // Makes an empty graph and loads the compiler. `seed` determines the initial values of the variables.
  // Throws if the library of the compiler cannot be loaded.
  explicit Graph(uint64_t seed = 0);
  // Makes a handle to the graph with this state. Only functions of this library that build graphs use it.
  explicit Graph(std::shared_ptr<GraphState> state);

  // Adds an input, which the caller provides by name in each Batch. `shape` includes the batch. A session
  // compiles the graph for this shape, and it compiles a function again when it is run with another shape.
  // Throws if the name is used by another input or begins with "cutset.", or if the type is invalid.
  Tensor input(const std::string& name, DType dtype, const Shape& shape,
               std::source_location source = std::source_location::current());
  // Adds an input with options. Throws as the overload without options does, and if the shape does not have
  // the batch dimension. compile() throws if the strategy splits the batch and the inputs of a function
  // differ in the size of the batch.
  Tensor input(const std::string& name, DType dtype, const Shape& shape, const InputOptions& options,
               std::source_location source = std::source_location::current());
  // Returns the number of the current training step as a scalar of type i64: 1 in the first training step of
  // a session, and one more after each step that is committed. A function that does not train gets the number
  // of the last step that was committed. random_uniform and random_normal take this scalar as an operand and
  // draw other numbers in each step. Initial values are drawn for step 0.
  Tensor step(std::source_location source = std::source_location::current());
  // Returns a scalar of type f32 that the session feeds. Its value is `initial`, which must be finite, until
  // Session::set_hyper_parameter changes the value. The change compiles nothing again. A second call with the
  // same name and value returns the same scalar; a second call with another value throws. For a
  // hyper-parameter of the optimizer, such as "learning_rate", `initial` must be equal to the member of the
  // struct that minimize() gets.
  Tensor hyper_parameter(const std::string& name, double initial,
                         std::source_location source = std::source_location::current());
  // Makes a variable, which keeps its value from step to step, and returns its value before the step. Throws
  // if the name is used by another variable or by a function, or if `initial` does not fit the type: only
  // floating-point variables have random initial values.
  Tensor variable(const std::string& name, DType dtype, const Shape& shape, const Initializer& initial,
                  const VariableOptions& options = {},
                  std::source_location source = std::source_location::current());
  // Makes a variable that starts with the elements of `initial` and has their type. The graph keeps the
  // tensor. All sessions, verifications and saved programs of the graph start with it. With
  // CompileOptions::f64, f32 elements are widened. Throws if the name is invalid or used.
  Tensor variable(const std::string& name, HostTensor initial, const VariableOptions& options = {},
                  std::source_location source = std::source_location::current());
  // Returns the value before the step of the variable `name`, which variable() or a layer has made: matmul(h,
  // g.variable("tokens.weight"), false, true) reads the table of nn::embedding("tokens", ...). Throws if
  // there is no such variable.
  Tensor variable(const std::string& name,
                  std::source_location source = std::source_location::current()) const;
  // Assigns `value` to `variable`, a result of variable(), at the end of each step of `function`, which
  // minimize() makes. All ops of the step read the value before the step. A step that fails assigns nothing.
  // All replicas assign the same value, which is computed from the whole batch. Throws if the types differ or
  // if the function already assigns the variable. compile() throws if the function also trains the variable,
  // or if minimize() does not make the function.
  void assign(const Tensor& variable, const Tensor& value, const std::string& function = "train",
              std::source_location source = std::source_location::current());
  // Returns a tensor that is `training` in the functions that minimize() makes and `otherwise` in all other
  // functions, as dropout and batch normalization need. A function computes only the tensor that it uses.
  // Throws if the types differ.
  Tensor when_training(const Tensor& training, const Tensor& otherwise,
                       std::source_location source = std::source_location::current());
  // Fixes the dimension along which the devices of a tensor axis divide `variable`, a result of variable():
  // g.shard(w, {"tensor", 0}). The compiler chooses how to divide the variables without such a call. If the
  // strategy has no tensor axis, the compiler divides none. Throws if there is no such axis or dimension, or
  // if the variable already has a sharding. compile() throws if the dimension has too few elements for the
  // devices.
  void shard(const Tensor& variable, const Sharding& sharding,
             std::source_location source = std::source_location::current());
  // Names a result that both "train" and "evaluate" compute and return. function() makes a function for a
  // result that only one of them needs.
  void output(const std::string& name, const Tensor& value,
              std::source_location source = std::source_location::current());
  // Makes the function `name`, which returns `outputs` and changes no variable. `inputs` must include every
  // input that the outputs depend on: g.function("predict", {image}, {{"logits", logits}}). A function with
  // the name "evaluate" replaces the function that output() makes.
  void function(const std::string& name, const std::vector<Tensor>& inputs,
                const std::vector<std::pair<std::string, Tensor>>& outputs,
                std::source_location source = std::source_location::current());
  // Makes the function "train": one step of `optimizer` that reduces `loss`, a floating-point scalar, with
  // respect to every trainable variable that the loss depends on: g.minimize(loss, Adam{.learning_rate =
  // 0.001}). The loss becomes the output "loss". `options` may choose variables, give some of them other
  // hyper-parameters, and name another function, so that a graph may have several optimizers:
  //   g.minimize(d_loss, Adam{}, {.variables = {"discriminator"}, .function = "train_discriminator"});
  //   g.minimize(g_loss, Adam{}, {.variables = {"generator"}, .function = "train_generator"});
  // Throws if the loss is not a floating-point scalar, if a member of `optimizer` or of `options` is not
  // valid, or if the name of the function is taken. compile() throws if the loss depends on no variable that
  // the optimizer may update.
  void minimize(const Tensor& loss, const Optimizer& optimizer, const MinimizeOptions& options = {},
                std::source_location source = std::source_location::current());
  // Makes the function with SGD, whose name may be left out: g.minimize(loss, {.learning_rate = 0.1}).
  void minimize(const Tensor& loss, const Sgd& optimizer, const MinimizeOptions& options = {},
                std::source_location source = std::source_location::current());

  // Freezes variables: the optimizer leaves them as they are, as if they had been made with
  // VariableOptions::trainable = false. The running statistics of batch normalization still move. An element
  // of `names` is one of these:
  // - The name of a variable.
  // - The beginning of names up to a "." or "/": "fc" stands for "fc.weight" and "fc.bias".
  // - A pattern in which "*" stands for any characters: "*.bias" for the biases of all layers.
  // The call may precede minimize() or follow it. It concerns the variables that were made before the call.
  // Returns the names of the variables that this call has frozen. Throws, and freezes nothing, if an element
  // names no trainable variable.
  std::vector<std::string> freeze(const std::vector<std::string>& names,
                                  std::source_location source = std::source_location::current());
  // Freezes all other variables: g.freeze_except({"fc"}) trains the last layer only. Throws as freeze() does.
  std::vector<std::string> freeze_except(const std::vector<std::string>& names,
                                         std::source_location source = std::source_location::current());

  // Clips the gradients of each function of minimize() before its optimizer gets them. Throws if it was
  // called before, if `clipping` has no limit, or if a limit is not a finite number above 0.
  void clip_gradients(const GradientClipping& clipping,
                      std::source_location source = std::source_location::current());
  // Keeps averages of the trained variables, which some functions read instead of the variables. Throws if it
  // was called before, if the decay is not in [0, 1), or if "train" is one of the functions. compile() throws
  // if the graph lacks one of the functions, or if a variable has the name of an average.
  void average_weights(const WeightAverage& average = {},
                       std::source_location source = std::source_location::current());

  // Returns the names and types of the inputs, in the order in which they were made.
  const std::vector<std::pair<std::string, TensorType>>& inputs() const;
  // Returns the number of classes of each input that ops read as labels (a loss or one_hot) or as indices
  // (gather), by name. Labels are in [0, classes), indices in [-classes, classes). The `padding_idx` of
  // embedding_bag and the `ignore_index` of a loss may lie outside of this range.
  const std::map<std::string, int64_t>& label_classes() const;
  // Returns the program as MLIR text, before any pass.
  std::string text() const;
  // Adds a constant tensor of at most 1 KiB to the program and returns it. Larger values belong in a variable
  // or an input.
  Tensor constant(const HostTensor& value, std::source_location source = std::source_location::current());
  // Returns the shared state of the handles. Only the functions of this library that build graphs use it.
  const std::shared_ptr<GraphState>& state() const;

 private:
  // Returns the id of a tensor of this graph. Throws an Error that names `what` if the tensor is not of this
  // graph.
  int own(const Tensor& tensor, const std::string& what, std::source_location source) const;

  Handle<GraphState> state_;
};

// Pins ops to a device: every op that is appended while the scope lives runs on `device` ("opencl:0"), its
// reason is "user", and no pass moves it. Of several scopes that live, the scope that began last determines
// the device. Scopes may end in any order. Compilation fails if the session does not have the device.
class DeviceScope {
 public:
  // Begins the scope.
  DeviceScope(const Graph& graph, const std::string& device);
  // Ends the scope. The other scopes of the graph keep their effect.
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;

 private:
  std::shared_ptr<GraphState> state_;
};

// Names a layer: every op that is appended while the scope lives belongs to the layer `name`. The placement
// log, explain and errors name the layer. Drawings show it as a cluster inside the cluster of the outer
// scope. Names of nested scopes are joined: "encoder/attention". A "." in a name also begins an inner scope,
// so the layer "layer1.0.conv1", named as in PyTorch, is the scope "layer1/0/conv1".
class NameScope {
 public:
  // Begins the scope.
  NameScope(const Graph& graph, const std::string& name);
  // Ends the scope. The other scopes of the graph keep their effect.
  ~NameScope();
  NameScope(const NameScope&) = delete;

 private:
  std::shared_ptr<GraphState> state_;
};

}  // namespace cutset
