// SPDX-License-Identifier: Apache-2.0
#include "runtime/program/instruction.h"

namespace cutset {

SharedNames named(InstructionNames names) {
  return std::make_shared<const InstructionNames>(std::move(names));
}
SharedNames named(std::string op, std::string layer, std::string source) {
  return named(InstructionNames{.op = std::move(op), .layer = std::move(layer), .source = std::move(source)});
}

const InstructionNames& names_or_empty(const SharedNames& names) {
  static const InstructionNames none;
  return names ? *names : none;
}

std::span<BufferId> Instruction::operands() {
  return std::visit(
      [](auto& c) -> std::span<BufferId> {
        if constexpr (requires { c.operands; })
          return c.operands;
        else if constexpr (requires { c.from; })
          return {&c.from, 1};
        else
          return {};
      },
      command);
}

std::span<BufferId> Instruction::results() {
  return std::visit(
      [](auto& c) -> std::span<BufferId> {
        if constexpr (requires { c.results; })
          return c.results;
        else if constexpr (requires { c.to; })
          return {&c.to, 1};
        else
          return {};
      },
      command);
}

std::span<BufferId> Instruction::pieces() {
  return std::visit(
      [](auto& c) -> std::span<BufferId> {
        if constexpr (requires { c.pieces; })
          return c.pieces;
        else
          return {};
      },
      command);
}

const char* name_of(const Command& command) {
  static constexpr const char* kNames[std::variant_size_v<Command>] = {
      "kernel",          "copy",   "input", "output", "send", "recv", "all_reduce start",
      "all_reduce wait", "signal", "wait",  "call"};
  return kNames[command.index()];
}

}  // namespace cutset
