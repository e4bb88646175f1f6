// A compiled graph on open devices, with its variables.
//
// A Session belongs to one thread at a time. It shares its Graph and compiles it again for a new shape of
// inputs; all shapes share the variables and the placement.
#pragma once
#include <cutset/data.h>
#include <cutset/graph.h>
#include <cutset/outputs.h>

#include <cstdint>
#include <map>
#include <memory>
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
  int threads = 0;                 // of each CPU device; 0: the cores divided by the CPU devices
  std::string plan;                // text of a placed program, as `dump --to place` prints it
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

// Between devices, to and from "host", and into and out of "all_reduce", the sums over replicas.
struct Transfer {
  std::string from, to;
  int64_t bytes_per_step = 0;
  int64_t tensors = 0;
};
// What "train" (or "evaluate") takes of a device's memory; known before anything is allocated.
struct MemoryUse {
  std::string device;
  uint64_t planned_bytes = 0, lower_bound_bytes = 0;  // of the arena; the bound is the most alive at once
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

  // Runs "train" or "evaluate" on one batch, as one transaction: if it throws, the variables are those of
  // the step before. Inputs of the graph that are in `batch` are fed; f32 is widened for an f64 session.
  Outputs run(const std::string& function, const Batch& batch);

  std::vector<std::string> variables() const;
  // A variable has a copy a replica; between steps they are equal to the bit.
  HostTensor variable(const std::string& name, int64_t replica = 0) const;
  int64_t replicas() const;
  std::string strategy() const;  // with the shares that were found
  void set_variable(const std::string& name, const HostTensor& value);
  // safetensors. Loading sets the variables the file names, each of which must exist with its type;
  // nothing is set if one does not. Saving is atomic.
  void load(const std::string& path);
  void save(const std::string& path) const;

  // Records what runs from now on, until the trace is written: a JSON file for https://ui.perfetto.dev. While
  // it does, every command is awaited, so queues run a little slower.
  void start_trace();
  void write_trace(const std::string& path);

  // Of "train" (or "evaluate") for the shapes the graph was built with.
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
