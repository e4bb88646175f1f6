// SPDX-License-Identifier: Apache-2.0
// Tests that a saved program and a session give results that are bitwise equal, and that no malformed file
// crashes the reader.
#include <cutset/cutset.h>
#include <cutset/ops.h>
#include <cutset/saved.h>
#include <cutset/shapes.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdio>
#include <cstring>
#include <fstream>

#include "frontends/models/models.h"
#include "ir/core/philox.h"
#include "runtime/execute/executable.h"
#include "runtime/program/file/program_file.h"
#include "runtime/program/forecast.h"
#include "tests/equivalence/support/runs.h"
#include "tests/errors.h"
#include "tests/temporary_folder.h"

namespace cutset::testing {
namespace {

std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

TEST(SavedProgram, RunsToTheSameBits) {
  const TemporaryFolder folder;
  struct Setting {
    const char *model, *devices, *strategy;
  };
  for (const Setting& s :
       {Setting{"lenet", "reference:0", ""}, Setting{"lenet", "cpu:0", ""}, Setting{"lenet", "sim:0", ""},
        Setting{"lenet", "cpu:0,sim:0", "data(2, shares=2:1)"},
        Setting{"mlp", "reference:0,sim:0", "pipeline(2, micro_batches=1)"}}) {
    if (!have(s.devices)) {
      std::printf("skipped: %s is not available\n", std::string(s.devices).c_str());
      continue;
    }
    const CompileOptions options{.devices = s.devices, .strategy = s.strategy};
    Graph graph = models::find(s.model).build({9, 3, {0.05, 0.9}});
    save_program(graph, options, folder.path("p.cutset"));
    Session session = compile(graph, options);
    SavedProgram saved = load_program(folder.path("p.cutset"));
    EXPECT_EQ(saved.inputs("train").size(), 2u);
    for (uint64_t step = 0; step < 3; ++step)
      for (const char* function : {"train", "evaluate"}) {
        const auto want = session.run(function, noise(9, 1, step)),
                   got = saved.run(function, noise(9, 1, step));
        ASSERT_EQ(want.size(), got.size());
        for (const auto& [name, value] : want)
          EXPECT_EQ(value, got.at(name)) << s.model << " on " << s.devices << ": " << name;
      }
  }
}

// A network with initial values of each kind: normal and uniform random numbers, zeros, elements of the user,
// and the states of an optimizer and of an average that do not start with zeros.
Graph with_all_kinds_of_values() {
  Graph g(5);
  Tensor x = g.input("x", f32, {6, 4}), y = g.input("y", i32, {6});
  Tensor h = tanh(nn::dense("in", x, 8));
  h = h + g.variable("uniform", f32, {8}, Initializer::uniform(-1, 1));
  h = h + cast(g.variable("half", f16, {8}, Initializer::normal(0, 1)), f32);
  h = h * g.variable("given", HostTensor({8}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f, 7.f, 8.f}));
  g.output("h", h);
  g.minimize(mean(softmax_cross_entropy(nn::dense("out", h, 3), y)), Adagrad{.first_sum = 0.25});
  g.average_weights({.decay = 0.5});
  return g;
}

// Without initial values, a file is small, and its program makes the steps of the program with all values.
TEST(SavedProgram, DrawsInitialValuesThatItsFileLeavesOut) {
  const TemporaryFolder folder;
  const std::string all = folder.path("all.cutset"), none = folder.path("none.cutset");
  const Graph g = with_all_kinds_of_values();
  Batch batch;
  HostTensor x({f32, {6, 4}});
  PhiloxSequence random(1, 1);
  for (float& v : x.as<float>()) v = static_cast<float>(random.unit());
  batch["x"] = x;
  batch["y"] = HostTensor({6}, {0, 1, 2, 0, 1, 2});
  for (const bool wide : {false, true}) {
    const CompileOptions options{
        .devices = "reference:0,sim:0", .strategy = "data(2, shard=optimizer)", .f64 = wide};
    save_program(g, options, all);
    save_program(g, options, none, {.initial_values = false});
    const auto file = read_program(none);
    ASSERT_TRUE(file.ok()) << file.error().text();
    ASSERT_EQ(file->variables.size(), 1u);
    EXPECT_EQ(file->variables.begin()->first, "given");
    SavedProgram wanted = load_program(all), drawn = load_program(none);
    ASSERT_EQ(wanted.variables(), drawn.variables());
    for (int step = 0; step < 3; ++step) {
      for (const std::string& name : wanted.variables())
        EXPECT_EQ(wanted.variable(name), drawn.variable(name)) << name << " before step " << step;
      EXPECT_EQ(wanted.train(batch).at("loss"), drawn.train(batch).at("loss"));
    }
  }
  // The values of a file are kept, and the others are drawn.
  save_program(g, {.devices = "reference:0"}, all);
  SavedProgram trained = load_program(all);
  trained.train(batch);
  trained.save(folder.path("trained.safetensors"));
  save_program(
      g, {.devices = "reference:0"}, none,
      {.weights = folder.path("trained.safetensors"), .read = {.except = {"in"}}, .initial_values = false});
  const SavedProgram mixed = load_program(none);
  EXPECT_EQ(mixed.variable("out.weight"), trained.variable("out.weight"));
  EXPECT_EQ(mixed.variable("in.weight"), load_program(all).variable("in.weight"));
}

TEST(SavedProgram, NamesTheShapesItWasCompiledFor) {
  const TemporaryFolder folder;
  save_program(models::find("mlp").build({4, 1, {}}), {.devices = "reference:0"}, folder.path("p.cutset"));
  SavedProgram saved = load_program(folder.path("p.cutset"));
  try {
    saved.run("evaluate", noise(5, 1, 0));
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr(
                              "input 'image' is 5x1x28x28xf32; the program was compiled for 4x1x28x28xf32"));
  }
}

// A function takes any batch if its results for a sample depend on this sample alone. The expected results
// are from a program that was compiled for the batch.
TEST(SavedProgram, TakesAnyBatchIfSamplesAreIndependent) {
  const TemporaryFolder folder;
  const auto built = [](int64_t n) {
    Graph g(5);
    const Tensor x = g.input("x", f32, {n, 3, 6, 6}), t = g.input("t", f32, {2, n}, {.batch_dimension = 1});
    const Tensor h = relu(nn::batch_norm("norm", nn::conv("conv", x, {.out_channels = 2, .kernel_size = 3})));
    const Tensor y = nn::dense("fc", flatten(h), 5), all = transpose(t, {.permutation = {1, 0}});
    g.function("predict", {x, t}, {{"y", softmax(y)}, {"t", t * 2}, {"rows", concat({y, all}, {.axis = 1})}});
    g.function("loss", {x}, {{"loss", mean(y)}});
    g.function("across", {x}, {{"y", softmax(y, {.axis = 0})}});
    g.function("drawn", {x}, {{"y", random_uniform(y, g.step(), {.seed = 1, .stream = 3})}});
    const Tensor places = unsqueeze(cast(arange_like(y, 0), {.dtype = f32}), {1});
    g.function("places", {x}, {{"y", y + places}});
    g.function("last_place", {x}, {{"y", y + ops::reduce_max(places)}});
    g.function("count", {x}, {{"y", y / ops::count(y, {.axes = {0}})}});
    g.function("pairs", {x}, {{"y", matmul(y, y, {.transpose_y = true})}});
    g.function("first_rows", {x}, {{"y", slice(y, 0, 0, 600, 1)}});
    g.function("squeezed", {x}, {{"y", squeeze(y)}});
    g.function("across_time", {t}, {{"y", cumsum(t, {.axis = 1})}});
    return g;
  };
  for (const char* strategy : {"", "data(2)", "pipeline(2, micro_batches=1)"}) {
    const CompileOptions options{.devices = *strategy ? "reference:0,sim:0" : "reference:0",
                                 .strategy = strategy};
    save_program(built(4), options, folder.path("p.cutset"));
    SavedProgram saved = load_program(folder.path("p.cutset"));
    EXPECT_TRUE(saved.takes_any_batch("predict"));
    for (const char* function : {"loss", "across", "drawn", "places", "last_place", "count", "pairs",
                                 "first_rows", "squeezed", "across_time"})
      EXPECT_FALSE(saved.takes_any_batch(function)) << function;
    for (const int64_t n : {1, 3, 4, 11}) {
      Batch batch{{"x", HostTensor({f32, {n, 3, 6, 6}})}, {"t", HostTensor({f32, {2, n}})}};
      for (auto& [name, values] : batch)
        for (int64_t i = 0; i < values.elements(); ++i)
          values.set(i, static_cast<double>(i * 37 % 101) / 100);
      Session session = compile(built(n), {.devices = "reference:0"});
      const Outputs wanted = session.run("predict", batch), got = saved.run("predict", batch);
      ASSERT_EQ(got.size(), 3u);
      for (const auto& [name, value] : wanted)
        EXPECT_EQ(got[name], value) << name << " of " << n << " on " << strategy;
    }
    const auto refused = [&](const char* function, const Shape& shape) {
      return testing::error_of([&] { saved.run(function, {{"x", HostTensor({f32, shape})}}); });
    };
    EXPECT_THAT(refused("across", {3, 3, 6, 6}), ::testing::HasSubstr("a function takes any batch if"));
    EXPECT_THAT(refused("loss", {3, 3, 6, 6}), ::testing::HasSubstr("compile the model again"));
  }
}

// A function may fit a batch of one or two samples by chance: a table of two rows fits two samples only, and
// squeeze removes a dimension of size 1.
TEST(SavedProgram, ABatchOfOneOrTwoSamplesProvesNothing) {
  const TemporaryFolder folder;
  for (const int64_t n : {1, 2}) {
    Graph g;
    const Tensor x = g.input("x", f32, {n, 3});
    g.function("table", {x}, {{"y", x + g.variable("v", f32, {n, 3}, Initializer::uniform(0, 1))}});
    g.function("squeezed", {x}, {{"y", squeeze(x)}});
    g.function("turned", {x}, {{"y", squeeze(transpose(x, {.permutation = {1, 0}}))}});
    g.function("rows", {x}, {{"y", x * 2}});
    save_program(g, {.devices = "reference:0"}, folder.path("p.cutset"));
    SavedProgram saved = load_program(folder.path("p.cutset"));
    EXPECT_EQ(saved.takes_any_batch("table"), n == 1);  // one row is added to each sample
    EXPECT_FALSE(saved.takes_any_batch("squeezed"));
    EXPECT_FALSE(saved.takes_any_batch("turned"));
    EXPECT_TRUE(saved.takes_any_batch("rows"));
  }
}

// Returns a graph without images. Its file is small, so random changes are likely to hit every part of it.
Graph tiny() {
  Graph g(3);
  Tensor x = g.input("x", f32, {4, 6}), y = g.input("y", i32, {4});
  g.minimize(mean(softmax_cross_entropy(nn::dense("b", tanh(nn::dense("a", x, 5)), 3), y)), {});
  return g;
}

TEST(SavedProgram, FlippedBitsAndTruncationsAreFound) {
  const TemporaryFolder folder;
  save_program(tiny(), {.devices = "reference:0,sim:0", .strategy = "data(2)"}, folder.path("p.cutset"));
  const std::string good = contents(folder.path("p.cutset"));
  PhiloxSequence random(1, 2);
  for (int i = 0; i < 1000; ++i) {
    std::string bad = good;
    bad[random.below(bad.size())] ^= static_cast<char>(1 << random.below(8));
    write(folder.path("q.cutset"), bad);
    EXPECT_FALSE(read_program(folder.path("q.cutset")).ok());
  }
  for (int i = 0; i < 100; ++i) {
    write(folder.path("q.cutset"), good.substr(0, random.below(good.size())));
    EXPECT_FALSE(read_program(folder.path("q.cutset")).ok());
  }
  EXPECT_TRUE(read_program(folder.path("p.cutset")).ok());
}

// A file with a correct checksum and random contents is either refused, or holds a program that runs to its
// end.
TEST(SavedProgram, WrongContentsWithACorrectChecksumAreRefusedOrHarmless) {
  const TemporaryFolder folder;
  save_program(tiny(), {.devices = "reference:0,sim:0", .strategy = "data(2)"}, folder.path("p.cutset"));
  const std::string good = contents(folder.path("p.cutset"));
  constexpr size_t kHeader = 24;
  PhiloxSequence random(7, 2);
  int refused = 0, ran = 0;
  for (int i = 0; i < 1000; ++i) {
    std::string bad = good;
    for (uint64_t changes = 1 + random.below(3); changes > 0; --changes) {
      const size_t at = kHeader + random.below(bad.size() - kHeader);
      bad[at] = static_cast<char>(random.below(4) == 0 ? 0xff : random.below(256));
    }
    const auto sum = static_cast<uint32_t>(crc32(crc32(0, nullptr, 0),
                                                 reinterpret_cast<const Bytef*>(bad.data() + kHeader),
                                                 static_cast<uInt>(bad.size() - kHeader)));
    std::memcpy(bad.data() + 12, &sum, sizeof sum);
    write(folder.path("q.cutset"), bad);
    auto read = read_program(folder.path("q.cutset"));
    if (!read) {
      ++refused;
      continue;
    }
    auto devices = describe_devices({.devices = "reference:0,sim:0"});
    if (read->program.devices.size() != devices->size()) continue;
    const auto forecasts = forecast(read->program, *devices);
    if (!forecasts) continue;
    uint64_t bytes = 0;
    for (const DeviceForecast& f : *forecasts) bytes += f.total();
    if (bytes > 1 << 24) continue;
    auto executor = Executor::open(*devices);
    auto executable = Executable::load(**executor, read->program);
    if (!executable) continue;
    for (const auto& [name, value] : read->variables) (void)(*executor)->variables().write(name, value);
    for (const Function& f : (*executable)->program().functions) {
      uint64_t input_bytes = 0;
      for (const Port& p : caller_inputs(f)) input_bytes += static_cast<uint64_t>(p.type.bytes());
      if (input_bytes > 1 << 24)
        continue;  // the forecast does not count inputs, which are the caller's memory
      std::vector<HostTensor> values;
      std::vector<const HostTensor*> inputs;
      for (const Port& p : caller_inputs(f)) values.emplace_back(p.type);
      for (const HostTensor& v : values) inputs.push_back(&v);
      (void)(*executable)->run(f.name, inputs);
    }
    ++ran;
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(ran, 10);
}

}  // namespace
}  // namespace cutset::testing
