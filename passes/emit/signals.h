// Collects the signals of a list of instructions while the list grows, and inserts them all at once.
#pragma once
#include "runtime/program/program.h"

namespace cutset::passes {

class Signals {
 public:
  // Signals `event` directly after the instruction at index `after` of the list; -1: before the first instruction.
  void add(int64_t after, EventId event) { all_.emplace_back(after, event); }
  // Inserts all signals into `list`. Indices count the instructions without the signals. Of
  // several signals after the same instruction, the one that was added last comes first.
  void insert_into(std::vector<Instruction>& list) &&;

 private:
  std::vector<std::pair<int64_t, EventId>> all_;  // index of an instruction, and event
};

}  // namespace cutset::passes
