// Helpers for tests of wrong programs. A test compiles a correct program, makes one change, and checks that the program
// is refused with the right error message.
#pragma once
#include <cutset/saved.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <stdexcept>

#include "frontends/cpp/configure.h"
#include "frontends/cpp/graph_state.h"
#include "runtime/execute/executable.h"
#include "runtime/program/check_program.h"
#include "runtime/program/program_file.h"
#include "tests/equivalence/runs.h"

namespace cutset::testing {

using Kind = Instruction::Kind;
using ::testing::HasSubstr;

// A small classifier with two layers, a shortcut, and an output that is a view.
inline Graph small() {
  Graph g(3);
  Tensor x = g.input("x", f32, {8, 6}), y = g.input("y", i32, {8});
  Tensor h = tanh(nn::dense(g, "a", x, 5)), skip = h + h * h;
  g.output("h", reshape(h, {.shape = {40}}));
  g.minimize(mean(softmax_cross_entropy(nn::dense(g, "b", skip, 3), y)), {0.1, 0.9});
  return g;
}

struct Setting {
  std::string devices = "reference:0", strategy;
  bool deterministic = false;
  int threads = 0;
};

// Returns the program of small(). It is compiled once per setting.
inline Program compiled(const Setting& s) {
  static std::map<std::string, Program> known;
  const std::string key = s.devices + s.strategy + (s.deterministic ? "d" : "") + std::to_string(s.threads);
  auto it = known.find(key);
  if (it != known.end()) return it->second;
  CompileConfig config = check(configure(
      {.devices = s.devices, .strategy = s.strategy, .threads = s.threads, .deterministic = s.deterministic}));
  if (s.deterministic) config.shards = 4;
  Graph graph = small();
  Program p = check(graph.state()->builder->snapshot()->compile(config)).program;
  EXPECT_TRUE(check_program(p).ok()) << check_program(p).error().what;
  return known[key] = p;
}

// Access to the parts of a program: the function "train", its buffers, its lists, and the first instruction of a kind.
inline Function& train(Program& p) { return const_cast<Function&>(*p.find("train")); }
inline Buffer& buffer(Function& f, int32_t b) { return f.buffers[static_cast<size_t>(b)]; }

inline std::vector<Instruction>& list(Program& p, Queue q, bool apply = false, size_t device = 0) {
  Sequence& s = train(p).devices[device].queues[static_cast<int>(q)];
  return apply ? s.apply : s.compute;
}
inline Instruction* find(std::vector<Instruction>& list, const std::function<bool(const Instruction&)>& f) {
  auto it = std::find_if(list.begin(), list.end(), f);
  return it == list.end() ? nullptr : &*it;
}
inline Instruction& find_op(Program& p, const std::string& op, bool apply = false) {
  Instruction* i = find(list(p, Queue::kCompute, apply), [&](const Instruction& i) { return i.op == op; });
  if (!i) throw std::runtime_error("no " + op);
  return *i;
}
inline void erase(std::vector<Instruction>& list, const Instruction& i) {
  list.erase(list.begin() + (&i - list.data()));
}

// Returns the error of check_program for the program after `change`, or "accepted".
inline std::string refusal(Program p, const std::function<void(Program&)>& change) {
  change(p);
  const Status status = check_program(p);
  return status.ok() ? "accepted" : status.error().what;
}
// Returns the error of Executable::load for the program after `change`, or "accepted".
inline std::string refusal_at_load(Program p, const std::function<void(Program&)>& change) {
  change(p);
  std::string names;
  for (const std::string& d : p.devices) names += (names.empty() ? "" : ",") + d;
  auto executor = check(Executor::open(check(describe_devices({.devices = names}))));
  auto loaded = Executable::load(*executor, p);
  return loaded ? "accepted" : loaded.error().text();
}

}  // namespace cutset::testing
