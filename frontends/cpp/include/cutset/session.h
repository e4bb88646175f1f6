// A compiled graph on open devices, with its variables.
//
// A Session belongs to one thread at a time. It shares its Graph and compiles it again for a new shape of
// inputs; all shapes share the variables and the placement.
#pragma once
#include <cutset/data.h>
#include <cutset/graph.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace cutset {

struct CompileOptions {
  std::string devices = "cpu:0";  // "cpu:0,opencl:0"
  std::string strategy;           // "one_device", "model"; empty: model where there are several devices
  int threads = 0;                // of each CPU device; 0: the cores divided by the CPU devices
  std::string plan;               // text of a placed program, as `dump --to place` prints it
  std::string dump_directory;     // every phase as NN-phase.mlir and .dot
  uint64_t simulation_seed = 0;   // shuffles the queues of simulated devices
  std::string device_file;        // JSON: numbers of devices that replace the backends' own
  bool f64 = false;               // the same program in f64 (reference and simulated devices)
  bool gradients = false;         // "train" returns "gradient:VARIABLE" too
};

struct Transfer {
  std::string from, to;
  int64_t bytes_per_step = 0;
  int64_t tensors = 0;
};
struct MemoryUse {
  std::string device;
  uint64_t planned_bytes = 0, lower_bound_bytes = 0;
};

class Session {
 public:
  // Results by name.
  class Outputs : public std::map<std::string, HostTensor> {
   public:
    using std::map<std::string, HostTensor>::map;
    struct Scalar {
      const HostTensor& tensor;
      template <class T>
      T item() const {
        return static_cast<T>(tensor.at(0));
      }
    };
    Scalar operator[](const std::string& name) const { return {this->at(name)}; }
  };

  ~Session();
  Session(Session&&) noexcept;

  // Runs "train" or "evaluate" on one batch, as one transaction: if it throws, the variables are those of
  // the step before. Inputs of the graph that are in `batch` are fed; f32 is widened for an f64 session.
  Outputs run(const std::string& function, const Batch& batch);

  std::vector<std::string> variables() const;
  HostTensor variable(const std::string& name) const;
  void set_variable(const std::string& name, const HostTensor& value);
  // safetensors. Loading sets the variables the file names, each of which must exist with its type;
  // nothing is set if one does not. Saving is atomic.
  void load(const std::string& path);
  void save(const std::string& path) const;

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
  std::unique_ptr<Impl> impl_;
};

Session compile(const Graph& graph, const CompileOptions& options = {});

}  // namespace cutset
