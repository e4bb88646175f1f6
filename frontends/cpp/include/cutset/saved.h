// SPDX-License-Identifier: Apache-2.0
// Saved programs: a graph is compiled once, written to a file with its variables, and run without the
// compiler. A process that only loads and runs saved programs does not load LLVM.
//
// A file from an untrusted source may be loaded: load_program checks everything that running the program
// assumes before it allocates memory of a device.
#pragma once
#include <cutset/session.h>

namespace cutset {

// The values of the variables in a saved program.
struct SaveOptions {
  // A safetensors file, which is read as Session::load reads it with `read`. A variable that it does not name
  // has its initial value. Default: all variables have their initial values.
  std::string weights = {};
  VariableFileOptions read = {};
  // Whether the file holds initial values that load_program can compute again: random numbers, zeros, and the
  // states of optimizers. Without them, the file of a large network is small. Values of `weights`, and
  // tensors that Graph::variable got, are always in the file.
  bool initial_values = true;
};

// Compiles all functions of `graph` for the shapes that it was built with, and writes the program and the
// values of the variables to `path`. Returns the result of Session::load; without `weights`, nothing is
// missing. The devices need not be present on this machine; only their backends must be. The program runs on
// machines with other processors and other numbers of threads. Throws a cutset::Error if the graph does not
// compile or a file cannot be read or written. The file appears under its name only when it is complete.
LoadedVariables save_program(const Graph& graph, const CompileOptions& options, const std::string& path,
                             const SaveOptions& save = {});

// How a saved program is loaded.
struct LoadOptions {
  // Threads per CPU device. 0 (default): the number of cores divided by the number of CPU devices.
  int threads = 0;
  // Determines the order in which simulated devices run their queues. It has no effect on other devices.
  uint64_t simulation_seed = 0;
  // A JSON file that replaces the backends' performance models; see CompileOptions::device_file.
  std::string device_file = {};
  // The largest number of bytes that the program may take of its devices and of the host together. 0
  // (default): the physical memory of the machine, or the limit of the process's control groups (cgroups) if
  // that is smaller.
  uint64_t memory_bytes = 0;
};

// A saved program on open devices, with its variables. It can be moved but not copied; every use of a
// SavedProgram that was moved from throws a cutset::Error. It belongs to one thread at a time: a second
// thread that uses it at the same time gets a cutset::Error. It belongs to the process that loaded it, as a
// Session does.
class SavedProgram {
 public:
  // An input of a function.
  struct Input {
    std::string name;  // the key in a Batch
    TensorType type;   // the type that the program was compiled for, which includes the batch size
  };
  // Ends the threads of the devices and releases their memory.
  ~SavedProgram();
  SavedProgram(SavedProgram&&) noexcept;
  // Destroys the program that this object held, with its variables, and moves the other program into it.
  SavedProgram& operator=(SavedProgram&&) noexcept;

  // Returns the names of the functions.
  std::vector<std::string> functions() const;
  // Returns the inputs of a function. Throws if there is no such function.
  std::vector<Input> inputs(const std::string& function) const;
  // Whether the function takes batches of other sizes than the compiled size. Throws if there is no such
  // function.
  bool takes_any_batch(const std::string& function) const;
  // Returns the names of the devices, such as "cpu:0".
  std::vector<std::string> devices() const;
  // Returns a text per kernel that is not used because its results on a device of this machine are wrong, as
  // in Session.
  std::vector<std::string> warnings() const;
  // Returns one line per kernel with the op, the kernel and the device, each line once. Further lines name
  // the kernels that another kernel has replaced, because a library is not installed or because the results
  // of the kernel are wrong.
  std::string log() const;
  // Runs a function, as Session::run does. The inputs must have the shapes that the program was compiled for.
  // The batch may have any size if takes_any_batch() is true: the results for a sample then depend on this
  // sample alone. Such a batch is run in parts of the compiled size, so one sample takes as long as a part.
  // The batch may also have inputs that only other functions read.
  Session::Outputs run(const std::string& function, const Batch& batch);
  // Runs "train", "evaluate" or "predict", as Session does.
  Session::Outputs train(const Batch& batch);
  Session::Outputs evaluate(const Batch& batch);
  Session::Outputs predict(const Batch& batch);
  // Returns memory of the host for batches, from which the devices copy fastest, as in Session.
  PinnedMemory pinned_memory() const;

  // The functions below work as the functions of Session with the same names. A program that is loaded,
  // trained and saved has the same bits as a session that is compiled with the same options.

  // Returns the number of training steps that were committed. It begins with the number in `weights` of
  // save_program.
  uint64_t step() const;
  // Returns the hyper-parameters with their values.
  std::map<std::string, double> hyper_parameters() const;
  // Returns the value of a hyper-parameter. Throws if there is no such name.
  double hyper_parameter(const std::string& name) const;
  // Changes a hyper-parameter from the next run on. Throws if there is no such name, or if
  // Session::set_hyper_parameter would refuse the value.
  void set_hyper_parameter(const std::string& name, double value);
  // Returns the names of the variables, which include the state of the optimizer.
  std::vector<std::string> variables() const;
  // Returns the value of a variable, joined if devices hold pieces of it. Throws if there is no such variable
  // or copy.
  HostTensor variable(const std::string& name, int64_t copy = 0) const;
  // Returns the number of whole copies of a variable. Throws if there is no such variable.
  int64_t copies(const std::string& name) const;
  // Sets a variable on all replicas. Throws if there is no such variable or its type differs.
  void set_variable(const std::string& name, const HostTensor& value);
  // Reads a checkpoint of a session or of a saved program. If a failure has ended the program, the file must
  // name every variable; the devices are then opened again.
  LoadedVariables load(const std::string& path, const VariableFileOptions& options = {});
  // Writes all variables and step() as a checkpoint. read_notes() returns `notes`.
  void save(const std::string& path, const std::map<std::string, std::string>& notes = {}) const;

 private:
  friend SavedProgram load_program(const std::string& path, const LoadOptions& options);
  struct Impl;
  explicit SavedProgram(std::unique_ptr<Impl> impl);
  Handle<Impl> impl_;
};

// Reads a file that save_program wrote, checks it, opens the devices that the program was compiled for, and
// writes the variables to them. Throws a cutset::Error, and no other exception, in these cases:
// - The file is damaged, has another version or contains a program that is not valid.
// - A device is missing.
// - The program takes more memory than the options allow.
SavedProgram load_program(const std::string& path, const LoadOptions& options = {});

}  // namespace cutset
