// A compiled graph on open devices, with its variables.
//
// A Session belongs to one thread at a time: a second thread that runs it, or reads or sets a variable, meanwhile
// gets a cutset::Error. Sessions are independent, so each thread may have its own.
//
// It keeps the graph as it was when it was compiled: what is added to the Graph later is not part of it. A function is
// compiled again for a new shape of its inputs; all shapes share the variables and the placement.
#pragma once
#include <cutset/data.h>
#include <cutset/graph.h>
#include <cutset/outputs.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cutset {

inline constexpr int64_t kDeterministicParts = 8;

struct CompileOptions {
  std::string devices = "cpu:0";  // "cpu:0,opencl:0"
  // "one_device", "model", "data(2)", "data(2, shares=5:2) * model"; empty: model where there are several
  // devices. data(n) trains n replicas of the graph on consecutive groups of devices, each on its share of
  // every batch; without shares, by the planner's estimate of their speed.
  std::string strategy;
  int threads = 0;  // of each CPU device; 0: the cores divided by the CPU devices
  // The text of a plan (docs/plan-format.md), as cutset::plan of <cutset/explain.h> and `cutset plan` write it.
  std::optional<std::string> plan;
  std::string dump_directory;      // every phase as NN-phase.mlir and .dot
  uint64_t simulation_seed = 0;    // shuffles the queues of simulated devices
  std::string device_file;         // JSON: numbers of devices that replace the backends' own
  bool f64 = false;                // the same program in f64 (reference and simulated devices)
  bool gradients = false;          // "train" returns "gradient:VARIABLE" too
  int64_t bucket_bytes = 1 << 20;  // of gradients that replicas sum together; 0: each by itself
  // The same bits for any number of threads, and of replicas on devices of one kind: the batch is computed
  // in kDeterministicParts parts, each kernel on one thread, and sums over parts follow a fixed tree.
  bool deterministic = false;
};

// Between devices, to and from "host" (the tensors of the caller, not the scalars that the session feeds), and into and
// out of "all_reduce", the sums over replicas.
struct Transfer {
  std::string from, to;
  int64_t bytes_per_step = 0;
  int64_t tensors = 0;
};
// What "train" (else "evaluate", else the first function) takes of a device's memory; known before anything is
// allocated.
struct MemoryUse {
  std::string device;
  uint64_t planned_bytes = 0, lower_bound_bytes = 0;  // of the arena; the bound is the most alive at once
  uint64_t arenas = 0;                                // planned memory of all functions
  uint64_t variables = 0, optimizer = 0, constants = 0;
  // The fullest moment of the largest arena, and the op that runs then.
  uint64_t activations = 0, transfers = 0, scratch = 0;
  std::string fullest_op;
};

class Session {
 public:
  using Outputs = cutset::Outputs;

  ~Session();
  Session(Session&&) noexcept;

  // Runs a function of the graph on one batch, as one transaction. `batch` has each input that the function's results
  // depend on; the graph's other inputs may be there, and are not looked at; any other name is an error. f32 is widened
  // for an f64 session. A run that updates variables throws where the loss, a gradient or another tensor
  // that an update needs is not finite; every variable on every device is then to the bit what it was, and the
  // session goes on. An update whose own arithmetic overflows (a finite gradient, and a learning rate so large that
  // variable - learning_rate * gradient is infinite) is not looked at: the next step throws and names the variable.
  // A run that updates nothing returns what it computes, NaN too. A device that fails ends the session's steps: if
  // it failed before updates began, variables whose devices still answer can be read and saved (save() takes the copy
  // of any replica, and a device of kind sim answers no more); if it failed in the middle of them,
  // variable() and save() throw, since the variables are of two steps. load() of a checkpoint, or a new session,
  // goes on from there.
  Outputs run(const std::string& function, const Batch& batch);

  // How many training steps were committed: one count for all functions and shapes. Saved with checkpoints.
  uint64_t step() const;
  // The hyper-parameters of the graph, "learning_rate" and "momentum" of Sgd among them, by name with their values.
  // A new value holds from the next run on and compiles nothing. Throws where there is no such name, and for a value
  // that is not finite in the type of the program (f32, or f64 where the session is).
  std::map<std::string, double> hyper_parameters() const;
  double hyper_parameter(const std::string& name) const;
  void set_hyper_parameter(const std::string& name, double value);
  // How often the graph was compiled for this session: once for all functions and the shapes it was built with, and
  // once for each other shape that a function was run with.
  int64_t compilations() const;

  std::vector<std::string> variables() const;
  // A variable has a copy a replica; between steps they are equal to the bit.
  HostTensor variable(const std::string& name, int64_t replica = 0) const;
  int64_t replicas() const;
  std::string strategy() const;  // with the shares that were found
  void set_variable(const std::string& name, const HostTensor& value);
  // safetensors. Loading sets the variables the file names, each of which must exist with its type; nothing is set if
  // one does not. It returns the variables that the file does not name: they keep their values. What an optimizer kept
  // of a variable ("w/velocity") is left out where the session has none, as in a graph that does not train. Loading
  // sets step() too, where the file says it. After a device failed, the file must name every variable; the devices are
  // then opened again. Saving is atomic.
  std::vector<std::string> load(const std::string& path);
  void save(const std::string& path) const;

  // Records what runs from now on, until the trace is written: a JSON file for https://ui.perfetto.dev. While
  // it does, every command is awaited, so queues run a little slower.
  void start_trace();
  void write_trace(const std::string& path);

  // Of "train" (else "evaluate", else the first function) for the shapes the graph was built with.
  std::vector<Transfer> transfers() const;
  std::vector<MemoryUse> memory() const;
  std::string dot(bool layers = false) const;
  void dump_dot(const std::string& path) const;
  // What the compiler decided, a line an op: "place" (device and reason) or "dispatch" (kernel and refusals).
  std::string log(const std::string& topic) const;

 private:
  friend Session compile(const Graph& graph, const CompileOptions& options);
  struct Impl;
  explicit Session(std::unique_ptr<Impl> impl);
  Handle<std::unique_ptr<Impl>> impl_;  // every use of one that was moved from is a cutset::Error
};

Session compile(const Graph& graph, const CompileOptions& options = {});

}  // namespace cutset
