// SPDX-License-Identifier: Apache-2.0
#include "runtime/execute/bound_function.h"

#include <algorithm>
#include <map>
#include <optional>

#include "runtime/files/uninitialized.h"
#include "runtime/program/scratch_memory.h"

namespace cutset {

Result<std::unique_ptr<BoundFunction>> BoundFunction::make(BoundProgram& program, const Function& f) {
  std::unique_ptr<BoundFunction> bound(new BoundFunction(program, f));
  bound->inputs.resize(f.inputs.size());
  bound->fed.resize(f.inputs.size());
  bound->outputs.resize(f.outputs.size());
  bound->output_addresses_.resize(f.outputs.size());
  CUTSET_TRY(bound->renew_outputs());
  CUTSET_ASSIGN(bound->transfers_, BoundTransfers::make(program, f));
  for (const DevicePlan& d : f.devices)
    bound->applies_ |=
        std::any_of(std::begin(d.queues), std::end(d.queues), [](const auto& q) { return !q.apply.empty(); });
  CUTSET_TRY(bound->make_staging());
  CUTSET_TRY(bound->prepare());
  bound->place_scratch_memory();
  return bound;
}

BoundFunction::~BoundFunction() {
  for (auto& landing : landings_) landing->release();
}

// An output that the caller has taken is empty, so its type differs from the type of its port, unless the
// port has no elements either.
Status BoundFunction::renew_outputs() {
  const HostPool::Use use(program_.executor.results());
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Port& port = function_.outputs[i];
    try {
      if (outputs[i].type() != port.type) outputs[i] = uninitialized(port.type);
    } catch (const Error&) {
      // This error is not returned, because its line is a line of this file, not of the user's program.
      return execution_failed("there is not enough memory for output '" + port.name + "' of '" +
                              function_.name + "', which is " + to_string(port.type));
    }
    output_addresses_[i] = outputs[i].data();
  }
  return {};
}

template <class F>
Status BoundFunction::for_each_instruction(F&& f) {
  for (size_t d = 0; d < function_.devices.size(); ++d)
    for (size_t q = 0; q < kQueues; ++q) {
      const Sequence& sequence = function_.devices[d].queues[q];
      const size_t worker = program_.device_of[d] * kQueues + q;
      for (const Instruction& i : sequence.compute) CUTSET_TRY(f(d, worker, i, compute));
      for (const Instruction& i : sequence.apply) CUTSET_TRY(f(d, worker, i, apply));
    }
  return {};
}

// Makes the staging memory of the copies whose rows are not contiguous in the tensor of the host: one block
// per device.
Status BoundFunction::make_staging() {
  struct StagingSlice {
    size_t device;
    uint64_t offset, bytes;  // 0 bytes: the copy needs none
  };
  std::vector<StagingSlice> places;
  std::vector<uint64_t> used(program_.handles.size());
  CUTSET_TRY(for_each_instruction([&](size_t d, size_t, const Instruction& i, auto&) -> Status {
    if (!i.is<ReadInput>() && !i.is<WriteOutput>()) return {};
    const uint64_t bytes = staging_bytes(function_, i);
    places.push_back({d, used[d], bytes});
    used[d] += bytes;
    return {};
  }));
  CUTSET_ASSIGN(const std::vector<char*> blocks, program_.host_blocks(used));
  for (const StagingSlice& p : places)
    staging_.push_back(p.bytes > 0 ? blocks[p.device] + p.offset : nullptr);
  return {};
}

Status BoundFunction::prepare() {
  events_.resize(function_.devices.size());
  for (size_t d = 0; d < function_.devices.size(); ++d)
    for (int32_t i = 0; i < function_.devices[d].events; ++i) {
      CUTSET_ASSIGN(cutset_event event, program_.handles[d]->event());
      events_[d].push_back(event);
    }
  return for_each_instruction([&](size_t d, size_t worker, const Instruction& i, auto&) -> Status {
    const auto* c = i.as<RunKernel>();
    if (!c) return {};
    CUTSET_ASSIGN(const PreparedKernel prepared,
                  program_.kernels.find_or_prepare(program_.executor.devices().device(program_.device_of[d]),
                                                   *program_.handles[d],
                                                   program_.executor.devices().queue(worker), function_, i));
    kernels_.push_back(prepared);
    kernel_slice_count_ += c->operands.size() + c->results.size() + 1;
    return {};
  });
}

// The kernels are in the order of for_each_instruction: `compute` before `apply`.
void BoundFunction::place_scratch_memory() {
  auto next = kernels_.begin();
  for (size_t d = 0; d < function_.devices.size(); ++d) {
    std::vector<uint64_t> bytes;
    const Sequence& queue = function_.devices[d].queues[kComputeQueue];
    for (const auto* list : {&queue.compute, &queue.apply})
      for (const Instruction& i : *list)
        if (i.is<RunKernel>()) bytes.push_back((next++)->scratch_bytes);
    const ScratchPlaces places = place_scratch(function_, d, bytes, program_.device(d).alignment());
    scratch_offsets_.insert(scratch_offsets_.end(), places.offsets.begin(), places.offsets.end());
    step_memory_.push_back(places.step_memory);
  }
}

void BoundFunction::unbind() {
  compute.clear();
  apply.clear();
  segments_.clear();
  captures_.clear();
  recorded_.clear();
  landed_.clear();
  slices.clear();
  operands_.clear();
  bound_kernels_ = 0;
  bound_copies_ = 0;
}

Status BoundFunction::bind() {
  CUTSET_TRY(bind_buffers());
  const size_t queues = program_.executor.devices().size() * kQueues;
  compute.resize(queues);
  apply.resize(queues);
  operands_.reserve(kernel_slice_count_);  // commands point to the elements, which must not move
  CUTSET_TRY(for_each_instruction([&](size_t d, size_t worker, const Instruction& i, auto& lists) -> Status {
    CUTSET_ASSIGN(BoundCommand bound, bind(d, i));
    lists[worker].push_back(std::move(bound));
    return {};
  }));
  for (size_t worker = 0; worker < queues; ++worker) {
    OpenDevice& device = program_.executor.devices().device(worker / kQueues);
    recorded_.push_back(std::make_unique<Handles>(device));
    std::vector<BoundCommand>* const lists[] = {&compute[worker], &apply[worker]};
    find_segments(device, *recorded_.back(), lists, segments_, captures_);
  }
  return {};
}

Status BoundFunction::bind_buffers() {
  Executor& executor = program_.executor;
  for (const Buffer& b : function_.buffers) {
    const auto device = static_cast<size_t>(b.device);
    const auto bytes = static_cast<uint64_t>(b.type.bytes());
    cutset_slice slice = {nullptr, 0, bytes};
    switch (b.storage) {
      case Storage::kArena: {
        if (const uint64_t alignment = executor.devices().device(program_.device_of[device]).alignment();
            b.offset % alignment != 0)
          return invalid_argument("buffer " + std::to_string(slices.size()) + " of '" + function_.name +
                                      "' lies at byte " + std::to_string(b.offset) + " of the arena; on " +
                                      program_.program.devices[device] +
                                      " the offset must be a multiple of " + std::to_string(alignment),
                                  "the program was compiled for another device: compile it here");
        slice = {program_.arenas[device], b.offset, bytes};
        break;
      }
      case Storage::kVariable: {
        CUTSET_ASSIGN(slice, executor.variables().slice(program_.program.variables[b.variable].name,
                                                        program_.device_of[device]));
        break;
      }
      case Storage::kConstant:
        slice = program_.constants[b.constant.index()];
        break;
      case Storage::kTypeOnly:
      case Storage::kParameter:  // an expanded program has none
        break;
    }
    slices.push_back(slice);
  }
  return {};
}

// Binds a command of each kind.
struct BoundFunction::Binder {
  BoundFunction& of;
  size_t device;
  using Bound = std::optional<decltype(BoundCommand::command)>;

  Bound operator()(const RunKernel& c) const { return of.bind_kernel(device, c); }
  Bound operator()(const CopyBuffer& c) const { return bound::CopyBuffer{at(c.from), at(c.to)}; }
  Bound operator()(const ReadInput& c) const {
    bound::ReadInput read{&of.inputs[c.input.index()], host_rows(of.function_, c), at(c.to),
                          of.next_staging()};
    const OpenDevice& on = of.program_.executor.devices().device(of.program_.device_of[device]);
    // Rows that are not contiguous in the host tensor are not copied ahead, because they are gathered for
    // each run.
    if (of.function_.inputs[c.input].feed != Feed::kCaller || read.staging || !CopyAhead::lands(on))
      return read;
    read.landing = &of.landing;
    read.part = of.landed_.size();
    of.landed_.push_back({device, c.input.index(), read.rows.offset, read.to.bytes});
    return read;
  }
  Bound operator()(const WriteOutput& c) const {
    return bound::WriteOutput{&of.output_addresses_[c.output.index()], host_rows(of.function_, c), at(c.from),
                              of.next_staging()};
  }
  Bound operator()(const Send& c) const {
    return bound::Send{ends(c.channel).link, ends(c.channel).slot, header(c.channel), at(c.from)};
  }
  Bound operator()(const Receive& c) const {
    return bound::Receive{ends(c.channel).link, ends(c.channel).slot, header(c.channel), at(c.to)};
  }
  Bound operator()(const StartAllReduce& c) const {
    return bound::StartAllReduce{group(c.collective), static_cast<size_t>(c.partial), header(c.collective),
                                 at(c.from)};
  }
  Bound operator()(const AwaitAllReduce& c) const {
    return bound::AwaitAllReduce{group(c.collective), header(c.collective), at(c.to)};
  }
  Bound operator()(const SignalEvent& c) const {
    return bound::SignalEvent{of.events_[device][c.event.index()]};
  }
  Bound operator()(const CallRole&) const { return {}; }  // an expanded program has no calls
  Bound operator()(const AwaitEvent& c) const {
    return bound::AwaitEvent{of.events_[device][c.event.index()]};
  }

 private:
  const cutset_slice& at(BufferId b) const { return of.slices[b.index()]; }
  const BoundTransfers::Ends& ends(ChannelId c) const { return of.transfers_.ends(c); }
  Group* group(CollectiveId c) const { return of.transfers_.group(c); }
  MessageHeader header(ChannelId c) const { return header(c.value, of.function_.channels[c].type); }
  MessageHeader header(CollectiveId c) const { return header(~c.value, of.function_.collectives[c].type); }
  MessageHeader header(int32_t channel, const TensorType& type) const {
    return {.program = of.program_.program.fingerprint,
            .channel = channel,
            .dtype = static_cast<int32_t>(type.dtype),
            .bytes = static_cast<uint64_t>(type.bytes())};
  }
};

Result<BoundCommand> BoundFunction::bind(size_t d, const Instruction& i) {
  auto bound = std::visit(Binder{*this, d}, i.command);
  if (!bound) return execution_failed("'" + function_.name + "' calls a role, and it was not expanded");
  return BoundCommand{.command = std::move(*bound), .source = &i};
}

// Makes one buffer per device, in which each part has an aligned place.
std::shared_ptr<Landing> BoundFunction::free_landing() {
  for (auto& landing : landings_)
    if (landing.use_count() == 1) return landing;
  if (landed_.empty() || landings_.size() == kLandings) return nullptr;
  const size_t devices = program_.handles.size();
  const auto open = [&](size_t d) -> OpenDevice& {
    return program_.executor.devices().device(program_.device_of[d]);
  };
  std::vector<uint64_t> bytes(devices);
  std::vector<Landing::Part> parts;
  for (const Landed& l : landed_) {
    const uint64_t alignment = open(l.device).alignment();
    parts.push_back({program_.device_of[l.device], {nullptr, bytes[l.device], l.bytes}});
    bytes[l.device] += (l.bytes + alignment - 1) / alignment * alignment;
  }
  for (size_t d = 0; d < devices; ++d)
    if (const uint64_t most = open(d).description().info().memory_bytes;
        bytes[d] && most && open(d).allocated_bytes() + bytes[d] > most)
      return nullptr;
  std::vector<Handles::Mark> before;
  for (const auto& handles : program_.handles) before.push_back(handles->mark());
  for (size_t d = 0; d < devices; ++d) {
    if (bytes[d] == 0) continue;
    const auto buffer = program_.handles[d]->allocate(bytes[d]);
    if (!buffer.ok()) {  // without the parts on all devices there is no landing
      for (size_t other = 0; other < devices; ++other) program_.handles[other]->take_back(before[other]);
      return nullptr;
    }
    for (size_t i = 0; i < parts.size(); ++i)
      if (landed_[i].device == d) parts[i].slice.buffer = *buffer;
  }
  return landings_.emplace_back(std::make_shared<Landing>(std::move(parts)));
}

std::vector<const void*> BoundFunction::landing_sources() const {
  std::vector<const void*> from;
  for (const Landed& l : landed_) from.push_back(static_cast<const char*>(inputs[l.input]) + l.offset);
  return from;
}

bound::RunKernel BoundFunction::bind_kernel(size_t d, const RunKernel& c) {
  const size_t kernel = bound_kernels_++;
  const PreparedKernel& prepared = kernels_[kernel];
  auto append = [&](const std::vector<BufferId>& buffers) {
    const cutset_slice* first = operands_.data() + operands_.size();
    for (BufferId b : buffers) operands_.push_back(slices[b.index()]);
    return first;
  };
  bound::RunKernel run{prepared.kernel, prepared.plan};
  run.in = append(c.operands);
  run.out = append(c.results);
  run.scratch = operands_.data() + operands_.size();
  cutset_slice& scratch = operands_.emplace_back();
  if (prepared.scratch_bytes > 0)
    scratch = {program_.arenas[d], scratch_offsets_[kernel], prepared.scratch_bytes};
  return run;
}

}  // namespace cutset
