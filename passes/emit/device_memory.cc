// SPDX-License-Identifier: Apache-2.0
#include "passes/emit/device_memory.h"

#include <algorithm>
#include <utility>

namespace cutset::passes {
namespace {

uint64_t aligned(uint64_t offset, uint64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

}  // namespace

DeviceMemory::DeviceMemory(Function& function, int32_t device)
    : function_(function),
      device_(device),
      base_(function.buffers.size()),
      base_frames_(function.frames.size()) {}

BufferId DeviceMemory::new_buffer(TensorType type, Storage storage) {
  const BufferId id = function_.buffers.next();
  function_.buffers.push_back({.device = device_, .storage = storage, .type = std::move(type)});
  states_.push_back({.root = id});
  return id;
}

FrameId DeviceMemory::new_frame(int64_t group, llvm::function_ref<Types()> types_of) {
  const FrameId id = function_.frames.next();
  function_.frames.emplace_back();
  if (group >= 0) {
    if (const auto [entry, first] = types_.try_emplace(group); first) entry->second = types_of();
  } else {
    for (const TensorType& type : types_of()) {
      const BufferId b = new_buffer(type, Storage::kArena);
      owned(b).computed = true;
      function_.frames[id].buffers.push_back(b);
    }
  }
  frames_.push_back({.group = group});
  return id;
}

FrameId DeviceMemory::frame_of(BufferId buffer) {
  FrameId& single = state_of(buffer).single;
  if (single.is_set()) return single;
  single = function_.frames.next();
  function_.frames.push_back({{buffer}});
  frames_.push_back({.single = true});
  return single;
}

void DeviceMemory::apart(FrameId frame) {
  const FrameUse& frame_use = use_of(frame);
  for (BufferId b : function_.frames[frame].buffers) {
    owned(b).first = frame_use.first;
    owned(b).last = std::max(owned(b).last, frame_use.last);
  }
}

void DeviceMemory::use(FrameId frame) {
  FrameUse& frame_use = use_of(frame);
  if (frame_use.single) return use(function_.frames[frame].buffers[0]);
  if (frame_use.first < 0) frame_use.first = position_;
  frame_use.last = position_;
}

BufferId DeviceMemory::new_view(BufferId from, TensorType type) {
  const BufferId view = new_buffer(std::move(type), function_.buffers[root(from)].storage);
  state_of(view).root = root(from);
  views_[root(from)].push_back(view);
  state_of(view).offset = state_of(from).offset;
  const Buffer& owner = function_.buffers[root(from)];
  Buffer& buffer = function_.buffers[view];
  buffer.variable = owner.variable;
  buffer.constant = owner.constant;
  buffer.view_of = from;
  return view;
}

void DeviceMemory::place_inside(BufferId buffer, BufferId bucket, int64_t offset) {
  const BufferId old = root(buffer);
  const Owned& from = state_of(old).owned;
  Owned& to = state_of(bucket).owned;
  if (from.first >= 0) to.first = to.first < 0 ? from.first : std::min(to.first, from.first);
  to.last = std::max(to.last, from.last);
  const int64_t base = offset - state_of(buffer).offset;
  auto views = std::move(views_[old]);  // these buffers move together with `buffer`
  views_.erase(old);
  if (root(old) == old) views.push_back(old);
  for (BufferId b : views) {
    state_of(b).root = bucket;
    state_of(b).offset += base;
  }
  llvm::append_range(views_[bucket], views);
}

void DeviceMemory::use(BufferId buffer) {
  Owned& o = owned(buffer);
  if (o.first < 0) o.first = position_;
  o.last = std::max(o.last, position_);
}

void DeviceMemory::use_together(llvm::ArrayRef<FrameId> frames) {
  int64_t any = -1;
  for (FrameId f : frames) {
    const FrameUse& frame_use = use_of(f);
    const int64_t group = frame_use.single ? owned(function_.frames[f].buffers[0]).group : frame_use.group;
    if (group < 0) continue;
    if (any < 0) any = group;
    rotations_.unionSets(any, group);
  }
}

void DeviceMemory::receive(BufferId buffer) {
  Owned& o = owned(buffer);
  o.first = turns_.empty() ? 0 : turns_.back() + 1;
  o.last = position_;
}

void DeviceMemory::send(BufferId buffer) {
  Owned& o = owned(buffer);
  o.sent_in = static_cast<int64_t>(turns_.size());
  o.last = std::max(o.last, position_);
}

std::pair<int64_t, int64_t> DeviceMemory::needed(const Owned& o) const {
  int64_t last = o.last;
  if (o.until_end) last = position_;
  if (const auto next = static_cast<size_t>(o.sent_in) + 1; o.sent_in >= 0)
    last = std::max(last, next < turns_.size() ? turns_[next] : position_);
  const int64_t first = std::max<int64_t>(o.first, 0);
  return {first, std::max(first, last)};
}

Packing DeviceMemory::pack(uint64_t alignment, Region* region) {
  std::vector<ArenaValue> values;
  const auto add = [&](int64_t first, int64_t last, uint64_t bytes, int64_t group) {
    const auto rotation = rotations_.findLeader(group);
    values.push_back({first, last, bytes, group, rotation == rotations_.member_end() ? -1 : *rotation});
  };
  std::vector<BufferId> which;
  for (BufferId b(base_); b.index() < function_.buffers.size(); b = BufferId(b.index() + 1)) {
    if (function_.buffers[b].storage != Storage::kArena || root(b) != b) continue;
    const Owned& memory = state_of(b).owned;
    const auto [first, last] = needed(memory);
    add(first, last, static_cast<uint64_t>(function_.buffers[b].type.bytes()), memory.group);
    which.push_back(b);
  }
  std::map<int64_t, uint64_t> bytes;  // group of frames -> the bytes of a frame
  for (const auto& [group, types] : types_)
    for (uint64_t& sum = bytes[group]; const TensorType& type : types)
      sum = aligned(sum, alignment) + static_cast<uint64_t>(type.bytes());
  for (const FrameUse& frame_use : frames_)
    if (frame_use.group >= 0) add(frame_use.first, frame_use.last, bytes[frame_use.group], frame_use.group);
  if (region) values.push_back({region->first, region->last, region->bytes});
  const Packing result = pack_arena(values, alignment);
  for (size_t i = 0; i < which.size(); ++i) function_.buffers[which[i]].offset = values[i].offset;
  if (region) region->offset = values.back().offset;
  place_frames(std::span(values).subspan(which.size()), alignment);
  for (BufferId b(base_); b.index() < function_.buffers.size(); b = BufferId(b.index() + 1))
    if (root(b) != b)
      function_.buffers[b].offset =
          function_.buffers[root(b)].offset + static_cast<uint64_t>(state_of(b).offset);
  return result;
}

void DeviceMemory::place_frames(std::span<const ArenaValue> places, uint64_t alignment) {
  std::map<std::pair<int64_t, uint64_t>, FrameId> at;  // {group, offset} -> the frame there
  size_t end = base_frames_;
  for (size_t f = base_frames_, next = 0; f < function_.frames.size(); ++f) {
    if (const int64_t group = frames_[f - base_frames_].group; group >= 0) {
      uint64_t offset = places[next++].offset;
      const auto [frame, first] = at.try_emplace({group, offset}, end);
      if (!first) {
        placed_.push_back(frame->second);
        continue;
      }
      for (const TensorType& type : types_[group]) {
        const BufferId b = new_buffer(type, Storage::kArena);
        function_.buffers[b].offset = offset = aligned(offset, alignment);
        function_.frames[FrameId(f)].buffers.push_back(b);
        offset += static_cast<uint64_t>(type.bytes());
      }
    }
    placed_.emplace_back(end);
    std::swap(function_.frames[end++], function_.frames[f]);
  }
  function_.frames.resize(end);
}

Status DeviceMemory::place_arguments(std::vector<Instruction>& list) const {
  std::vector<bool> filled(placed_.size(), false);  // by frame of this object: whether a call has filled it
  std::vector<FrameId> held(
      placed_.size());  // by placed frame of this object: the frame whose values it holds
  for (Instruction& i : list) {
    auto* call = i.as<CallRole>();
    if (!call) continue;
    const auto holder = [&](FrameId frame) -> FrameId& { return held[placed(frame).index() - base_frames_]; };
    const auto lost = [&](FrameId frame) {
      return filled[frame.index() - base_frames_] && holder(frame) != frame;
    };
    bool wrong = llvm::any_of(call->arguments, lost);
    for (FrameId frame : call->arguments)
      if (!filled[frame.index() - base_frames_]) {  // the first call with this frame fills it
        filled[frame.index() - base_frames_] = true;
        holder(frame) = frame;
      }
    wrong |= llvm::any_of(call->arguments, lost);  // the call may not fill what it reads
    if (wrong)
      return execution_failed(
          "a call of '" + function_.roles[call->role].name +
          "' reads a frame that has other values by then (this is an error of the compiler)");
    for (FrameId& frame : call->arguments) frame = placed(frame);
  }
  return {};
}

}  // namespace cutset::passes
