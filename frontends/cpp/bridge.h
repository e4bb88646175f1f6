// Between the thin public library and the compiler, which brings LLVM and is loaded when the first graph
// is built. Plain data crosses; one exported symbol opens it.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graph/plan.h"
#include "ir/core/attributes.h"
#include "passes/explanation.h"
#include "runtime/device.h"
#include "runtime/program.h"

namespace cutset {

// Where an op of the user's comes from and where it is to go.
struct OpOrigin {
  std::string file;
  int line = 0;
  std::string scope;   // layer
  std::string device;  // empty: the planner's choice
};

// The op that draws the first value of a variable, of the variable's type.
struct FirstValue {
  std::string op;
  Attributes attributes;
};

struct BuiltValue {
  int id = -1;
  TensorType type;
};

// A moment in building, of the builder that gave it.
struct BuildMark {
  void* last_op = nullptr;
  size_t values = 0;
};

struct CompileRequest {
  DeviceOptions devices;
  std::string strategy;
  std::optional<Plan> plan;
  std::string function;  // compile this function alone; empty: all of them
  int64_t parts = 0;     // of the batch, whatever the strategy; 0: one a replica
  int64_t bucket_bytes = 1 << 20;
  std::vector<std::pair<std::string, Shape>> inputs;  // other sizes than the graph was built with
  bool f64 = false;
  bool yield_gradients = false;
  bool unplaced = false;      // forgets where the user put ops
  bool initializers = false;  // the program that draws the variables, as outputs of their names
  std::string dump_directory;
  std::string compile_to;
};

struct CompileResult {
  Program program;                        // empty where compile_to stopped short
  Plan plan;                              // where ops and variables went; empty where it stopped before `place`
  std::string strategy;                   // with the shares that were found
  std::string text;                       // after the last phase
  std::string dot_ops, dot_layers;        // "train" where there is one
  std::string placement_log, kernel_log;  // a line an op
  std::vector<Explanation> explanations;  // of every op of every function
};

// A graph as it was at one moment: what is added to it later does not change this. Any thread may use it.
class GraphSnapshot {
 public:
  virtual ~GraphSnapshot() = default;
  virtual Result<CompileResult> compile(const CompileRequest& request) const = 0;
};

class GraphBuilder {
 public:
  virtual ~GraphBuilder() = default;
  // `batched`: axis 0 is the batch, which data(n) splits.
  virtual Result<BuiltValue> input(const std::string& name, const TensorType& type, bool batched,
                                   const OpOrigin& origin) = 0;
  // Starts with what `first` draws, or with zeros. Nothing is added to the graph where it fails.
  virtual Result<BuiltValue> variable(const std::string& name, const TensorType& type,
                                      const std::optional<FirstValue>& first, bool trainable,
                                      const OpOrigin& origin) = 0;
  // A scalar that the session feeds with every run: a hyper-parameter, or, with Feed::kStep, the step as i64. The
  // same name and first value give the same value again.
  virtual Result<BuiltValue> scalar(const std::string& name, DType type, Feed feed, double initial,
                                    const OpOrigin& origin) = 0;
  // A tensor of at most 1 KiB that is part of the program; `bytes` are those of its elements.
  virtual Result<BuiltValue> constant(const TensorType& type, std::span<const unsigned char> bytes,
                                      const OpOrigin& origin) = 0;
  // Stands for an operand that is read for its type only.
  virtual Result<BuiltValue> type_only(const TensorType& type, const OpOrigin& origin) = 0;
  virtual Result<std::vector<BuiltValue>> append(const std::string& op, const std::vector<int>& operands,
                                                 const Attributes& attributes, const OpOrigin& origin) = 0;
  virtual Status output(const std::string& name, int value, const OpOrigin& origin) = 0;
  // Inputs are those of the graph; outputs have names.
  virtual Status function(const std::string& name, const std::vector<int>& inputs,
                          const std::vector<std::pair<std::string, int>>& outputs, const OpOrigin& origin) = 0;
  // `variable` is what variable() returned.
  virtual Status assign(int variable, int value, const OpOrigin& origin) = 0;
  virtual Status minimize(const std::string& output, const std::string& optimizer, const Attributes& attributes) = 0;
  // Ops and variables made since the mark go again. In between there was no input, output, function or assignment.
  virtual BuildMark mark() = 0;
  virtual void rewind(const BuildMark& mark) = 0;
  virtual std::string text() = 0;
  virtual std::shared_ptr<const GraphSnapshot> snapshot() = 0;
};

class Compiler {
 public:
  virtual ~Compiler() = default;
  virtual std::unique_ptr<GraphBuilder> builder() = 0;
};

inline constexpr int kBridgeVersion = 2;
inline constexpr const char* kBridgeSymbol = "cutset_compiler_open";
using CompilerOpenFunction = Compiler* (*)(int version);  // null: another version

// Loads libcutset_compiler once.
Result<Compiler*> load_compiler();

}  // namespace cutset
