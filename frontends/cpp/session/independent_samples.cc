// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/session/independent_samples.h"

#include <algorithm>

#include "frontends/cpp/session/configure.h"
#include "ir/core/op/op_info.h"
#include "ir/core/rows.h"

namespace cutset {
namespace {

// Returns the number of samples of a function, from its inputs with a batch. Returns nothing if no input has
// a batch, or if the numbers differ.
std::optional<int64_t> samples_of_inputs(const ListedFunction& f) {
  std::optional<int64_t> samples;
  for (const ListedInput& input : f.inputs) {
    if (input.fed || !input.batch_dimension || input.several_rows) continue;
    const int64_t rows =
        f.types[static_cast<size_t>(input.value)].shape[static_cast<size_t>(*input.batch_dimension)];
    if (samples.value_or(rows) != rows) return {};
    samples = rows;
  }
  return samples && *samples > 0 ? samples : std::nullopt;
}

// Whether the results of an op depend on the places of the samples in their batch, as random numbers do.
bool reads_places(const ListedFunction& f) {
  return std::any_of(f.ops.begin(), f.ops.end(), [](const ListedOp& op) {
    const OpInfo* info = find_op(op.name);
    return info && info->positional;
  });
}

// The work of one device, without the places of its tensors in memory and of its rows in the batch.
struct Work {
  std::string op;
  Attributes attributes;
  std::vector<TensorType> types;      // the types of the operands and the results
  std::vector<std::string> contents;  // the elements of constants, and the names of variables
  bool operator==(const Work&) const = default;
};

std::vector<Work> work_of(const Program& program, const Function& function, const DevicePlan& device) {
  std::vector<Work> all;
  for (const Sequence& queue : device.queues)
    for (const Instruction& i : queue.compute) {
      const auto* kernel = i.as<RunKernel>();
      if (!kernel) continue;
      Work& work = all.emplace_back(Work{i.op(), kernel->attributes, {}, {}});
      for (const auto* buffers : {&kernel->operands, &kernel->results})
        for (const BufferId id : *buffers) {
          const Buffer& b = function.buffers[id];
          work.types.push_back(b.type);
          if (b.storage == Storage::kConstant) {
            const auto& bytes = program.constants[b.constant].bytes;
            work.contents.emplace_back(bytes.begin(), bytes.end());
          } else if (b.storage == Storage::kVariable) {
            work.contents.push_back(program.variables[b.variable].name);
          }
        }
    }
  return all;
}

// Returns the dimension along which each device of `function` has an equal part of the port; kNone: there is
// none.
template <class Command>
int32_t divided_along(const Function& function, const Port& port, PortId id, PortId Command::* port_of,
                      BufferId Command::* buffer) {
  const auto devices = static_cast<int64_t>(function.devices.size());
  int32_t dimension = kNone;
  int64_t parts = 0;
  for (const DevicePlan& device : function.devices)
    for (const Sequence& queue : device.queues)
      for (const Instruction& i : queue.compute) {
        const auto* command = i.as<Command>();
        if (!command || (command->*port_of).value != id.value) continue;
        const Shape& part = function.buffers[command->*buffer].type.shape;
        const auto d = static_cast<size_t>(command->first.dimension);
        if (d >= part.size() || part.size() != port.type.shape.size() ||
            devices * part[d] != port.type.shape[d])
          return kNone;
        dimension = static_cast<int32_t>(d);
        ++parts;
      }
  return parts == devices ? dimension : kNone;
}

// The dimensions along which the ports of a function have the rows of the samples; kNone: none.
struct Dimensions {
  std::vector<int32_t> inputs, outputs;
  bool operator==(const Dimensions&) const = default;
};

// Returns the dimensions, if the devices of the function have equal shares of the samples, exchange nothing,
// and each return the results for their samples.
std::optional<Dimensions> dimensions_of(const Function& divided, const ListedFunction& listed) {
  if (!divided.channels.empty() || !divided.collectives.empty()) return {};
  Dimensions all;
  for (size_t i = 0; i < divided.inputs.size(); ++i) {
    const PortId id(static_cast<int32_t>(i));
    const Port& port = divided.inputs[id];
    const auto input = std::find_if(listed.inputs.begin(), listed.inputs.end(),
                                    [&](const ListedInput& input) { return input.name == port.name; });
    if (input == listed.inputs.end()) return {};
    const bool has_batch = !input->fed && input->batch_dimension;
    all.inputs.push_back(has_batch ? divided_along(divided, port, id, &ReadInput::input, &ReadInput::to)
                                   : kNone);
    if (has_batch && all.inputs.back() == kNone) return {};
  }
  for (size_t i = 0; i < divided.outputs.size(); ++i) {
    const PortId id(static_cast<int32_t>(i));
    all.outputs.push_back(
        divided_along(divided, divided.outputs[id], id, &WriteOutput::output, &WriteOutput::from));
    if (all.outputs.back() == kNone) return {};
  }
  return all;
}

// Returns the type of a port for another number of samples.
TensorType type_for(const Port& port, int64_t of_program, int64_t samples) {
  TensorType type = port.type;
  if (port.batch != kNone) {
    int64_t& rows = type.shape[static_cast<size_t>(port.batch)];
    rows = rows / of_program * samples;
  }
  return type;
}

// Returns `count` samples of x from sample `first` on. Copies of the last of them follow, up to `of_program`
// samples.
HostTensor part_of(const HostTensor& x, const Port& port, int64_t of_program, int64_t first, int64_t count) {
  if (port.batch == kNone) return x;
  const auto d = static_cast<size_t>(port.batch);
  const int64_t rows = port.type.shape[d] / of_program, all = x.type().shape[d];
  HostTensor part(port.type);
  const Blocks blocks = blocks_of(port.type.shape, port.batch);
  const auto copy = [&](int64_t from, int64_t to, int64_t samples) {
    copy_rows(blocks, size_of(x.dtype()), x.bytes().data(), all, from * rows, part.bytes().data(),
              port.type.shape[d], to * rows, samples * rows);
  };
  copy(first, 0, count);
  for (int64_t s = count; s < of_program; ++s) copy(first + count - 1, s, 1);
  return part;
}

// Compiles a function for other batches, and proves whether it computes every sample by itself.
class Proof {
 public:
  Proof(const GraphSnapshot& graph, const ListedFunction& listed, int64_t samples)
      : graph_(graph), listed_(listed), samples_(samples) {}

  // Marks `f`, the compiled function, if all of this holds:
  // - Two devices and three devices with one sample each exchange nothing, and all these devices do the same
  //   work. So no result depends on the place of a sample or on the number of samples.
  // - Devices with many samples exchange nothing either, so nothing is cut off at a number of rows.
  // - The sizes of all tensors of the caller are multiples of the number of samples.
  void mark(Function& f) const {
    const auto two = divided(2, 1), three = divided(3, 1), many = divided(2, kMany);
    if (!two || !three || !many) return;
    const std::vector<Work> work = work_of(*two, function_of(*two), function_of(*two).devices[0]);
    for (const Program* program : {&*two, &*three})
      for (const DevicePlan& device : function_of(*program).devices)
        if (work_of(*program, function_of(*program), device) != work) return;
    const auto dimensions = dimensions_of(function_of(*two), listed_);
    if (!dimensions || dimensions_of(function_of(*three), listed_) != dimensions ||
        dimensions_of(function_of(*many), listed_) != dimensions)
      return;
    Function marked = f;
    marked.samples = samples_;
    if (!set(marked.inputs, dimensions->inputs, function_of(*two).inputs) ||
        !set(marked.outputs, dimensions->outputs, function_of(*two).outputs) || !holds_for_one(marked))
      return;
    f = std::move(marked);
  }

 private:
  static constexpr int64_t kMany = 1024;

  static const Function& function_of(const Program& program) { return program.functions[0]; }

  std::map<std::string, Shape> shapes_for(int64_t samples) const {
    std::map<std::string, Shape> shapes;
    for (const ListedInput& input : listed_.inputs) {
      if (input.fed || !input.batch_dimension) continue;
      Shape shape = listed_.types[static_cast<size_t>(input.value)].shape;
      int64_t& rows = shape[static_cast<size_t>(*input.batch_dimension)];
      rows = rows / samples_ * samples;
      shapes.emplace(input.name, std::move(shape));
    }
    return shapes;
  }

  // Returns the function for replicas with `samples` samples each.
  std::optional<Program> divided(int64_t replicas, int64_t samples) const {
    std::string names;
    for (int64_t r = 0; r < replicas; ++r) names += (r ? ",reference:" : "reference:") + std::to_string(r);
    auto devices = describe_devices({.devices = names, .describe_only = true});
    auto strategy = fit_strategy(Data{.replicas = replicas}, static_cast<size_t>(replicas));
    if (!devices || !strategy) return {};
    CompileConfig config;
    config.devices = *std::move(devices);
    config.strategy = *std::move(strategy);
    config.function = listed_.name;
    config.fuse = false;
    config.input_shapes = shapes_for(replicas * samples);
    auto compiled = graph_.compile(config);
    if (!compiled || compiled->program.functions.size() != 1) return {};
    return std::move(compiled->program);
  }

  // Sets the dimensions of the ports. Returns whether the ports have the types of `two`, the ports for two
  // samples, apart from the number of samples.
  bool set(Table<Port>& ports, const std::vector<int32_t>& dimensions, const Table<Port>& two) const {
    if (ports.size() != two.size()) return false;
    for (size_t i = 0; i < ports.size(); ++i) {
      const PortId id(static_cast<int32_t>(i));
      ports[id].batch = dimensions[i];
      if (ports[id].name != two[id].name || ports[id].type.rank() != two[id].type.rank() ||
          type_for(ports[id], samples_, 2) != two[id].type)
        return false;
    }
    return true;
  }

  // Whether the proof also holds for one sample. A size of 1 is special to some functions, such as squeeze.
  bool holds_for_one(const Function& marked) const {
    const auto one = graph_.list(marked.name, shapes_for(1));
    if (!one || one->outputs.size() != marked.outputs.size()) return false;
    for (const auto& [name, value] : one->outputs)
      for (const Port& port : marked.outputs)
        if (port.name == name && type_for(port, samples_, 1) != one->types[static_cast<size_t>(value)])
          return false;
    return true;
  }

  const GraphSnapshot& graph_;
  const ListedFunction& listed_;
  int64_t samples_;
};

}  // namespace

void mark_independent_samples(const GraphSnapshot& graph, Program& program) {
  for (Function& f : program.functions) {
    const auto listed = graph.list(f.name, {});
    if (!listed || listed->trains || reads_places(*listed)) continue;
    if (const auto samples = samples_of_inputs(*listed)) Proof(graph, *listed, *samples).mark(f);
  }
}

std::optional<int64_t> samples_of(const Function& function, const BatchTensors& tensors) {
  if (function.samples < 1) return {};
  std::optional<int64_t> samples;
  const auto ports = caller_inputs(function);
  for (size_t i = 0; i < ports.size(); ++i) {
    const TensorType& type = tensors.tensors()[i]->type();
    if (ports[i].batch == kNone || type.rank() != ports[i].type.rank()) continue;
    const auto d = static_cast<size_t>(ports[i].batch);
    const int64_t rows = ports[i].type.shape[d] / function.samples;
    if (rows < 1 || type.shape[d] % rows || samples.value_or(type.shape[d] / rows) != type.shape[d] / rows)
      return {};
    samples = type.shape[d] / rows;
  }
  if (!samples || *samples < 1) return {};
  for (size_t i = 0; i < ports.size(); ++i)
    if (tensors.tensors()[i]->type() != type_for(ports[i], function.samples, *samples)) return {};
  return samples;
}

Result<Outputs> run_in_parts(Executable& executable, const Function& function, const BatchTensors& tensors,
                             int64_t samples, const InputNames& inputs, Feeds& feeds) {
  const auto ports = caller_inputs(function);
  std::map<std::string, HostTensor> results;
  for (int64_t first = 0; first < samples; first += function.samples) {
    const int64_t count = std::min(function.samples, samples - first);
    Batch part;
    for (size_t i = 0; i < ports.size(); ++i)
      part.emplace(ports[i].name, part_of(*tensors.tensors()[i], ports[i], function.samples, first, count));
    CUTSET_ASSIGN(const BatchTensors read, BatchTensors::of(function, part, inputs));
    CUTSET_ASSIGN(const Outputs outputs, run_function(executable, function, read, feeds));
    for (const Port& port : function.outputs) {
      const HostTensor& got = outputs[port.name];
      auto& all = results.try_emplace(port.name, type_for(port, function.samples, samples)).first->second;
      const auto d = static_cast<size_t>(port.batch);
      const int64_t rows = port.type.shape[d] / function.samples;
      copy_rows(blocks_of(port.type.shape, port.batch), size_of(got.dtype()), got.bytes().data(),
                port.type.shape[d], 0, all.bytes().data(), all.type().shape[d], first * rows, count * rows);
    }
  }
  Outputs outputs;
  for (auto& [name, tensor] : results) outputs.emplace(name, std::move(tensor));
  return outputs;
}

}  // namespace cutset
