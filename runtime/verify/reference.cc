// SPDX-License-Identifier: Apache-2.0
#include "runtime/verify/reference.h"

#include "runtime/files/usable_memory.h"

namespace cutset {

// Fails if the values and operands that are kept would take most of the memory that this process can use. The
// memory of both programs, and the tensors that are compared, take as much again.
static Status check_memory(const Function& f) {
  double bytes = 0;
  for (const Buffer& b : f.buffers) bytes += static_cast<double>(b.type.bytes());
  for (const DevicePlan& d : f.devices) {
    const Sequence& s = d.queues[static_cast<int>(Queue::kCompute)];
    for (const auto* list : {&s.compute, &s.apply})
      for (const Instruction& i : *list)
        if (const auto* kernel = i.as<RunKernel>())
          for (const BufferId b : kernel->operands) bytes += static_cast<double>(f.buffers[b].type.bytes());
  }
  const double usable = static_cast<double>(usable_memory_bytes());
  if (2 * bytes <= usable * 3 / 4) return {};
  const auto mib = [](double n) { return std::to_string(static_cast<int64_t>(n / 0x1p20)) + " MiB"; };
  return unavailable("the values of '" + f.name +
                         "', which are kept to compare them, and both programs take " + mib(2 * bytes) +
                         ", and this process can use " + mib(usable),
                     "verify a smaller batch or a smaller model");
}

Status ReferenceValues::run(std::span<const HostTensor* const> inputs, const Feeds& feeds) {
  values_.clear();
  producers_.clear();
  outputs_.clear();
  views_.clear();
  const Function& f = *executable_.program().find(name_);
  CUTSET_TRY(check_memory(f));
  for (size_t b = 0; b < f.buffers.size(); ++b)
    if (f.buffers[b].view_of.is_set()) views_[f.buffers[b].view_of].push_back(BufferId(b));
  CUTSET_TRY(executable_.bind());
  for (size_t b = 0; b < f.buffers.size(); ++b) {  // constants and variables: no instruction produces them
    const Buffer& buffer = f.buffers[b];
    if (buffer.origin.number == kNone) continue;
    if (buffer.view_of.is_set()) continue;
    if (buffer.storage == Storage::kConstant || buffer.storage == Storage::kVariable) {
      CUTSET_ASSIGN(HostTensor value, executable_.read_buffer(name_, BufferId(b)));
      values_.insert_or_assign(buffer.origin.number, std::move(value));
      note_views(f, BufferId(b));
    }
  }
  CUTSET_ASSIGN(auto results, executable_.step_through(name_, inputs, *this, feeds));
  for (size_t i = 0; i < f.outputs.size(); ++i) outputs_.emplace(f.outputs[i].name, results[i]);
  return {};
}

// Stores the values of all views of `buffer`, because each view has its own number.
void ReferenceValues::note_views(const Function& f, BufferId buffer) {
  const auto views = views_.find(buffer);
  if (views == views_.end()) return;
  for (BufferId b : views->second) {
    const Buffer& view = f.buffers[b];
    if (view.origin.number == kNone) continue;
    const HostTensor& viewed = values_.at(f.buffers[buffer].origin.number);
    values_.insert_or_assign(view.origin.number, viewed.reshaped(view.type.shape));
    note_views(f, b);
  }
}

Status ReferenceValues::before(const PlacedInstruction& place) {
  const Instruction& i = *place.instruction;
  const auto* kernel = i.as<RunKernel>();
  if (!kernel) return {};
  const Function& f = *executable_.program().find(name_);
  current_ = std::make_shared<ReferenceOp>();
  current_->op = find_op(i.op());
  current_->attributes = kernel->attributes;
  current_->layer = i.layer();
  current_->source = i.source();
  for (BufferId b : kernel->operands) {
    CUTSET_ASSIGN(HostTensor value, executable_.read_buffer(name_, b));
    current_->operands.push_back(std::move(value));
    current_->numbers.push_back(f.buffers[b].origin.number);
  }
  return {};
}

Status ReferenceValues::after(const PlacedInstruction& place) {
  const Instruction& i = *place.instruction;
  const Function& f = *executable_.program().find(name_);
  const bool kernel = i.is<RunKernel>();
  if (!kernel && !i.is<ReadInput>()) return {};
  for (BufferId b : i.results()) {
    const int32_t number = f.buffers[b].origin.number;
    if (number == kNone) continue;
    CUTSET_ASSIGN(HostTensor value, executable_.read_buffer(name_, b));
    values_.insert_or_assign(number, std::move(value));
    if (!kernel) continue;
    if (current_->first == kNone) current_->first = number;
    producers_[number] = current_;
  }
  for (BufferId b : i.results())
    if (f.buffers[b].origin.number != kNone) note_views(f, b);
  return {};
}

const HostTensor* ReferenceValues::value(int32_t number) const {
  auto it = values_.find(number);
  return it == values_.end() ? nullptr : &it->second;
}
const ReferenceOp* ReferenceValues::producer(int32_t number) const {
  auto it = producers_.find(number);
  return it == producers_.end() ? nullptr : it->second.get();
}

}  // namespace cutset
