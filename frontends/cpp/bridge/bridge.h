// SPDX-License-Identifier: Apache-2.0
// The interface between the public library and the compiler. The compiler is a separate library because it
// links LLVM. It is loaded when the first graph is built, and exports one symbol. Only plain data passes
// through the interface.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "frontends/cpp/bridge/listed_function.h"
#include "ir/core/attributes.h"
#include "passes/compile_config.h"
#include "passes/inspect/drawings.h"
#include "passes/inspect/explanation.h"
#include "runtime/files/host_tensor.h"
#include "runtime/program/program.h"

namespace cutset {

// The file, line and layer of an op in the user's program, and the device that the user pinned the op to.
struct OpSource {
  std::string file;
  int line = 0;
  std::string layer;
  std::string device;  // empty: the planner chooses
};

// The initial value of a variable: elements, or else a value that an op draws.
struct FirstValue {
  DrawnValue drawn;
  std::shared_ptr<const HostTensor> elements;
};
// A variable whose initial value is not zeros.
struct InitializedVariable {
  std::string name;
  TensorType type;
  FirstValue first;
};

// A value of the graph: its id in the builder, and its type.
struct BuiltValue {
  int id = -1;
  TensorType type;
};

// Some variables, and the initial values of the hyper-parameters that only these variables have.
struct VariableGroup {
  std::string name;
  std::vector<std::string> variables;
  Attributes hyper_parameters;
};
// How an optimizer reduces a loss.
struct Minimization {
  std::string function;   // the name of the function that makes the step
  int loss = -1;          // the id of the loss
  std::string optimizer;  // the name of the op that updates a variable
  Attributes attributes;  // the attributes of the op, and the initial values of the hyper-parameters
  // The variables that the optimizer updates. std::nullopt: all variables that are not frozen.
  std::optional<std::vector<std::string>> variables;
  std::vector<VariableGroup> groups;
};

// The state of a builder at one time. Only the builder that made it can return to it.
struct BuildMark {
  void* last_op = nullptr;
  size_t values = 0;
};

// A part of a graph that can be built again for other shapes. It consists of the ops that made the values
// with the ids `first` to `end` - 1. Ops outside of the part read only `results`.
struct BuiltPart {
  int first = 0, end = 0;
  std::vector<int> results;
};

// The result of a compilation.
struct CompileResult {
  Program program;          // empty if the compilation ended before the last phase
  Plan plan;                // the devices of ops and variables; empty if the compilation ended before `place`
  FittedStrategy strategy;  // has the shares of the batch
  // The notes of passes/inspect/image_notes.h, from `import` on, and of passes/inspect/notes.h, from `place`
  // on.
  std::vector<std::string> notes;
  // The following fields are empty unless CompileConfig::describe is set.
  std::string text;  // the module after the last phase
  // The drawings of "train" or, if there is no "train", of another function.
  Drawings drawings;
  std::string placement_log, kernel_log;  // one line per op
  std::vector<Explanation> explanations;  // one element per op of each function
};

class GraphBuilder;
class ResizedGraph;
// A copy of a graph, and the object that gives it other shapes.
struct GraphCopy {
  std::unique_ptr<GraphBuilder> builder;
  std::unique_ptr<ResizedGraph> resized;  // uses the builder, which must outlive it
};

// A graph as it was when the snapshot was made. Ops that are added later are not part of it. Any thread may
// use it.
class GraphSnapshot {
 public:
  virtual ~GraphSnapshot() = default;
  virtual Result<CompileResult> compile(const CompileConfig& config) const = 0;
  // Returns the names of the functions of the graph.
  virtual Result<std::vector<std::string>> functions() const = 0;
  // Returns a function as plain data, before gradients, for other shapes of the inputs that `input_shapes`
  // names. Fails if there is no such function, or if the ops do not accept the shapes.
  virtual Result<ListedFunction> list(const std::string& function,
                                      const std::map<std::string, Shape>& input_shapes) const = 0;
  // Returns the variables whose initial values are not zeros, in the order in which they were made.
  virtual const std::vector<InitializedVariable>& initialized_variables() const = 0;
  // Returns the module as MLIR text, as GraphBuilder::text() did.
  virtual Result<std::string> text() const = 0;
};
// A snapshot that can infer the types of ops again for other shapes. It does not make kept calls again.
class BuiltSnapshot : public GraphSnapshot {
 public:
  // Copies the graph. The inputs that `input_shapes` names have other shapes in the copy. The copy has the
  // outputs of `function`, or all outputs if `function` is empty.
  virtual Result<GraphCopy> resize(const std::map<std::string, Shape>& input_shapes,
                                   const std::string& function) const = 0;
};

// Builds one graph. Values are named by their ids. A method that fails leaves the graph as it was. One thread
// at a time may call the methods.
class GraphBuilder {
 public:
  virtual ~GraphBuilder() = default;
  // Adds an input. `batch` is the dimension that is the batch, and `several_rows` whether each sample has
  // several consecutive rows along it.
  virtual Result<BuiltValue> input(const std::string& name, const TensorType& type, std::optional<int> batch,
                                   bool several_rows, const OpSource& source) = 0;
  // Adds a variable and returns its value before the step. The variable starts with `first`, or with zeros.
  // Elements of `first` must have the type `type`.
  virtual Result<BuiltValue> variable(const std::string& name, const TensorType& type,
                                      const std::optional<FirstValue>& first, bool trainable,
                                      const OpSource& source) = 0;
  // Returns a scalar that the session feeds in each run: a hyper-parameter, or, with Feed::kStep, the step as
  // i64. A second call with the same name, type and initial value returns the same id; another value or type
  // is an error.
  virtual Result<BuiltValue> scalar(const std::string& name, DType type, Feed feed, double initial,
                                    const OpSource& source) = 0;
  // Adds a constant of at most 1 KiB. `bytes` holds its elements in row-major order.
  virtual Result<BuiltValue> constant(const TensorType& type, std::span<const unsigned char> bytes,
                                      const OpSource& source) = 0;
  // Returns a value without contents, for operands that are read only for their type.
  virtual Result<BuiltValue> type_only(const TensorType& type, const OpSource& source) = 0;
  // Appends a compute op and returns its results.
  virtual Result<std::vector<BuiltValue>> append(const std::string& op, const std::vector<int>& operands,
                                                 const Attributes& attributes, const OpSource& source) = 0;
  // Names a result of "train" and "evaluate".
  virtual Status output(const std::string& name, int value, const OpSource& source) = 0;
  // Makes a function of some inputs of the graph and of named outputs.
  virtual Status function(const std::string& name, const std::vector<int>& inputs,
                          const std::vector<std::pair<std::string, int>>& outputs,
                          const OpSource& source) = 0;
  // Assigns `value` to `variable`, a result of variable(), at the end of each step of `function`, which
  // minimize() makes. Fails if the function already assigns the variable.
  virtual Status assign(int variable, int value, const std::string& function, const OpSource& source) = 0;
  // Assigns `value` at the end of each step of the functions that train and need `moved_with`. Several such
  // assignments of a variable are made one after the other. A graph that does not train may have them.
  virtual Status move(int variable, int value, int moved_with, const OpSource& source) = 0;
  // Returns the value that is `training` in functions that train, and `otherwise` in all others.
  virtual Result<BuiltValue> when_training(int training, int otherwise, const OpSource& source) = 0;
  // Fixes the dimension along which a tensor axis divides `variable`, a result of variable().
  virtual Status shard(int variable, int dimension, const OpSource& source) = 0;
  // Makes the function `minimization.function`, which makes one step of an optimizer and returns the loss.
  virtual Status minimize(const Minimization& minimization, const OpSource& source) = 0;
  // Returns the names of the floating-point variables that are trained if the loss depends on them, in the
  // order in which they were made.
  virtual std::vector<std::string> trainable() = 0;
  // Excludes variables of the graph from training.
  virtual void freeze(const std::vector<std::string>& names) = 0;
  // Clips the gradients: each element to [-value, value], and then the norm of all gradients to `norm`.
  virtual void clip_gradients(std::optional<double> value, std::optional<double> norm) = 0;
  // Keeps an average of each trained variable. The functions with these names read the averages instead of
  // the variables.
  virtual void average_weights(double decay, const std::vector<std::string>& functions) = 0;
  // mark() returns the state of the builder. rewind() removes the ops and variables that were made since
  // mark(). No input, output, function or assignment may have been made in between.
  virtual BuildMark mark() = 0;
  virtual void rewind(const BuildMark& mark) = 0;
  // Returns the module as MLIR text.
  virtual std::string text() = 0;
  virtual std::shared_ptr<const BuiltSnapshot> snapshot() = 0;
};

// Makes a graph for other shapes of its inputs from a copy of it. The values keep their ids. The caller
// visits the parts that are built again in the order of the graph, and calls infer_until, and then replace or
// give_up, for each of them.
class ResizedGraph {
 public:
  virtual ~ResizedGraph() = default;
  // Infers again the types of the ops before the part. The builder then inserts ops in front of the part. An
  // op that refuses its operands is given up, and so is every op that reads its results.
  virtual void infer_until(const BuiltPart& part) = 0;
  // Returns the type of a value that is before the part. Fails if the value was given up, with the reason.
  virtual Result<TensorType> type_of(int value) = 0;
  // Replaces the part by the ops that were built since infer_until, which have these results. The new ops get
  // the ids of the old ops with the same name, so that plans give them the same devices.
  virtual Status replace(const BuiltPart& part, const std::vector<int>& results) = 0;
  // Gives the part up, because building it again failed.
  virtual void give_up(const BuiltPart& part, const Failure& failure) = 0;
  // Infers the types of the ops after the last part, and returns the graph. If its outputs depend on an op
  // that was given up, fails with the first failure.
  virtual Result<std::shared_ptr<const GraphSnapshot>> finish() = 0;
};

// The compiler. Any thread may call it.
class Compiler {
 public:
  virtual ~Compiler() = default;
  virtual std::unique_ptr<GraphBuilder> builder() = 0;
  // Returns the names of the phases of a compilation, in order.
  virtual std::vector<std::string> phases() = 0;
};

inline constexpr int kBridgeVersion = 11;
inline constexpr const char* kBridgeSymbol = "cutset_compiler_open";
// The type of the exported function. It returns null if `version` is not the version of the library.
using CompilerOpenFunction = Compiler* (*)(int version);

// Loads libcutset_compiler in the first call and returns the compiler. Any thread may call it. Fails if the
// library is missing or belongs to another version.
Result<Compiler*> load_compiler();

}  // namespace cutset
