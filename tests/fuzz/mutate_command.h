// SPDX-License-Identifier: Apache-2.0
// Random changes of the commands of a program, for the fuzzers.
#pragma once
#include "runtime/program/program.h"
#include "tests/fuzz/mutate_values.h"

namespace cutset::fuzz {

// A command of any kind, with the buffers of the instruction where it has some.
inline Command another_command(PhiloxSequence& r, const Instruction& i) {
  const BufferId from = i.operands().empty() ? BufferId() : i.operands()[0],
                 to = i.results().empty() ? from : i.results()[0];
  const int32_t n = index(r, 3);
  switch (r.below(std::variant_size_v<Command>)) {
    case 0:
      return RunKernel{.kernel = i.op() + ".reference", .operands = {from}, .results = {to}};
    case 1:
      return CopyBuffer{from, to};
    case 2:
      return ReadInput{PortId(n), {}, to};
    case 3:
      return WriteOutput{PortId(n), {}, from};
    case 4:
      return Send{ChannelId(n), from};
    case 5:
      return Receive{ChannelId(n), to};
    case 6:
      return StartAllReduce{CollectiveId(n), 0, from};
    case 7:
      return AwaitAllReduce{CollectiveId(n), to};
    case 8:
      return SignalEvent{EventId(n)};
    case 9:
      return CallRole{RoleId(n), {FrameId(from.value), FrameId(to.value)}, n};
    default:
      return AwaitEvent{EventId(n)};
  }
}

// Replaces the index of the input, output, channel, collective or event of a command.
template <class C>
void change_index(PhiloxSequence& r, C& c) {
  auto change = [&](auto& id) { id.value = index(r, static_cast<size_t>(std::max(id.value, 0)) + 2); };
  if constexpr (requires { c.input; }) change(c.input);
  if constexpr (requires { c.output; }) change(c.output);
  if constexpr (requires { c.channel; }) change(c.channel);
  if constexpr (requires { c.collective; }) change(c.collective);
  if constexpr (requires { c.event; }) change(c.event);
  if constexpr (requires { c.role; }) {
    change(c.role);
    c.shard = index(r, static_cast<size_t>(std::max(c.shard, 0)) + 2);
    if (r.below(2)) c.end = index(r, static_cast<size_t>(std::max(c.end, 0)) + 2);
    for (FrameId& frame : c.arguments)
      if (r.below(2)) change(frame);
  }
}

// Changes some of the buffers of a command.
template <class C>
void change_buffers(PhiloxSequence& r, C& c, size_t buffers) {
  auto change = [&](BufferId& b) {
    if (r.below(2)) b = BufferId(index(r, buffers));
  };
  if constexpr (requires { c.operands; }) change_list(r, r.below(2) ? c.operands : c.results, buffers);
  if constexpr (requires { c.from; }) change(c.from);
  if constexpr (requires { c.to; }) change(c.to);
  if constexpr (requires { c.pieces; }) change_list(r, c.pieces, buffers);
}

}  // namespace cutset::fuzz
