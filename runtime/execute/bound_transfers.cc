// SPDX-License-Identifier: Apache-2.0
#include "runtime/execute/bound_transfers.h"

#include <algorithm>
#include <map>

namespace cutset {
namespace {

// A place in the block of host memory of a device.
struct HostSlice {
  size_t device;
  uint64_t offset;
};

// The host memory of all transfers of a function.
class HostMemory {
 public:
  explicit HostMemory(size_t devices) : bytes_(devices) {}
  HostSlice add(int32_t device, const TensorType& type) {
    constexpr uint64_t kAlignment = 64;
    uint64_t& used = bytes_[static_cast<size_t>(device)];
    const HostSlice slice{static_cast<size_t>(device), used};
    used += (std::max<uint64_t>(static_cast<uint64_t>(type.bytes()), 1) + kAlignment - 1) / kAlignment *
            kAlignment;
    return slice;
  }
  Status allocate(BoundProgram& program) {
    CUTSET_ASSIGN(blocks_, program.host_blocks(bytes_));
    return {};
  }
  char* at(const HostSlice& slice) const { return blocks_[slice.device] + slice.offset; }

 private:
  std::vector<uint64_t> bytes_;  // by device
  std::vector<char*> blocks_;
};

}  // namespace

Result<BoundTransfers> BoundTransfers::make(BoundProgram& program, const Function& f) {
  HostMemory memory(program.handles.size());
  std::vector<HostSlice> messages, partials;
  const auto has_pinned_memory = [&](int32_t d) {
    return program.device(static_cast<size_t>(d)).api().memory != nullptr;
  };
  for (const Channel& c : f.channels)
    messages.push_back(memory.add(has_pinned_memory(c.from) ? c.from : c.to, c.type));
  for (const Collective& c : f.collectives)
    for (const Collective::Partial& p : c.partials) partials.push_back(memory.add(p.device, c.type));
  CUTSET_TRY(memory.allocate(program));

  BoundTransfers transfers;
  Transport& transport = program.executor.transport();
  const auto name_of_device = [&](int32_t d) { return program.program.devices[static_cast<size_t>(d)]; };
  transfers.ends_.resize(f.channels.size());
  std::map<std::pair<int32_t, int32_t>, std::vector<size_t>> channels;  // by sender and receiver
  for (size_t c = 0; c < f.channels.size(); ++c)
    channels[{f.channels[c].from, f.channels[c].to}].push_back(c);
  for (const auto& [pair, of_link] : channels) {
    std::vector<Transport::Slot> slots;
    for (size_t c : of_link) {
      slots.push_back({memory.at(messages[c]), "channel " + std::to_string(c) + " (" + f.channels[c].tensor +
                                                   ", from " + name_of_device(pair.first) + " to " +
                                                   name_of_device(pair.second) + ")"});
    }
    Link* link = transfers.links_.emplace_back(transport.link(std::move(slots))).get();
    for (size_t slot = 0; slot < of_link.size(); ++slot) transfers.ends_[of_link[slot]] = {link, slot};
  }
  auto next = partials.begin();
  for (const Collective& c : f.collectives) {
    std::vector<Transport::Partial> list;
    for (const Collective::Partial& p : c.partials)
      list.push_back({memory.at(*next++), name_of_device(p.device)});
    CUTSET_ASSIGN(
        auto group,
        transport.group(c, "all_reduce " + std::to_string(transfers.groups_.size()) + " (" + c.tensor + ")",
                        std::move(list)));
    transfers.groups_.push_back(std::move(group));
  }
  return transfers;
}

}  // namespace cutset
