#include "passes/emit/device_memory.h"

#include <algorithm>

#include "graph/pack_arena.h"

namespace cutset::passes {

DeviceMemory::DeviceMemory(Function& function, int32_t device)
    : function_(function),
      device_(device),
      base_(function.buffers.size()),
      root_(base_),
      offset_in_(base_),
      owned_(base_) {}

BufferId DeviceMemory::new_buffer(TensorType type, Storage storage) {
  const BufferId id = function_.buffers.next();
  function_.buffers.push_back({.device = device_, .storage = storage, .type = std::move(type)});
  root_.resize(function_.buffers.size());
  offset_in_.resize(function_.buffers.size());
  owned_.resize(function_.buffers.size());
  root_.back() = id;
  return id;
}

FrameId DeviceMemory::new_frame(const Types& types) {
  const FrameId id = function_.frames.next();
  Frame& frame = function_.frames.emplace_back();
  for (const TensorType& type : types) {
    frame.buffers.push_back(new_buffer(type, Storage::kArena));
    owned(frame.buffers.back()).computed = owned(frame.buffers.back()).in_frame = true;
  }
  block_[id] = blocks_.size();
  blocks_.push_back({id});
  return id;
}

FrameId DeviceMemory::frame_of(BufferId buffer) {
  FrameId& known = single_[buffer];
  if (!known.is_set()) known = function_.frames.next(), function_.frames.push_back({{buffer}});
  return known;
}

DeviceMemory::Block* DeviceMemory::block_of(FrameId frame) {
  const auto known = block_.find(frame);
  return known == block_.end() ? nullptr : &blocks_[known->second];
}

void DeviceMemory::apart(FrameId frame) {
  Block& block = *block_of(frame);
  block.together = false;
  for (BufferId b : function_.frames[frame].buffers) {
    Owned& o = owned(b);
    o.in_frame = false;
    o.first = block.first, o.last = std::max(o.last, block.last);
  }
}

void DeviceMemory::use(FrameId frame) {
  Block* block = block_of(frame);
  if (!block || !block->together) {
    for (BufferId b : function_.frames[frame].buffers) use(b);
    return;
  }
  if (block->first < 0) block->first = position_;
  block->last = position_;
}

BufferId DeviceMemory::new_view(BufferId from, TensorType type) {
  const BufferId view = new_buffer(std::move(type), function_.buffers[root(from)].storage);
  root_[view.index()] = root(from);
  views_[root(from)].push_back(view);
  offset_in_[view.index()] = offset_in_[from.index()];
  const Buffer& whole = function_.buffers[root(from)];
  Buffer& made = function_.buffers[view];
  made.variable = whole.variable, made.constant = whole.constant;
  made.view_of = from;
  return view;
}

void DeviceMemory::place_inside(BufferId buffer, BufferId whole, int64_t offset) {
  const BufferId old = root(buffer);
  const Owned& from = owned_[old.index()];
  Owned& to = owned_[whole.index()];
  if (from.first >= 0) to.first = to.first < 0 ? from.first : std::min(to.first, from.first);
  to.last = std::max(to.last, from.last);
  const int64_t base = offset - offset_in_[buffer.index()];
  auto views = std::move(views_[old]);  // these buffers move together with `buffer`
  views_.erase(old);
  if (root(old) == old) views.push_back(old);
  for (BufferId b : views) root_[b.index()] = whole, offset_in_[b.index()] += base;
  llvm::append_range(views_[whole], views);
}

void DeviceMemory::use(BufferId buffer) {
  Owned& o = owned(buffer);
  if (o.first < 0) o.first = position_;
  o.last = std::max(o.last, position_);
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
  std::vector<size_t> which;
  for (size_t b = base_; b < function_.buffers.size(); ++b) {
    if (function_.buffers[b].storage != Storage::kArena || root_[b] != BufferId(b)) continue;
    if (owned_[b].in_frame) continue;
    const auto [first, last] = needed(owned_[b]);
    values.push_back({first, last, static_cast<uint64_t>(function_.buffers[b].type.bytes()), owned_[b].group});
    which.push_back(b);
  }
  std::vector<std::vector<uint64_t>> inside;  // by frame: the places of its buffers
  std::vector<const Block*> together;
  for (const Block& block : blocks_) {
    if (!block.together) continue;
    uint64_t bytes = 0;
    auto& places = inside.emplace_back();
    for (BufferId b : function_.frames[block.frame].buffers) {
      places.push_back(bytes);
      bytes += (static_cast<uint64_t>(function_.buffers[b].type.bytes()) + alignment - 1) / alignment * alignment;
    }
    together.push_back(&block);
    values.push_back({std::max<int64_t>(block.first, 0), std::max<int64_t>(block.last, 0), bytes});
  }
  if (region) values.push_back({region->first, region->last, region->bytes});
  const Packing result = pack_arena(values, alignment);
  for (size_t n = 0; n < together.size(); ++n)
    for (size_t e = 0; e < inside[n].size(); ++e)
      function_.buffers[function_.frames[together[n]->frame].buffers[e]].offset =
          values[which.size() + n].offset + inside[n][e];
  for (size_t i = 0; i < which.size(); ++i) function_.buffers[which[i]].offset = values[i].offset;
  if (region) region->offset = values.back().offset;
  for (size_t b = base_; b < function_.buffers.size(); ++b)
    if (root_[b] != BufferId(b))
      function_.buffers[b].offset = function_.buffers[root_[b]].offset + static_cast<uint64_t>(offset_in_[b]);
  return result;
}

}  // namespace cutset::passes
