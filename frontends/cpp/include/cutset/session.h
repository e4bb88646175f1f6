// SPDX-License-Identifier: Apache-2.0
// A compiled graph on open devices, with its variables.
//
//   Session session = compile(graph, {.devices = "cpu:0,opencl:0", .strategy = Model{}});
//   for (auto& batch : data) std::printf("%f\n", session.train(batch)["loss"].item<double>());
//
// A session keeps the graph as it was when it was compiled; ops that are added to the Graph later are not
// part of it. A function is compiled again when it is run with new shapes of its inputs. The programs for all
// shapes share the variables and the placement.
//
// A Session belongs to one thread at a time: if a second thread runs it, or reads or sets a variable, at the
// same time, the second thread gets a cutset::Error. Sessions are independent, so each thread may have one. A
// Session belongs to the process that compiled it: in a child that fork() made, every use of its devices
// throws, and its destruction leaves its memory allocated. All functions throw cutset::Error.
#pragma once
#include <cutset/data.h>
#include <cutset/graph.h>
#include <cutset/outputs.h>
#include <cutset/pinned_memory.h>
#include <cutset/strategy.h>
#include <cutset/variable_file.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "passes/inspect/dot_level.h"

namespace cutset {

// The number of shards of the batch with CompileOptions::deterministic.
inline constexpr int64_t kDeterministicShards = 8;

// How a graph is compiled. The default is one CPU device with all cores.
struct CompileOptions {
  // The devices, separated by commas: "cpu:0,opencl:0". `cutset devices` lists the devices of this machine.
  // Compilation fails if a device cannot be opened.
  std::string devices = "cpu:0";
  // How the graph is divided over the devices, as values or as a text (<cutset/strategy.h>):
  //   OneDevice{}          "one_device"       the only device runs everything
  //   Model{}              "model"            the ops are divided over the devices by the planner's
  //                                           estimate of their times
  //   Data{2}              "data(2)"          two replicas on consecutive devices, each of which trains
  //                                           on its share of every batch
  //   Data{2} * Model{}    "data(2) * model"  two replicas, each divided over a separate group of devices
  //                        "mirrored"         one replica per device
  //   Pipeline{.devices = 2, .micro_batches = 4}   "pipeline(2, micro_batches=4)"
  //                                           two stages that work on different micro-batches at the
  //                                           same time
  //   TensorParallel{2}    "tensor(2)"        the operands of ops are divided over two devices
  // docs/api.md describes all strategies, their arguments and products. The shares of Data fix the shares of
  // the batch; otherwise the planner chooses them by the estimated speed of the devices. Default: Model{} if
  // there are several devices, and otherwise OneDevice{}.
  Strategy strategy = {};
  // Threads per CPU device, at most 1024. 0 (default): the number of cores divided by the number of CPU
  // devices.
  int threads = 0;
  // The text of a plan (docs/plan-format.md), which fixes the devices of ops and the schedule of a pipeline.
  // cutset::plan of <cutset/explain.h> and `cutset plan` write it. Default: the compiler decides. Compilation
  // fails if the plan does not fit the graph.
  std::optional<std::string> plan = {};
  // A folder to which the program is written after every phase, as NN-phase.mlir and NN-phase.dot. The plan
  // is written there as plan.txt. Empty (default): nothing is written.
  std::string dump_directory = {};
  // Determines the order in which simulated devices (sim:0) run their queues. It has no effect on other
  // devices.
  uint64_t simulation_seed = 0;
  // A JSON file that replaces values of the backends' performance models, by the name of the device. The
  // planner uses the speeds (FLOP/s, bytes/s). `memory_bytes` limits the memory that a program may take.
  // `timed` makes a simulated device as slow as its model. Empty (default): the backends' values hold.
  std::string device_file = {};
  // Whether f64 replaces f32 in all computations of the graph. Reference, simulated and CPU devices have
  // kernels for f64; `cutset ops` lists the kernels of the other devices.
  bool f64 = false;
  // Whether the functions that train have the outputs "gradient:VARIABLE", one per variable that they train.
  bool gradients = false;
  // The size of the buckets, in bytes, in which gradients that replicas sum are joined, so that fewer and
  // larger all-reduces run. Buckets have about this size. 0: one all-reduce per gradient. Larger buckets have
  // less overhead and start later.
  int64_t bucket_bytes = 1 << 20;
  // The largest number of programs that a session keeps for shapes other than the shapes that the graph was
  // built with. A run that needs one more program releases the program that was used least recently. A later
  // run with the shapes of the released program compiles it again. While a trace is recorded, no program is
  // released. All programs share one arena per device.
  int64_t max_specialisations = 32;
  // Whether ops are joined where a device computes them in one kernel, for example a matrix product with its
  // bias and relu. The rounding of the results may then differ from the rounding of separate kernels.
  bool fuse = true;
  // Whether the results are bitwise equal for any number of threads, and for any number of replicas on
  // devices of one kind. The batch is then computed in kDeterministicShards shards, each kernel runs on one
  // thread, and the sums over shards follow a fixed tree. Training is slower. Default: the results are the
  // same only for the same devices, threads and plan.
  bool deterministic = false;
  // Gets each note of the compilation, once, for the shapes that the graph was built with. A note is a text
  // in one line that names an unexpected cost in time or memory: for example an op that every replica
  // computes for the whole batch, or layers of a pipeline at which all micro-batches wait for each other.
  // compile(), save_program() and verify() call the function; explain() returns the notes instead. Empty
  // (default): the notes are printed on standard error, as lines "note: TEXT".
  std::function<void(const std::string& note)> on_note = {};
};

// The tensors that one step transfers from one place to another. A place is one of these:
// - A device.
// - "host": the tensors of the caller, without the scalars that the session feeds.
// - "all_reduce": the sums over replicas.
struct Transfer {
  std::string from, to;        // two places
  int64_t bytes_per_step = 0;  // of all these tensors
  int64_t tensors = 0;         // the number of tensors per step
};
// The memory that a program takes of one device, in bytes. It is known before anything is allocated.
struct MemoryUse {
  std::string device;          // the name of the device
  uint64_t planned_bytes = 0;  // the arena of "train" (or else of another function that trains, of
                               // "evaluate", or of the first function)
  uint64_t lower_bound_bytes =
      0;                   // the most bytes that are alive at once in this arena; no layout can be smaller
  uint64_t arena = 0;      // the arena that all functions share: as large as the largest of them needs
  uint64_t variables = 0;  // the variables of the graph
  uint64_t optimizer = 0;  // the variables that hold the state of the optimizer
  uint64_t constants = 0;  // the constants of the program
  uint64_t scratch = 0;    // the scratch memory that all kernels share; it depends on this machine
  // The bytes that are alive at the peak of the largest arena: buffers of the compute queue alone, and
  // buffers of transfers.
  uint64_t activations = 0, transfers = 0;
  std::string peak_op;  // the op that runs at the peak, with its layer: "conv of conv1"
};

// A batch that a session copies to its devices before it is run (Session::prefetch). It owns the batch. It
// can be moved but not copied, and it may outlive its session.
class PrefetchedBatch {
 public:
  // Waits until no device reads the batch any more.
  ~PrefetchedBatch();
  // Moves the batch. The object that was moved from can then only be destroyed or assigned to.
  PrefetchedBatch(PrefetchedBatch&&) noexcept;
  // Destroys the batch that this object held, and moves the other batch into it.
  PrefetchedBatch& operator=(PrefetchedBatch&&) noexcept;

 private:
  friend class Session;
  struct Impl;
  explicit PrefetchedBatch(std::unique_ptr<Impl> impl);
  Handle<Impl> impl_;
};

// A compiled graph that runs. It can be moved but not copied; every use of a Session that was moved from
// throws.
class Session {
 public:
  // The results of a run, by the names of the outputs.
  using Outputs = cutset::Outputs;

  // Ends the threads of the devices and releases their memory.
  ~Session();
  // Moves the session. The object that was moved from can then only be destroyed or assigned to.
  Session(Session&&) noexcept;
  // Destroys the session that this object held, with its variables, and moves the other session into it.
  Session& operator=(Session&&) noexcept;

  // Runs a function of the graph on one batch, as one transaction, and returns its outputs. `batch` must have
  // every input that the outputs of the function depend on. Inputs that only other functions read are
  // ignored, and any other name is an error. A session with CompileOptions::f64 also takes f32 tensors.
  //
  // A run that updates variables throws if the loss, a gradient, or another tensor that an update needs is
  // not finite. Every variable on every device is then bitwise equal to its value before the run, and the
  // session continues. The arithmetic of the update itself is not checked: if variable - learning_rate *
  // gradient overflows although the gradient is finite, the next step throws and names the variable. A run
  // that updates no variable returns its results even if they are NaN.
  //
  // If a device fails, the run throws:
  // - A failure before the updates begin changes no variable, and the session can run the same batch again.
  // - After the loss of a device, every later run also throws until load() succeeds. The variables of devices
  //   that still respond can be read and saved.
  // - After a failure during the updates, the variables belong to two steps. Every later run, variable() and
  //   save() throw until load() succeeds.
  Outputs run(const std::string& function, const Batch& batch);
  // Begins to copy a batch to the devices for a later run of the function, and returns at once. The session
  // runs other batches meanwhile, so the later run starts without the copy:
  //
  //   std::deque<PrefetchedBatch> ahead;
  //   for (Batch& batch : data) {
  //     ahead.push_back(session.prefetch("train", std::move(batch)));
  //     if (ahead.size() < 2) continue;
  //     session.run(std::move(ahead.front()));
  //     ahead.pop_front();
  //   }
  //   if (!ahead.empty()) session.run(std::move(ahead.front()));
  //
  // Only devices with separate memory (cuda, sim) get an early copy, and only for two batches per function at
  // a time. The memory for these batches is allocated beside the arena. In all other cases, and if a device
  // has no room for the copy, the batch is copied when it is run, with the same results. Throws as run() does
  // if the batch does not fit the function. A batch of new shapes is compiled. A copy that fails is repeated
  // when the batch is run.
  PrefetchedBatch prefetch(const std::string& function, Batch batch);
  // Runs the function for which the batch was prefetched, as run(function, batch) does. Hyper-parameters have
  // the values at the time of this call. Throws if another session prefetched the batch. If the run succeeds,
  // the batch is moved from; if it throws, the batch can be run again.
  Outputs run(PrefetchedBatch&& batch);
  // Returns memory of the host for batches, from which the devices copy fastest (Dataset::pin). Throws if the
  // system has too few resources to open a device once more.
  PinnedMemory pinned_memory() const;
  // Runs "train": one training step.
  Outputs train(const Batch& batch);
  // Runs "evaluate", which returns the same outputs without a training step.
  Outputs evaluate(const Batch& batch);
  // Runs "predict", a function that the graph must have: g.function("predict", {image}, {{"logits",
  // logits}}).
  Outputs predict(const Batch& batch);

  // Returns the names of the functions, in the order in which the compiler made them.
  std::vector<std::string> functions() const;
  // Returns the outputs of a function, in their order, with their types for the shapes that the graph was
  // built with. Throws if there is no such function.
  std::vector<std::pair<std::string, TensorType>> outputs(const std::string& function) const;
  // Returns the graph as MLIR text: Graph::text() when the graph was compiled. The text does not depend on
  // the devices or the strategy, so equal texts are equal networks.
  std::string graph_text() const;

  // Returns the number of training steps that were committed, over all functions and shapes. Checkpoints hold
  // it.
  uint64_t step() const;
  // Returns the learning rates of the parameter groups of "train", as Graph::minimize got them. The keys are
  // the names of the hyper-parameters: "group1/learning_rate".
  const std::map<std::string, double>& group_rates() const;
  // Returns the hyper-parameters of the graph with their values; "learning_rate" and "momentum" of Sgd are
  // among them.
  std::map<std::string, double> hyper_parameters() const;
  // Returns the value of a hyper-parameter. Throws if there is no such name.
  double hyper_parameter(const std::string& name) const;
  // Sets a hyper-parameter from the next run on. Nothing is compiled again. Throws in these cases:
  // - There is no such name.
  // - The value is not finite in the type of the program (f32, or f64 with CompileOptions::f64).
  // - Graph::minimize, clip_gradients or average_weights would refuse the value: a learning rate below 0, or
  //   a beta of 1.
  void set_hyper_parameter(const std::string& name, double value);
  // Returns the number of compilations. The first one compiles all functions for the shapes that the graph
  // was built with. Every run with other shapes adds a compilation, unless the session holds the program for
  // these shapes (CompileOptions::max_specialisations).
  int64_t compilations() const;

  // Returns the names of the variables, which include the state of the optimizer ("w/velocity").
  std::vector<std::string> variables() const;
  // Returns the value of a variable, joined if devices hold pieces of it. All copies are bitwise equal
  // between steps. Throws if there is no such variable or copy.
  HostTensor variable(const std::string& name, int64_t copy = 0) const;
  // Returns the number of whole copies of a variable. All pieces of a divided variable together are one copy.
  // A variable that is not divided has one copy per replica, or one per device of the tensor axis of each
  // replica. A variable that the replicas divide, with data(n, shard=...), has one copy. Throws if there is
  // no such variable.
  int64_t copies(const std::string& name) const;
  // Returns the number of replicas of the strategy, between which the batch is divided.
  int64_t replicas() const;
  // Returns the strategy in its full form, with the shares of the batch: "data(2, shares=5:2)".
  std::string strategy() const;
  // Sets a variable on all replicas. Throws if there is no such variable or its type differs.
  void set_variable(const std::string& name, const HostTensor& value);
  // Reads a checkpoint in the safetensors format and sets the variables that it names, and step() if the file
  // holds it. Returns the variables that the file does not name, which keep their values, and notes about the
  // changes to its tensors:
  // - These tensors are left out: optimizer state ("w/velocity") that the session does not have, counters of
  //   PyTorch's batch normalization ("bn1.num_batches_tracked"), and the variables of `options.except`.
  // - A tensor is converted to the type of its variable: f16 and bf16 to f32 or f64, and f32 and f64 to each
  //   other.
  // - If the names fit only without a beginning that all of them share, such as "module.", they are read
  //   without it.
  // Throws, and changes nothing, if any other tensor is not a variable of the session, if its shape differs,
  // or if its type differs and cannot be converted. If a failure has ended the session, the file must name
  // every variable; the devices are then opened again.
  LoadedVariables load(const std::string& path, const VariableFileOptions& options = {});
  // Write all variables and step() to a file in the safetensors format. The file appears under its name only
  // when it is complete. If a device is lost, any replica whose device still responds provides the value. The
  // file also holds `notes`, strings by name, such as the position in the samples; read_notes() returns them.
  // Throw if the name of a note begins with "cutset.".
  void save(const std::string& path) const;
  void save(const std::string& path, const std::map<std::string, std::string>& notes) const;

  // Begins to record every command on every queue. Queues are a little slower while a trace is recorded,
  // because the session waits for the end of every command.
  void start_trace();
  // Ends the recording and writes it as a JSON file for https://ui.perfetto.dev. Throws if no trace was
  // started.
  void write_trace(const std::string& path);

  // The functions below describe "train" (or else another function that trains, or else "evaluate" or the
  // first function) for the shapes that the graph was built with.

  // Returns the transfers per step.
  std::vector<Transfer> transfers() const;
  // Returns the memory that the program takes, one element per device.
  std::vector<MemoryUse> memory() const;
  // Returns a drawing of the placed program in the DOT language of Graphviz, with one node per op, layer or
  // block. Without a level, it has one node per layer, or one per block if the layers are too many to be
  // read.
  std::string dot() const;
  std::string dot(std::optional<DotLevel> level) const;
  // Write dot() or dot(level) to a file.
  void dump_dot(const std::string& path) const;
  void dump_dot(const std::string& path, std::optional<DotLevel> level) const;
  // Returns the decisions of the compiler, one line per op, for one of these topics:
  // - "place": the device and the reason.
  // - "dispatch": the kernel, and why other kernels were refused. Further lines name the kernels that were
  //   replaced when a program was loaded, because a library is not installed or because the results of the
  //   kernel are wrong.
  // Throws for another topic.
  std::string log(const std::string& topic) const;
  // Returns one text per kernel that this session does not use because its results on a device of this
  // machine are wrong. Another kernel runs in its place. Wrong results come from a defect of the device, of
  // its driver, or of a library.
  std::vector<std::string> warnings() const;

 private:
  friend Session compile(const Graph& graph, const CompileOptions& options);
  struct Impl;
  explicit Session(std::unique_ptr<Impl> impl);
  Handle<Impl> impl_;
};

// Returns the notes of a file that Session::save wrote. Throws if it is not in the safetensors format.
std::map<std::string, std::string> read_notes(const std::string& path);

// Compiles all functions of `graph`, opens the devices, allocates the memory, and sets the variables to their
// initial values. Throws in these cases:
// - An option is invalid, or the graph does not compile.
// - A device is missing or has too little memory.
// - No device has a kernel for an op.
Session compile(const Graph& graph, const CompileOptions& options = {});

}  // namespace cutset
