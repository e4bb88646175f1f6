// SPDX-License-Identifier: Apache-2.0
// Tests tensor parallelism. A transformer whose operands are divided over devices gives the results of one
// device. The compiler chooses the divisions that need the fewest collectives.
#include <cutset/explain.h>
#include <cutset/testing.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "frontends/cpp/graph/graph_state.h"
#include "frontends/cpp/session/configure.h"
#include "runtime/program/check/check_program.h"
#include "tests/equivalence/support/as_on_one_device.h"
#include "tests/equivalence/support/loss_forms.h"
#include "tests/equivalence/support/runs.h"
#include "tests/errors.h"
#include "tests/temporary_folder.h"

namespace cutset::testing {
namespace {

using ::testing::HasSubstr;

struct Sizes {
  int64_t rows = 4, width = 8, heads = 4, hidden = 32, blocks = 2;
  // Whether the heads of the attention are a dimension of their weights. Otherwise, a reshape divides the
  // columns of a product into heads.
  bool weights_have_heads = true;
};

// Returns a transformer over the rows of an image.
Graph transformer(int64_t batch, uint64_t seed, const Sizes& s) {
  Graph g(seed);
  Tensor image = g.input("image", f32, {batch, 1, 28, 28}), label = g.input("label", i32, {batch});
  const int64_t columns = 784 / s.rows, size = s.width / s.heads;
  const auto weight = [&](const std::string& name, const Shape& shape, double bound) {
    return g.variable(name, f32, shape, Initializer::uniform(-bound, bound));
  };
  Tensor x = nn::dense("in", reshape(image, {.shape = {0, s.rows, columns}}), s.width);
  for (int64_t b = 0; b < s.blocks; ++b) {
    const std::string block = "block" + std::to_string(b) + "/";
    const double bound = 1 / std::sqrt(static_cast<double>(s.width));
    Tensor n = nn::layer_norm(block + "norm1", x);
    const auto heads = [&](const std::string& name) {  // [batch, heads, rows, size]
      if (s.weights_have_heads)
        return matmul(reshape(n, {.shape = {0, 1, s.rows, s.width}}),
                      weight(block + name, {s.heads, s.width, size}, bound));
      Tensor columns = matmul(n, weight(block + name, {s.width, s.width}, bound));
      return transpose(reshape(columns, {.shape = {0, s.rows, s.heads, size}}),
                       {.permutation = {0, 2, 1, 3}});
    };
    Tensor query = heads("query"), key = heads("key"), value = heads("value");
    Tensor attention = matmul(softmax(matmul(query, key, {.transpose_y = true})), value);
    if (s.weights_have_heads) {
      x = x + sum(matmul(attention, weight(block + "output", {s.heads, size, s.width}, bound)), {1});
    } else {
      Tensor columns =
          reshape(transpose(attention, {.permutation = {0, 2, 1, 3}}), {.shape = {0, s.rows, -1}});
      x = x + matmul(columns, weight(block + "output", {s.width, s.width}, bound));
    }
    Tensor up = weight(block + "up", {s.width, s.hidden}, bound),
           down = weight(block + "down", {s.hidden, s.width}, bound);
    x = x + matmul(tanh(matmul(nn::layer_norm(block + "norm2", x), up)), down);
  }
  Tensor logits = nn::dense("out", mean(nn::layer_norm("norm", x), {1}), 10);
  g.minimize(mean(softmax_cross_entropy(logits, label)), {.learning_rate = 0.05, .momentum = 0.9});
  return g;
}
Graph small_transformer(int64_t batch, uint64_t seed) { return transformer(batch, seed, {}); }
Graph small_transformer_with_reshapes(int64_t batch, uint64_t seed) {
  return transformer(batch, seed, {.width = 12, .weights_have_heads = false});
}

Program compiled(const Graph& graph, const std::string& devices, const std::string& strategy) {
  const CompileConfig config = check(configure({.devices = devices, .strategy = strategy}));
  Program program = check(graph.state()->builder->snapshot()->compile(config)).program;
  EXPECT_TRUE(check_program(program).ok()) << check_program(program).error().what;
  return program;
}

// Returns the dimension along which each variable of the user is divided.
std::map<std::string, int32_t> axes(const Program& p) {
  std::map<std::string, int32_t> axes;
  for (const Variable& v : p.variables)
    if (v.state_of.empty()) axes[v.name] = v.axis;
  return axes;
}

TEST(TensorParallel, ATransformerTrainsAsOnOneDevice) {
  const Split splits[] = {
      {"sim:0,reference:0", "tensor(2)"},
      {"sim:0,reference:0,sim:1", "tensor(3)"},
      {"sim:0,reference:0,sim:1,sim:2", "data(2, shares=5:2) * tensor(2)"},
      {"sim:0,reference:0,sim:1,reference:1", "model * tensor(2)"},
      {"sim:0,reference:0", "pipeline(1, micro_batches=3) * tensor(2)"},
      {"sim:0,reference:0,sim:1,reference:1", "pipeline(2, micro_batches=3) * tensor(2)"},
      {"sim:0,reference:0,sim:1,reference:1", "pipeline(2, micro_batches=3, schedule=zb-h1) * tensor(2)"},
      {"sim:0,reference:0,sim:1,reference:1,sim:2,sim:3",
       "pipeline(2, micro_batches=3, schedule=interleaved) * tensor(3)"},
      {"sim:0,reference:0,sim:1,reference:1,sim:2,sim:3,sim:4,sim:5",
       "data(2, shares=5:2) * pipeline(2, micro_batches=2) * tensor(2)"}};
  for (const auto& graph : {small_transformer, small_transformer_with_reshapes})
    expect_as_on_one_device({"", graph, {7, 7, 3}, "", ""}, splits);
  const Program p = compiled(small_transformer(7, 7), "sim:0,reference:0", "tensor(2)");
  EXPECT_EQ(axes(p).at("block0/query"), 0) << "the heads must be divided, or the test shows nothing";
  EXPECT_EQ(axes(p).at("block1/up"), 1);
}

// Four heads of three columns are divided over three devices as 2, 1 and 1 heads, so no piece of the columns
// ends in a head.
TEST(TensorParallel, HeadsThatAReshapeMakesAreDivided) {
  const Program p = compiled(small_transformer_with_reshapes(7, 7), "sim:0,reference:0,sim:1", "tensor(3)");
  for (const Variable& v : p.variables) {
    if (v.name == "block0/query" || v.name == "block1/value") {
      EXPECT_EQ(v.axis, 1) << v.name;
      EXPECT_EQ(v.piece_unit, 3) << v.name;
    }
    if (v.name == "block0/output") {
      EXPECT_EQ(v.axis, 0);
      EXPECT_EQ(v.piece_unit, 3);
    }
  }
  EXPECT_EQ(axes(p).count("block0/query"), 1u);
}

TEST(TensorParallel, ATransformerOnUnlikeDevicesIsVerified) {
  EXPECT_SAME_ON(small_transformer(7, 7), "sim:0,reference:0,sim:1", "tensor(3)");
  EXPECT_SAME_ON(small_transformer_with_reshapes(7, 7), "sim:0,reference:0,sim:1", "tensor(3)");
  EXPECT_SAME_ON(small_transformer(7, 7), "sim:0,reference:0,sim:1,sim:2", "data(2) * tensor(2)");
  EXPECT_SAME_ON(small_transformer(7, 7), "sim:0,reference:0,sim:1,reference:1,sim:2,sim:3,sim:4,sim:5",
                 "data(2) * pipeline(2, micro_batches=2) * tensor(2)");
  // The sum over the axis adds partial sums that are also partial sums of a micro-batch.
  EXPECT_SAME_ON(attention_loss(13, 7), "sim:0,reference:0", "pipeline(1, micro_batches=3) * tensor(2)");
  if (have("cpu:0,opencl:0")) EXPECT_SAME_ON(small_transformer(7, 7), "cpu:0,opencl:0", "tensor(2)");
}

// The attention and the multilayer perceptron need one all_reduce each, in each direction. This is the
// division of Megatron-LM. A reduce_scatter before the residual and an all_gather after the layer
// normalization together send as many bytes as an all_reduce, and the ops between them are also divided.
// Every op of `reference` takes two seconds, and every op of `sim` takes one second. The slowest device of a
// tensor axis decides, so two of eight layers are in its stage, whether it is the first or the second device
// of the axis.
TEST(TensorParallel, TheSlowestDeviceOfAStageDecides) {
  const TemporaryFolder folder;
  const std::string path = folder.path("devices.json");
  const std::string rest =
      R"("flops_per_second": 1e30, "bytes_per_second": 1e30, "link_seconds": 1e-9, "link_bytes_per_second": 1e30)";
  std::string models = R"({"reference:0": {"launch_seconds": 2, )" + rest + "}";
  for (const char* sim : {"sim:0", "sim:1", "sim:2"})
    models += std::string(", \"") + sim + R"(": {"launch_seconds": 1, )" + rest + "}";
  std::ofstream(path) << models << "}";
  for (const char* devices : {"reference:0,sim:0,sim:1,sim:2", "sim:0,reference:0,sim:1,sim:2"}) {
    Graph g(1);
    Tensor h = g.input("x", f32, {4, 3});
    for (int i = 0; i < 8; ++i) h = tanh(h);
    g.output("y", h);
    std::map<std::string, int> layers;
    for (const auto& op :
         explain(g, {.devices = devices, .strategy = "model * tensor(2)", .device_file = path}).ops)
      layers[op.device] += op.op == "tanh";
    const std::map<std::string, int> want = {{"reference:0", 2}, {"sim:0", 2}, {"sim:1", 6}, {"sim:2", 6}};
    EXPECT_EQ(layers, want) << devices;
  }
}

Graph annotated(int64_t batch, int dimension) {
  Graph g(7);
  Tensor x = g.input("x", f32, {batch, 6});
  Tensor w = g.variable("w", f32, {6, 4}, Initializer::uniform(-1, 1));
  g.shard(w, {"tensor", dimension});
  g.minimize(mean(tanh(matmul(x, w)), {}), {.learning_rate = 0.1, .momentum = 0.9});
  return g;
}

// The variable is so small that the compiler would not divide it.
TEST(Sharding, OfTheUserIsTaken) {
  for (const int dimension : {0, 1}) {
    const Program p = compiled(annotated(5, dimension), "sim:0,reference:0,sim:1", "tensor(3)");
    for (const Variable& v : p.variables) {
      EXPECT_EQ(v.axis, dimension) << v.name;
      EXPECT_EQ(v.pieces, 3) << v.name;
    }
    EXPECT_SAME_ON(annotated(5, dimension), "sim:0,reference:0,sim:1", "tensor(3)");
    EXPECT_SAME_ON(annotated(5, dimension), "sim:0,reference:0", "data(2)");  // has no tensor axis
  }
}

TEST(Sharding, MistakesAreErrorsAtTheirLine) {
  Graph g = annotated(5, 0);
  Tensor y = g.variable("v", f32, {2, 3}, Initializer::uniform(-1, 1));
  const auto refusal = [&](const Tensor& t, const Sharding& s, int& line) {
    line = __LINE__ + 1;
    return error_of([&] { g.shard(t, s); });
  };
  int line = 0;
  EXPECT_THAT(refusal(y, {"rows", 0}, line), HasSubstr("there is no axis 'rows' that divides variables"));
  EXPECT_THAT(refusal(y, {"tensor", 2}, line),
              HasSubstr("'v' has 2 dimensions, and there is no dimension 2"));
  EXPECT_THAT(refusal(y, {"tensor", -1}, line), HasSubstr("there is no dimension -1"));
  EXPECT_THAT(refusal(y * 2.0, {"tensor", 0}, line), HasSubstr("shard needs a variable"));
  EXPECT_EQ(refusal(y, {"tensor", 1}, line), "no error");
  const std::string twice = refusal(y, {"tensor", 0}, line);
  EXPECT_THAT(twice, HasSubstr("'v' has a sharding already"));
  EXPECT_THAT(twice, HasSubstr("tensor_test.cc:" + std::to_string(line)));
  const std::string small = error_of([&] {
    compile(annotated(5, 1), {.devices = "sim:0,sim:1,sim:2,sim:3,sim:4", .strategy = "tensor(5)"});
  });
  EXPECT_THAT(
      small,
      HasSubstr("is to be divided along dimension 1 over 5 devices, and cannot be: the dimension has 4 "
                "elements, and each of the 5 devices needs one (choose another dimension"));
  EXPECT_THAT(small, HasSubstr("tensor_test.cc:"));
  const std::string uneven = error_of([&] {
    compile(annotated(5, 0),
            {.devices = "sim:0,sim:1,sim:2,sim:3", .strategy = "data(2, shard=optimizer) * tensor(2)"});
  });
  EXPECT_THAT(
      uneven,
      HasSubstr("cannot be: the 2 replicas divide the pieces again (shard=), so 4 equal pieces are needed, "
                "and the dimension has 6 elements"));
  EXPECT_THAT(uneven, Not(HasSubstr("needs one")));
  // The sharded variable is read by a function that does not train.
  g.function("other", {}, {{"v", y * 2.0}});
  const std::string unread =
      error_of([&] { compile(g, {.devices = "sim:0,sim:1", .strategy = "tensor(2)"}); });
  EXPECT_THAT(
      unread,
      HasSubstr(
          "along dimension 1 over 2 devices, and cannot be: 'train', whose ops decide how variables are "
          "divided, does not read it"));
}

class MegatronTest : public ::testing::TestWithParam<bool> {};
TEST_P(MegatronTest, ABlockSendsOneAllReducePerPairOfProductsAndDirection) {
  const bool has_heads = GetParam();
  const Sizes sizes{
      .rows = 56, .width = 512, .heads = 8, .hidden = 2048, .blocks = 2, .weights_have_heads = has_heads};
  const Program p = compiled(transformer(4, 7, sizes), "sim:0,sim:1", "tensor(2)");
  const Function& f = *p.find("train");
  const int64_t bytes = 4 * sizes.rows * sizes.width * 4;
  int64_t sent =
      0;  // by one of two devices; such a device sends as many bytes for an all_reduce as the sum has
  for (const Collective& c : f.collectives) sent += c.type.bytes();
  for (const Channel& c : f.channels)
    if (c.from == 0) sent += c.type.bytes();
  EXPECT_GE(sent, 4 * sizes.blocks * bytes) << "the test counts too little";
  // The rest is the gradient of the weights of `in`, which is a quarter of such a sum, and vectors.
  EXPECT_LT(sent, (4 * sizes.blocks + 0.5) * bytes) << static_cast<double>(sent) / bytes << " sums";
  const auto axis = axes(p);
  for (const std::string block : {"block0/", "block1/"}) {
    for (const char* name : {"query", "key", "value"})
      EXPECT_EQ(axis.at(block + name), has_heads ? 0 : 1) << name;
    EXPECT_EQ(axis.at(block + "output"), 0);
    EXPECT_EQ(axis.at(block + "up"), 1);
    EXPECT_EQ(axis.at(block + "down"), 0);
  }
  int64_t held = 0, all = 0;
  for (const Variable& v : p.variables) {
    all += v.type.bytes();
    held += v.type.bytes() / v.pieces;
  }
  EXPECT_LT(held, 0.52 * static_cast<double>(all)) << "each device holds about half of the variables";
}
INSTANTIATE_TEST_SUITE_P(TensorParallel, MegatronTest, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "HeadsOfWeights" : "HeadsOfAReshape"; });

}  // namespace
}  // namespace cutset::testing
