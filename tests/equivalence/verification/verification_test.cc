// SPDX-License-Identifier: Apache-2.0
// Tests which differences `verify` finds, which it accepts, and which mistakes are errors instead of
// differences.
#include "frontends/cpp/inspect/verification.h"

#include <cutset/random_batch.h>
#include <cutset/testing.h>
#include <gmock/gmock.h>

#include "frontends/models/models.h"
#include "tests/equivalence/support/runs.h"

namespace cutset::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

Graph dense(int64_t batch, const Sgd& optimizer = {0.05, 0.9}) {
  return models::find("mlp").build({batch, 1, optimizer});
}
std::vector<Batch> noises(const std::vector<int64_t>& sizes) {
  std::vector<Batch> batches;
  for (const int64_t n : sizes) batches.push_back(noise(n, 1, batches.size()));
  return batches;
}

TEST(Verification, BatchesOfSeveralShapesAreTheSame) {
  for (const auto& [devices, strategy] :
       {std::pair("reference:0", ""), std::pair("reference:0,sim:0", "data(2)"),
        std::pair("reference:0,sim:0", "pipeline(2, micro_batches=1)")}) {
    const VerifyResult r = verify(dense(8), {.devices = devices, .strategy = strategy}, noises({8, 5, 8, 1}));
    EXPECT_TRUE(r.same) << devices << " " << strategy << ": " << r.first;
  }
}

// The program for a larger batch takes the memory of the programs for smaller batches.
TEST(Verification, ABatchSizeComesBackAfterALargerOne) {
  const auto graph = [](int64_t batch) {
    Graph g;
    Tensor x = g.input("x", f32, {batch, 4}), y = g.input("y", i32, {batch});
    g.minimize(mean(softmax_cross_entropy(nn::dense("b", tanh(nn::dense("a", x, 5)), 3), y)), {0.05, 0.9});
    return g;
  };
  for (const auto& [devices, strategy] :
       {std::pair("reference:0", ""), std::pair("reference:0,sim:0", "data(2)"),
        std::pair("reference:0,sim:0", "pipeline(2, micro_batches=1)"),
        std::pair("reference:0,sim:0", "pipeline(2, micro_batches=3)"),
        std::pair("reference:0,sim:0", "tensor(2)")})
    for (const std::vector<int64_t>& sizes :
         std::vector<std::vector<int64_t>>{{8, 12, 8}, {3, 12, 8, 12, 3}, {8, 12, 5, 12, 5, 8}}) {
      std::vector<Batch> batches;
      for (const int64_t n : sizes) batches.push_back(random_batch(graph(n), batches.size()));
      const VerifyResult r = verify(graph(8), {.devices = devices, .strategy = strategy}, batches);
      EXPECT_TRUE(r.same) << devices << " " << strategy << ", " << sizes.size() << " batches: " << r.first;
    }
}

TEST(Verification, GivenBatchesAreTheOnlyOnes) {
  const auto one = verify(dense(9), {.devices = "reference:0"}, noises({5}));
  EXPECT_TRUE(one.same) << one.first;
  const auto result = same_on(dense(9), "reference:0", "", noises({5}));
  EXPECT_TRUE(result);
  EXPECT_THAT(result.text, HasSubstr(std::to_string(one.ops) + " ops"));
}

// Equal ops that the user places on different devices stay two values in both programs.
TEST(Verification, EqualOpsOnTwoDevicesAreTheSame) {
  Graph g;
  Tensor x = g.input("x", f32, {6, 4}), w = g.variable("w", f32, {4}, Initializer::uniform(-1, 1));
  Tensor y = x * w, a, b, c, d;
  {
    DeviceScope device(g, "reference:0");
    a = tanh(y);
    c = tanh(y);
  }
  {
    DeviceScope device(g, "sim:0");
    b = tanh(y);
  }
  d = tanh(y);
  g.minimize(mean(a * b + c * d), {});
  EXPECT_SAME_ON(g, "reference:0,sim:0", "pipeline(2, micro_batches=1)");
}

// The zeros are few enough to be folded. The first device sends them. One device alone would need only their
// reshaped form.
TEST(Verification, AFoldedValueThatCrossesTheCutIsTheSame) {
  Graph g;
  Tensor x = g.input("x", f32, {16, 16}), zeros;
  {
    DeviceScope device(g, "reference:0");
    zeros = ops::expand(g.constant(HostTensor::scalar(0.F)), x);
  }
  {
    DeviceScope device(g, "sim:0");
    g.output("y", reshape(x, {.shape = {256}}) + reshape(zeros, {.shape = {256}}));
  }
  EXPECT_SAME_ON(g, "reference:0,sim:0", "pipeline(2, micro_batches=1)");
}

// Both programs compute NaN and agree, so the report must name the values that are not finite.
TEST(Verification, ValuesThatAreNotFiniteAreNamed) {
  std::vector<Batch> batches = noises({8});
  const CompileOptions two = {.devices = "reference:0,sim:0", .strategy = "data(2)"};
  EXPECT_EQ(verify(dense(8), two, batches).not_finite, "");
  batches[0].at("image").as<float>()[3] = std::numeric_limits<float>::quiet_NaN();
  const VerifyResult r = verify(dense(8), two, batches);
  EXPECT_TRUE(r.same) << r.first;
  EXPECT_THAT(r.not_finite, ::testing::MatchesRegex("step 1 of 'train': .*nan.*"));
  const std::vector<Batch> zeros = {{{"x", HostTensor({f32, {4}})}}};
  {  // The loss is finite, and a gradient is not.
    Graph g;
    Tensor x = g.input("x", f32, {4}), w = g.variable("w", f32, {4}, Initializer::zeros());
    g.minimize(mean(x + sqrt(w)), {});
    EXPECT_EQ(verify(g, {.devices = "reference:0"}, zeros).not_finite,
              "step 1 of 'train': the gradient of variable 'w' is inf at element [0]");
  }
  {  // The loss and the gradients are finite, and another result is not.
    Graph g;
    Tensor x = g.input("x", f32, {4}), w = g.variable("w", f32, {4}, Initializer::zeros());
    g.minimize(mean(x + w), {});
    g.output("log", mean(log(x - 1)));
    EXPECT_EQ(verify(g, {.devices = "reference:0"}, zeros).not_finite,
              "step 1 of 'train': result 'log' is nan");
  }
  {  // A function that does not train may return infinity, but NaN is named.
    Graph g;
    Tensor x = g.input("x", f32, {4});
    g.output("log", log(x));
    EXPECT_EQ(verify(g, {.devices = "reference:0"}, zeros).not_finite, "");
    g.output("nan", log(x - 1));
    EXPECT_EQ(verify(g, {.devices = "reference:0"}, zeros).not_finite,
              "step 1 of 'evaluate': result 'nan' is nan at element [0]");
  }
}

// Kernels of f16 and bf16 round their results, so results differ by roundings of these types, not of f32.
// Kernels add in f32, so the bound of a long sum is far below the magnitudes of its terms.
TEST(Verification, BoundsFitTheElementType) {
  for (const DType type : {DType::f16, DType::bf16}) {
    Graph g;
    Tensor x = g.input("x", f32, {8, 3, 9, 9}),
           w = g.variable("w", f32, {8, 3, 3, 3}, Initializer::uniform(-1, 1));
    Tensor t = g.input("t", f32, {8, 512}), u = g.variable("u", f32, {512, 512}, Initializer::uniform(-1, 1));
    const auto half = [&](const Tensor& wide) { return cast(wide, {.dtype = type}); };
    g.output("y", cast(tanh(conv(half(x), half(w))), {.dtype = f32}));
    g.output("z", cast(matmul(half(t), half(u)), {.dtype = f32}));
    EXPECT_SAME_ON(g, "cpu:0", "") << name_of(type);
    EXPECT_SAME_ON(g, "cpu:0,cpu:1", "tensor(2)") << name_of(type);
    for (uint64_t seed = 0; seed < 12; ++seed) {
      const std::vector<Batch> batch{random_batch(g, seed)};
      for (const char* mutation :
           {"wrong-kernel", "wrong-axis"}) {  // wrong-axis transposes a factor of the product
        const VerifyResult wrong = verify(g, {.devices = "cpu:0"}, batch, {mutation, seed});
        EXPECT_FALSE(wrong.same) << wrong.mutation;
      }
    }
  }
}

TEST(Verification, AWrongBatchOrDeviceIsAnErrorAndNotADifference) {
  auto batches = noises({4});
  batches[0]["label"] = HostTensor({f32, {4}});
  EXPECT_THROW(verify(dense(4), {.devices = "reference:0"}, batches), Error);
  batches[0].erase("label");
  EXPECT_THROW(verify(dense(4), {.devices = "reference:0"}, batches), Error);
  EXPECT_THROW(verify(dense(4), {.devices = "nowhere:0"}, noises({4})), Error);
}

// A tolerance relative to the size of a variable would be far larger than an update with a small learning
// rate.
TEST(Verification, ASmallUpdateThatIsMadeTwiceIsFound) {
  for (const double rate : {0.05, 1e-4, 1e-7}) {
    const CompileOptions options{.devices = "reference:0"};
    const auto sound = verify(dense(8, {rate, 0}), options, noises({8}));
    EXPECT_TRUE(sound.same) << rate << ": " << sound.first;
    for (uint64_t seed = 0; seed < 4; ++seed)
      for (const char* mutation : {"update-twice", "dropped-update"}) {
        const auto wrong = verify(dense(8, {rate, 0}), options, noises({8}), {mutation, seed});
        EXPECT_FALSE(wrong.same) << rate << ": " << wrong.mutation;
      }
  }
}

Verification prepared(const Graph& graph, const char* devices, const char* strategy,
                      const std::vector<Batch>& batches) {
  return check(Verification::prepare(*graph.state(), {.devices = devices, .strategy = strategy}, batches));
}

TEST(Verification, ADifferenceSaysWhereItIs) {
  const auto batches = noises({6});
  const Verification v = prepared(dense(6), "reference:0,sim:0", "data(2)", batches);
  const auto sites = mutation_sites(v.program(), Mutation::kWrongKernel, v.devices());
  ASSERT_FALSE(sites.empty());
  const Mutant mutant = mutate(v.program(), Mutation::kWrongKernel, sites.back(), v.devices());
  const VerifyReport report = check(v.run(mutant.program, batches));
  ASSERT_FALSE(report.differences.empty());
  const Difference& d = report.differences.front();
  const Function& f = *mutant.program.find(d.function);
  const auto plan = std::find_if(f.devices.begin(), f.devices.end(),
                                 [&](const DevicePlan& p) { return p.device == d.device; });
  ASSERT_NE(plan, f.devices.end());
  const Sequence& s = plan->queues[static_cast<int>(d.queue)];
  EXPECT_EQ((d.apply ? s.apply : s.compute).at(static_cast<size_t>(d.instruction)).op(), d.op);
  EXPECT_TRUE(names(d, mutant));
  Difference other = d;
  other.instruction += 1000;
  EXPECT_FALSE(names(other, mutant));
  other = d;
  other.function = "another";
  EXPECT_FALSE(names(other, mutant));
}

TEST(Verification, ADeadlockIsADifference) {
  const auto batches = noises({4});
  const Verification v = prepared(dense(4), "reference:0,sim:0", "data(2)", batches);
  Program program = v.program();
  auto& list = program.functions[0].devices[0].queues[static_cast<int>(Queue::kOut)].compute;
  const auto start =
      std::find_if(list.begin(), list.end(), [](const Instruction& i) { return i.is<StartAllReduce>(); });
  ASSERT_NE(start, list.end());
  list.erase(start);
  const VerifyReport report = check(v.run(program, batches));
  EXPECT_TRUE(report.stuck);
  ASSERT_FALSE(report.differences.empty());
  EXPECT_THAT(report.differences.back().text(),
              HasSubstr("waits for a sum of which one partial sum is never started"));
}

// The rounding error of a sum depends on the size of its terms, even if they cancel, and on the order of
// summation.
TEST(Verification, CancellingSumsAreNotReported) {
  Graph g;
  Tensor x = g.input("x", f32, {64, 64});
  Tensor both = ops::scale(x - transpose(x, {.permutation = {1, 0}}), {.factor = 1e3});
  g.output("zero", sum(both));  // the terms cancel in pairs
  std::vector<Batch> batches;
  for (uint64_t seed = 1; seed < 9; ++seed) batches.push_back(random_batch(g, seed));
  for (const auto& [devices, strategy] :
       {std::pair("cpu:0", ""), std::pair("opencl:0", ""), std::pair("cpu:0,opencl:0", "data(2)"),
        std::pair("reference:0,sim:0", "data(2, shares=5:3)")})
    if (have(devices)) EXPECT_SAME_ON(g, devices, strategy, batches);
}

// The values inside a fused op have no buffer. The result of the fused op has the rounding errors of all its
// ops.
TEST(Verification, CancellingSumsInFusedOpsAreNotReported) {
  Graph g;
  Tensor x = g.input("x", f32, {16, 64}), y = g.input("y", f32, {64, 8}), bias = g.input("bias", f32, {8});
  Tensor zero =
      matmul(concat({x, neg(x)}, {.axis = 1}), concat({y, y}, {.axis = 0}));  // the terms cancel in pairs
  g.output("small", relu(zero + ops::scale(bias, {.factor = 1e-9})));
  std::vector<Batch> batches;
  for (uint64_t seed = 1; seed < 9; ++seed) batches.push_back(random_batch(g, seed));
  for (const char* devices : {"cpu:0", "opencl:0"})
    if (have(devices)) EXPECT_SAME_ON(g, devices, "", batches);
}

TEST(Verification, AWrongResultOfAFusedOpIsFound) {
  Graph g;
  Tensor x = g.input("x", f32, {16, 64}), y = g.input("y", f32, {64, 8}), bias = g.input("bias", f32, {8});
  g.output("z", relu(matmul(x, y) + bias));
  const std::vector<Batch> batches = {random_batch(g, 1)};
  const Verification v = prepared(g, "cpu:0", "", batches);
  Program program = v.program();
  auto& list = program.functions[0].devices[0].queues[static_cast<int>(Queue::kCompute)].compute;
  const auto fused =
      std::find_if(list.begin(), list.end(), [](const Instruction& i) { return i.op() == "fused_matmul"; });
  ASSERT_NE(fused, list.end()) << "nothing was fused";
  EXPECT_TRUE(check(v.run(program, batches)).differences.empty());
  for (auto& [name, value] : fused->as<RunKernel>()->attributes)
    if (name == "relu") value = false;
  const VerifyReport report = check(v.run(program, batches));
  ASSERT_FALSE(report.differences.empty());
  EXPECT_EQ(report.differences.front().op, "fused_matmul");
}

}  // namespace
}  // namespace cutset::testing
