// SPDX-License-Identifier: Apache-2.0
// Tests the strategy `model` where it is best to leave devices empty.
#include <cutset/cutset.h>
#include <cutset/explain.h>
#include <cutset/saved.h>
#include <cutset/testing.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/folder.h"
#include "tests/small_training.h"

namespace cutset::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

const char* const kThree = "reference:0,sim:0,sim:1";

// Layers of different sizes. With `trains`, the network has a loss, and gradients go back through the layers.
Graph chain(bool trains) {
  Graph g(2);
  Tensor h = g.input("x", f32, {16, 8});
  int64_t width = 8;
  for (const int64_t units : {32, 4, 24}) {
    const Tensor w =
        g.variable("w" + std::to_string(units), f32, {width, units}, Initializer::uniform(-1, 1));
    h = tanh(matmul(h, w));
    width = units;
  }
  if (trains)
    g.minimize(mean(h), {.learning_rate = 0.1});
  else
    g.output("y", h);
  return g;
}

// The largest load of a device per step: the times of its ops, and of the transfers at both of their ends.
// Updates do not count, because they follow the variables.
double largest_load(const Explained& e) {
  std::map<std::string, double> load;
  for (const Explanation& op : e.ops)
    for (const Candidate& c : op.candidates)
      if (c.device == op.device && !op.reason.starts_with("home of"))
        load[c.device] += c.seconds * static_cast<double>(op.times);
  for (const ExplainedTransfer& t : e.transfers) {
    load[t.from] += t.seconds;
    load[t.to] += t.seconds;
  }
  double largest = 0;
  for (const auto& [device, seconds] : load) largest = std::max(largest, seconds);
  return largest;
}

std::set<std::string> devices_of(const Explained& e) {
  std::set<std::string> devices;
  for (const Explanation& op : e.ops) devices.insert(op.device);
  return devices;
}

class EmptyDevices : public Folder {
 protected:
  // Describes devices by their FLOP/s and the seconds of a byte on their links.
  std::string device_file(const std::vector<std::pair<std::string, double>>& flops, double seconds_per_byte,
                          const std::string& more = "") {
    std::ostringstream text;
    for (const auto& [device, speed] : flops)
      text << (text.str().empty() ? "{" : ", ") << '"' << device << R"(": {"flops_per_second": )" << speed
           << R"(, "bytes_per_second": 1e30, "launch_seconds": 1e-9, "link_seconds": 1e-12,)"
           << R"( "link_bytes_per_second": )" << 1 / seconds_per_byte << more << "}";
    std::ofstream(path("devices.json")) << text.str() << "}";
    return path("devices.json");
  }
};

// The ops that the plan of a graph lists, and its other lines.
struct PlanLines {
  std::vector<std::string> head, ops;

  explicit PlanLines(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("op "))
        ops.push_back(line);
      else if (line.starts_with("cutset") || line.starts_with("program"))
        head.push_back(line);
  }
  // The plan with these devices. The homes of variables follow the ops.
  std::string with(const std::vector<std::string>& devices) const {
    std::string text = head.at(0) + "\n" + head.at(1) + "\n";
    for (size_t i = 0; i < ops.size(); ++i) {
      std::istringstream words(ops[i]);
      std::string op, id, name;
      words >> op >> id >> name;
      text += "op " + id + " " + name + " " + devices[i] + " 0\n";
    }
    return text;
  }
};

// Calls `visit` with each assignment of `count` ops to devices in the order of the list.
template <class Visit>
void for_each_assignment(size_t count, const std::vector<std::string>& devices, const Visit& visit,
                         std::vector<std::string> assigned = {}, size_t first = 0) {
  if (assigned.size() == count) return visit(assigned);
  for (size_t d = first; d < devices.size(); ++d) {
    assigned.push_back(devices[d]);
    for_each_assignment(count, devices, visit, assigned, d);
    assigned.pop_back();
  }
}

TEST_F(EmptyDevices, TheLargestLoadIsThatOfTheBestAssignment) {
  const std::vector<std::string> names = {"reference:0", "sim:0", "sim:1"};
  struct Machine {
    std::vector<double> flops;
    double seconds_per_byte;
    size_t used;  // the number of devices that the assignment uses; 0: any number
  };
  const Machine machines[] = {{{1e9, 1e9, 1e9}, 1e-12, 0},  // equal devices, cheap transfers
                              {{1e9, 1e9, 1e9}, 1e-6, 1},   // expensive transfers
                              {{1e9, 1e6, 1e9}, 1e-10, 2},  // a slow device between two fast ones
                              {{1e6, 1e9, 1e6}, 1e-9, 1}};  // a fast device between two slow ones
  for (const bool trains : {false, true})
    for (const Machine& m : machines) {
      std::vector<std::pair<std::string, double>> flops;
      for (size_t d = 0; d < names.size(); ++d) flops.emplace_back(names[d], m.flops[d]);
      CompileOptions options{.devices = kThree,
                             .strategy = Model{},
                             .device_file = device_file(flops, m.seconds_per_byte),
                             .on_note = quiet};
      const Explained chosen = explain(chain(trains), options);
      if (m.used) EXPECT_EQ(devices_of(chosen).size(), m.used) << m.seconds_per_byte;
      const PlanLines lines(plan(chain(trains), options));
      double best = HUGE_VAL;
      for_each_assignment(lines.ops.size(), names, [&](const std::vector<std::string>& devices) {
        options.plan = lines.with(devices);
        best = std::min(best, largest_load(explain(chain(trains), options)));
      });
      EXPECT_LE(largest_load(chosen), best * 1.001) << trains << " " << m.seconds_per_byte;
    }
}

// The ops of the small network take less time than a transfer.
const CompileOptions kOneEmpty = {.devices = "sim:0,reference:0", .strategy = Model{}, .on_note = quiet};

TEST_F(EmptyDevices, HaveNoOpsNoMemoryAndANote) {
  const Explained e = explain(small_network(), kOneEmpty);
  EXPECT_EQ(devices_of(e), std::set<std::string>{"reference:0"});
  EXPECT_TRUE(e.transfers.empty());
  EXPECT_EQ(e.memory[0].device, "sim:0");
  EXPECT_EQ(e.memory[0].variables + e.memory[0].optimizer + e.memory[0].constants + e.memory[0].arena, 0u);
  EXPECT_THAT(e.notes, Contains(HasSubstr("sim:0 runs no op: the busiest device is estimated to work ")));
  EXPECT_THAT(e.ops.front().reason, HasSubstr("not split"));
  for (const ExplainedVariable& v : e.variables) EXPECT_EQ(v.homes, std::vector<std::string>{"reference:0"});
}

// The note names the largest load with the device, which an independent search over all plans also finds. The
// empty devices have different speeds, so each has a load of its own.
TEST_F(EmptyDevices, HaveTheTimeIfTheyWereUsed) {
  const CompileOptions options{
      .devices = kThree,
      .strategy = Model{},
      .device_file = device_file({{"reference:0", 1e9}, {"sim:0", 1e9}, {"sim:1", 1e5}}, 1e-6),
      .on_note = quiet};
  const PlanLines lines(plan(chain(false), options));
  const Explained chosen = explain(chain(false), options);
  EXPECT_EQ(devices_of(chosen), std::set<std::string>{"reference:0"});
  std::set<std::string> loads;
  for (const std::string empty : {"sim:0", "sim:1"}) {
    double best = HUGE_VAL;
    for_each_assignment(lines.ops.size(), {"reference:0", empty},
                        [&](const std::vector<std::string>& devices) {
                          if (std::ranges::count(devices, empty) == 0) return;
                          CompileOptions planned = options;
                          planned.plan = lines.with(devices);
                          best = std::min(best, largest_load(explain(chain(false), planned)));
                        });
    char text[64];
    snprintf(text, sizeof text, "and %.1f us if ", best * 1e6);
    loads.insert(text);
    EXPECT_THAT(chosen.notes, Contains(HasSubstr(text + empty + " ran an op")));
  }
  EXPECT_EQ(loads.size(), 2u);
}

TEST_F(EmptyDevices, TrainSaveLoadAndTraceAsOneDevice) {
  const Batch batch = random_batch(small_network(), 1);
  Session one = compile(small_network(), {.devices = "reference:0"}),
          two = compile(small_network(), kOneEmpty);
  two.start_trace();
  for (int step = 0; step < 3; ++step) EXPECT_EQ(two.train(batch)["loss"], one.train(batch)["loss"]);
  two.write_trace(path("trace.json"));
  EXPECT_EQ(two.evaluate(batch)["loss"], one.evaluate(batch)["loss"]);
  EXPECT_EQ(variables_of(two), variables_of(one));
  EXPECT_THAT(two.dot(DotLevel::kOp), ::testing::Not(HasSubstr("sim:0")));
  for (const Transfer& t : two.transfers())
    EXPECT_TRUE(t.from == "host" || t.to == "host") << t.from << " to " << t.to;
  // A checkpoint is loaded on other devices, and a checkpoint of them is loaded back. The runs continue with
  // the same losses.
  two.save(path("checkpoint"));
  Session other = compile(small_network(), {.devices = "reference:0"});
  other.load(path("checkpoint"));
  EXPECT_EQ(other.train(batch)["loss"], one.train(batch)["loss"]);
  other.save(path("checkpoint"));
  two.load(path("checkpoint"));
  EXPECT_EQ(two.train(batch)["loss"], one.train(batch)["loss"]);
}

TEST_F(EmptyDevices, AreInSavedProgramsAndAreVerified) {
  const Batch batch = random_batch(small_network(), 1);
  Session session = compile(small_network(), kOneEmpty);
  save_program(small_network(), kOneEmpty, path("program"));
  SavedProgram saved = load_program(path("program"));
  EXPECT_EQ(saved.train(batch)["loss"], session.train(batch)["loss"]);
  saved.save(path("checkpoint"));
  session.load(path("checkpoint"));
  EXPECT_EQ(saved.train(batch)["loss"], session.train(batch)["loss"]);
  EXPECT_SAME_ON(small_network(), "sim:0,reference:0", Model{});
  EXPECT_SAME_ON(small_network(), "sim:0,reference:0,sim:1,reference:1", "data(2) * model");
  EXPECT_SAME_ON(small_network(), "sim:0,reference:0,sim:1,reference:1", "model * tensor(2)");
}

// Every phase has a dump, and the last batch of an epoch, which has fewer samples, runs as well.
TEST_F(EmptyDevices, AreDumpedAndTakeOtherBatches) {
  CompileOptions options = kOneEmpty;
  options.dump_directory = path("dump");
  Graph g(1);
  const Tensor x = g.input("x", f32, {8, 3});
  g.minimize(mean(tanh(nn::dense("fc", x, 4))), {.learning_rate = 0.1});
  Session session = compile(g, options), one = compile(g, {.devices = "reference:0"});
  EXPECT_TRUE(std::filesystem::exists(path("dump/07-lower.dot")));
  for (const int64_t samples : {8, 5}) {
    Batch batch;
    batch.emplace("x", HostTensor({samples, 3}, std::vector<float>(static_cast<size_t>(3 * samples), 0.5f)));
    EXPECT_EQ(session.train(batch)["loss"], one.train(batch)["loss"]) << samples;
  }
}

// One device has no room for all variables, although it would be faster alone.
TEST_F(EmptyDevices, AreUsedIfTheOthersHaveTooLittleMemory) {
  const auto network = [] {
    Graph g(1);
    Tensor h = g.input("x", f32, {2, 64});
    for (int i = 0; i < 6; ++i) h = tanh(nn::dense("fc" + std::to_string(i), h, 64));
    g.minimize(mean(h), {.learning_rate = 0.1, .momentum = 0.9});
    return g;
  };
  const CompileOptions unlimited{.devices = "reference:0,sim:0",
                                 .strategy = Model{},
                                 .device_file = device_file({{"reference:0", 1e9}, {"sim:0", 1e9}}, 1e-6),
                                 .on_note = quiet};
  const Explained alone = explain(network(), unlimited);
  ASSERT_EQ(devices_of(alone).size(), 1u);
  const uint64_t needed = alone.memory[0].variables + alone.memory[0].optimizer + alone.memory[0].constants +
                          alone.memory[0].arena;
  for (const double part : {0.7, 0.9}) {
    CompileOptions options = unlimited;
    options.device_file = device_file(
        {{"reference:0", 1e9}, {"sim:0", 1e9}}, 1e-6,
        ", \"memory_bytes\": " + std::to_string(static_cast<int64_t>(part * static_cast<double>(needed))));
    EXPECT_EQ(devices_of(explain(network(), options)).size(), 2u) << part;
    Session session = compile(network(), options);  // it would be refused if a device had too little
    EXPECT_EQ(session.train(random_batch(network(), 1)).size(), 1u);
  }
  CompileOptions enough = unlimited;
  enough.device_file = device_file({{"reference:0", 1e9}, {"sim:0", 1e9}}, 1e-6,
                                   ", \"memory_bytes\": " + std::to_string(needed + needed / 4));
  EXPECT_EQ(devices_of(explain(network(), enough)).size(), 1u);
}

}  // namespace
}  // namespace cutset::testing
