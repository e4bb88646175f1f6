// SPDX-License-Identifier: Apache-2.0
// Helpers for tests of wrong programs. A test compiles a correct program, makes one change, and checks that
// the program is refused with the right error message.
#pragma once
#include <cutset/saved.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <stdexcept>

#include "frontends/cpp/graph/graph_state.h"
#include "frontends/cpp/session/configure.h"
#include "runtime/execute/executable.h"
#include "runtime/program/check/check_program.h"
#include "runtime/program/file/program_file.h"
#include "tests/equivalence/support/runs.h"

namespace cutset::testing {

using ::testing::HasSubstr;

// Returns a small classifier with two layers, a shortcut, and an output that is a view.
inline Graph small() {
  Graph g(3);
  Tensor x = g.input("x", f32, {8, 6}), y = g.input("y", i32, {8});
  Tensor h = tanh(nn::dense("a", x, 5)), skip = h + h * h;
  g.output("h", reshape(h, {.shape = {40}}));
  g.minimize(mean(softmax_cross_entropy(nn::dense("b", skip, 3), y)), {0.1, 0.9});
  return g;
}

struct Setting {
  std::string devices = "reference:0", strategy;
  bool deterministic = false;
  int threads = 0;
};

inline const Setting kStages = {.devices = "reference:0,sim:0", .strategy = "pipeline(2, micro_batches=1)"};
inline const Setting kReplicas = {.devices = "reference:0,sim:0", .strategy = "data(2)"};

// Returns the program of small(). It is compiled once per setting.
inline Program compiled(const Setting& s) {
  static std::map<std::string, Program> known;
  const std::string key = s.devices + s.strategy + (s.deterministic ? "d" : "") + std::to_string(s.threads);
  auto it = known.find(key);
  if (it != known.end()) return it->second;
  CompileConfig config = check(configure({.devices = s.devices,
                                          .strategy = s.strategy,
                                          .threads = s.threads,
                                          .deterministic = s.deterministic}));
  if (s.deterministic) config.shards = 4;
  Graph graph = small();
  Program p = check(graph.state()->builder->snapshot()->compile(config)).program;
  EXPECT_TRUE(check_program(p).ok()) << check_program(p).error().what;
  return known[key] = p;
}

// These functions return a part of a program: the function "train", its buffers, its lists, and the first
// instruction of a kind.
inline Function& train(Program& p) { return const_cast<Function&>(*p.find("train")); }
inline Buffer& buffer(Function& f, BufferId b) { return f.buffers[b]; }

inline std::vector<Instruction>& list(Program& p, Queue q, bool apply = false, size_t device = 0) {
  Sequence& s = train(p).devices[device].queues[static_cast<int>(q)];
  return apply ? s.apply : s.compute;
}
inline Instruction* find(std::vector<Instruction>& list, const std::function<bool(const Instruction&)>& f) {
  auto it = std::find_if(list.begin(), list.end(), f);
  return it == list.end() ? nullptr : &*it;
}
inline Instruction& find_op(Program& p, const std::string& op, bool apply = false) {
  Instruction* i = find(list(p, Queue::kCompute, apply), [&](const Instruction& i) { return i.op() == op; });
  if (!i) throw std::runtime_error("no " + op);
  return *i;
}
// Returns the kernel command of an op.
inline RunKernel& kernel(Program& p, const std::string& op, bool apply = false) {
  return *find_op(p, op, apply).as<RunKernel>();
}
// Return the first instruction with a command of a kind on any device, with its list; and the command.
template <class C>
std::pair<std::vector<Instruction>*, Instruction*> first_of(Program& p) {
  for (size_t d = 0; d < train(p).devices.size(); ++d)
    for (Queue q : {Queue::kIn, Queue::kCompute, Queue::kOut}) {
      auto& all = list(p, q, false, d);
      if (Instruction* i = find(all, [&](const Instruction& i) { return i.is<C>(); })) return {&all, i};
    }
  throw std::runtime_error("no such instruction");
}
template <class C>
C& only(Program& p) {
  return *first_of<C>(p).second->template as<C>();
}
template <class C>
void twice(Program& p) {
  const auto [all, i] = first_of<C>(p);
  all->push_back(Instruction(*i));
}
// Return the buffer of the result of an op, and the first buffer with this storage that is not a view.
inline Buffer& result_of(Program& p, const char* op) { return buffer(train(p), kernel(p, op).results[0]); }
inline Buffer& stored(Program& p, Storage storage) {
  for (Buffer& b : train(p).buffers)
    if (b.storage == storage && !b.view_of.is_set()) return b;
  throw std::runtime_error("no such buffer");
}
inline BufferId id_of(Program& p, const Buffer& b) { return BufferId(&b - train(p).buffers.data()); }

// These functions add a buffer and return its index: any buffer, a buffer with new memory, and a buffer
// without memory. They move the other buffers, so references to buffers become invalid.
inline BufferId add(Program& p, const Buffer& b) {
  const BufferId id = train(p).buffers.next();
  train(p).buffers.push_back(Buffer(b));
  return id;
}
inline BufferId add_arena(Program& p, const TensorType& type) {
  uint64_t& end = train(p).devices[0].arena_bytes;
  const uint64_t offset = (end + 255) / 256 * 256;
  end = offset + static_cast<uint64_t>(type.bytes());
  return add(p, {.offset = offset, .type = type});
}
inline BufferId add_type_only(Program& p, const TensorType& type, int32_t device = 0) {
  return add(p, {.device = device, .storage = Storage::kTypeOnly, .type = type});
}
inline Instruction make(Command command) { return {.command = std::move(command)}; }
inline void erase(std::vector<Instruction>& list, const Instruction& i) {
  list.erase(list.begin() + (&i - list.data()));
}

// Adds an all_reduce of one partial sum to the out queue. Its bucket `whole` has one piece, or none if
// `piece` is not set.
inline void sum_over_bucket(Program& p, BufferId whole, BufferId piece) {
  StartAllReduce start{.collective = train(p).collectives.next(), .partial = 0, .from = whole};
  if (piece.is_set()) start.pieces = {piece};
  train(p).collectives.push_back({buffer(train(p), whole).type, {{0, 0, 1}}, ""});
  list(p, Queue::kOut).push_back(make(start));
}
// Adds a buffer that has the memory of buffer `of` and is not a view. Buffer `of` must not be a view.
inline BufferId add_inside(Program& p, BufferId of) { return add(p, Buffer(buffer(train(p), of))); }

// Returns the error of check_program for the program after `change`, or "accepted".
inline std::string refusal(Program p, const std::function<void(Program&)>& change) {
  change(p);
  const Status status = check_program(p);
  return status.ok() ? "accepted" : status.error().what;
}
// A change of a good program, and a regular expression that the message of the refusal contains.
struct Change {
  const char* what;
  std::function<void(Program&)> make;
  const char* refusal;
};
inline void expect_refused(const Program& good, const std::vector<Change>& changes) {
  for (const Change& c : changes)
    EXPECT_THAT(refusal(good, c.make), ::testing::ContainsRegex(c.refusal)) << c.what;
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
