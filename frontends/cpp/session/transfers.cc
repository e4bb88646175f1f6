// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/session/transfers.h"

#include <algorithm>

#include "frontends/cpp/session/memory_use.h"

namespace cutset {

std::vector<Transfer> transfers_of(const Program& program) {
  const Function& f = main_function(program);
  std::vector<Transfer> list;
  auto add = [&](const std::string& from, const std::string& to, int64_t bytes) {
    auto it = std::find_if(list.begin(), list.end(),
                           [&](const Transfer& t) { return t.from == from && t.to == to; });
    if (it == list.end()) it = list.insert(list.end(), {from, to, 0, 0});
    it->bytes_per_step += bytes;
    it->tensors += 1;
  };
  for (const Channel& c : f.channels)
    add(f.devices[static_cast<size_t>(c.from)].device, f.devices[static_cast<size_t>(c.to)].device,
        c.type.bytes());
  for (const DevicePlan& d : f.devices)
    for (Queue q : {Queue::kIn, Queue::kOut})
      for (const Instruction& i : d.queues[static_cast<int>(q)].compute) {
        const auto bytes = [&](BufferId b) { return f.buffers[b].type.bytes(); };
        if (const auto* c = i.as<ReadInput>(); c && f.inputs[c->input].feed == Feed::kCaller)
          add("host", d.device, bytes(c->to));
        if (const auto* c = i.as<WriteOutput>()) add(d.device, "host", bytes(c->from));
        if (const auto* c = i.as<StartAllReduce>()) add(d.device, "all_reduce", bytes(c->from));
        if (const auto* c = i.as<AwaitAllReduce>()) add("all_reduce", d.device, bytes(c->to));
      }
  return list;
}

}  // namespace cutset
