// Saved programs: compiled once, run without a compiler. A process that only loads and runs them never loads
// LLVM.
#pragma once
#include <cutset/session.h>

namespace cutset {

// Compiles all functions of `graph` for the shapes it was built with and writes the program to `path`, with the
// variables' values: those of `weights` (safetensors, as for Session::load) where that names them, the first values
// else. Returns the variables that `weights`, where given, does not name. Atomic.
std::vector<std::string> save_program(const Graph& graph, const CompileOptions& options, const std::string& path,
                                      const std::string& weights = "");

struct LoadOptions {
  int threads = 0;  // of each CPU device; 0: as many as it was compiled for, but no more than there are cores
  uint64_t simulation_seed = 0;
  std::string device_file;
  uint64_t memory_bytes = 0;  // the most that it may take, of its devices and of the host; 0: the machine's memory
};

class SavedProgram {
 public:
  struct Input {
    std::string name;
    TensorType type;
  };
  // Opens the devices it was compiled for. Throws cutset::Error, and nothing else, for a file that is damaged, of
  // another version or wrong in itself, where a device is not here, and where the program takes more memory than
  // there may be.
  static SavedProgram load(const std::string& path, const LoadOptions& options = {});
  ~SavedProgram();
  SavedProgram(SavedProgram&&) noexcept;

  std::vector<std::string> functions() const;
  std::vector<Input> inputs(const std::string& function) const;
  std::vector<std::string> devices() const;
  // As Session::run, for the shapes it was compiled for alone. A batch may have the inputs of other functions too.
  Session::Outputs run(const std::string& function, const Batch& batch);
  // As those of Session. The count begins with that of the weights which the program was saved with.
  uint64_t step() const;
  std::map<std::string, double> hyper_parameters() const;
  void set_hyper_parameter(const std::string& name, double value);

 private:
  struct Impl;
  explicit SavedProgram(std::unique_ptr<Impl> impl);
  Handle<std::unique_ptr<Impl>> impl_;  // every use of one that was moved from is a cutset::Error
};

}  // namespace cutset
