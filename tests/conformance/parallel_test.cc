// SPDX-License-Identifier: Apache-2.0
// Tests the kernels of the device `cpu` on several threads. Most of them use one thread for small problems,
// and the cases of the ops are small, so these tests add rows to the cases. The kernels NAME.parallel, which
// run the reference kernel, must give results that are bitwise equal to its results. The other kernels that
// Cutset implements must give the same bits on one thread.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>

#include "tests/conformance/on_device.h"

namespace cutset::testing {
namespace {

constexpr int kThreads = 3;

Types operand_types(const Case& c) {
  Types types;
  for (const Operand& o : c.operands) types.push_back(o.type);
  return types;
}

// Returns the case with enough rows that all operands together have at least 600 KiB. Returns nothing if the
// op does not split its rows, or if an attribute fixes their number. The number of rows is not a multiple of
// kThreads. If `type` is f64, the operands of type f32 become f64.
std::optional<Case> enlarged(const OpInfo& op, Case c, DType type) {
  auto flat = FlatAttrs::pack(op.schema, c.attributes);
  if (!flat.ok()) return {};
  for (Operand& o : c.operands)
    if (o.type.dtype == f32) o.type.dtype = type;
  if (!op.infer(flat->data(), operand_types(c)).ok()) return {};
  for (const Factor& f : op.shard(flat->data(), operand_types(c)).factors) {
    bool rows = f.is_parallel() && !f.first_step;
    for (int d : f.operands) rows &= d == 0 || d == kAbsent;
    for (size_t r = 0; r < f.results.size(); ++r)
      rows &= f.results[r] == 0 || (f.results[r] == kAbsent && r > 0);
    if (!rows) continue;
    int64_t bytes = 0;
    for (size_t i = 0; i < f.operands.size(); ++i)
      if (f.operands[i] == 0 && c.operands[i].type.shape[0] > 0)
        bytes += c.operands[i].type.bytes() / c.operands[i].type.shape[0];
    if (bytes == 0) continue;
    const int64_t count = (600 * 1024 / bytes + kThreads) / kThreads * kThreads + 1;
    for (size_t i = 0; i < f.operands.size(); ++i)
      if (f.operands[i] == 0) c.operands[i].type.shape[0] = count;
    auto out = op.infer(flat->data(), operand_types(c));
    if (out.ok() && !(*out)[0].shape.empty() && (*out)[0].shape[0] == count) return c;
    return {};
  }
  return {};
}

// Draws operands whose first 4,099 elements are random. The other elements repeat them, because drawing all
// elements took most of the time of these tests. The number is prime, so two rows are equal only if they are
// a multiple of 4,099 rows apart. Operands with distinct elements are drawn as a whole.
std::vector<HostTensor> draw_repeating(const Case& c, uint64_t seed) {
  constexpr int64_t kDrawn = 4099;
  Case part = c;
  for (Operand& o : part.operands)
    if (o.fill.kind != Fill::Kind::kDistinct && o.type.elements() > kDrawn) o.type.shape = {kDrawn};
  std::vector<HostTensor> in = draw(part, seed);
  for (size_t i = 0; i < in.size(); ++i) {
    HostTensor all(c.operands[i].type);
    const size_t drawn = in[i].bytes().size();
    for (size_t at = 0; at < all.bytes().size(); at += drawn)
      std::memcpy(all.data() + at, in[i].data(), std::min(drawn, all.bytes().size() - at));
    in[i] = std::move(all);
  }
  return in;
}

std::unique_ptr<OpenDevice> open_cpu(int threads = kThreads) {
  auto devices = describe_devices({.devices = "cpu:0", .threads = threads});
  if (!devices.ok()) return nullptr;
  auto device = OpenDevice::open((*devices)[0]);
  return device.ok() ? *std::move(device) : nullptr;
}

TEST(ParallelKernels, GiveTheBitsOfTheReferenceKernel) {
  auto device = open_cpu();
  if (!device) GTEST_SKIP() << "the device cpu is not available";
  size_t ops = 0;
  for (const OpInfo* op : all_ops()) {
    const OpCases cases = op->cases();
    int large = 0, parallel = 0;
    for (const Case& small : cases.fixed)
      for (const DType type : {f32, f64}) {
        const auto big = op->positional ? std::nullopt : enlarged(*op, small, type);
        if (!big) continue;
        ++large;
        const auto in = draw_repeating(*big, 11);
        std::string kernel;
        auto got = run_on(*device, *op, *big, in, &kernel);
        ASSERT_TRUE(got.ok()) << op->name << ", case " << big->name << ": " << got.error().text();
        if (kernel != std::string(op->name) + ".parallel")
          continue;  // the op has a special kernel for these types
        ++parallel;
        auto want = run_reference(*op, *big, in);
        ASSERT_TRUE(want.ok()) << op->name << ": " << want.error().text();
        EXPECT_TRUE(*got == *want) << op->name << ", case " << big->name << ": "
                                   << compare(*got, *want, *big);
      }
    EXPECT_EQ(large > 0, parallel > 0) << op->name;
    ops += parallel > 0;
  }
  EXPECT_GT(2 * ops, all_ops().size()) << "fewer than half of the ops have a case whose rows can be split";
}

// oneDNN's products are left out, because the division of their sums depends on the number of threads.
TEST(ParallelKernels, GiveTheSameBitsOnOneThread) {
  auto device = open_cpu(), alone = open_cpu(1);
  if (!device || !alone) GTEST_SKIP() << "the device cpu is not available";
  std::map<std::string, int> compared;  // by kernel
  for (const OpInfo* op : all_ops()) {
    for (const Case& small : op->cases().fixed) {
      const auto big = op->positional ? std::nullopt : enlarged(*op, small, f32);
      if (!big) continue;
      const auto in = draw_repeating(*big, 11);
      std::string kernel;
      auto got = run_on(*device, *op, *big, in, &kernel);
      ASSERT_TRUE(got.ok()) << op->name << ", case " << big->name << ": " << got.error().text();
      if (kernel.ends_with(".parallel") || kernel.ends_with(".reference")) continue;
      auto want = run_reference(*op, *big, in);
      ASSERT_TRUE(want.ok()) << op->name << ": " << want.error().text();
      EXPECT_EQ(compare(*got, *want, *big), "") << kernel << ", case " << big->name;
      ++compared[kernel];
      if (kernel.ends_with(".onednn")) continue;
      auto again = run_on(*alone, *op, *big, in, &kernel);
      ASSERT_TRUE(again.ok()) << op->name << ": " << again.error().text();
      EXPECT_TRUE(*got == *again) << kernel << ", case " << big->name;
    }
  }
  for (const char* kernel :
       {"conv.onednn", "fused_conv.onednn", "conv_transpose.onednn", "matmul.onednn", "transpose.onednn",
        "softmax.lines", "log_softmax_backward.lines", "erf.vectors", "gelu.vectors", "pow.vectors",
        "clip.vectors", "max_pool.windows", "max_pool_backward.windows", "layer_norm.rows",
        "softmax_cross_entropy.rows", "softmax_cross_entropy_backward.rows"})
    EXPECT_GT(compared[kernel], 0) << kernel;
}

// Writes numbers whose sum depends on the order of the additions, even in f64.
void make_cancel(HostTensor& t) {
  const double numbers[] = {1e17, 3, -1e17, 0.5, 7};
  for (int64_t i = 0; i < t.elements(); ++i) t.set(i, numbers[(i * 7 + i / 13) % 5]);
}

// The threads divide the columns. For every width, no column may be left out or counted twice. The order of
// the additions is the same as in the reference kernel.
TEST(ParallelKernels, SumColumnsWithTheBitsOfTheReference) {
  auto device = open_cpu();
  if (!device) GTEST_SKIP() << "the device cpu is not available";
  const OpInfo& op = *find_op("sum_to_size");
  const std::vector<std::pair<Shape, Shape>> shapes = {
      {{700, 300}, {300}},       {{40, 5000}, {5000}},     {{30000, 3}, {3}}, {{6, 50, 7, 33}, {6, 1, 7, 33}},
      {{5, 9, 1111}, {9, 1111}}, {{4, 90, 16}, {4, 1, 16}}};
  for (const auto& [x, like] : shapes) {
    const Case c{"columns", {}, {{{f32, x}}, {{f32, like}, {}, false}}};
    auto in = draw(c, 5);
    make_cancel(in[0]);
    std::string kernel;
    const auto got = run_on(*device, op, c, in, &kernel);
    ASSERT_TRUE(got.ok()) << got.error().text();
    EXPECT_EQ(kernel, "sum_to_size.columns");
    const auto want = run_reference(op, c, in);
    ASSERT_TRUE(want.ok()) << want.error().text();
    EXPECT_TRUE(*got == *want) << to_string(x) << ": " << compare(*got, *want, c);
  }
}

// Each thread sums other lines, and the bits do not depend on the number of threads.
TEST(ParallelKernels, SumLinesWithTheBitsOfOneThread) {
  auto device = open_cpu(), alone = open_cpu(1);
  if (!device || !alone) GTEST_SKIP() << "the device cpu is not available";
  const OpInfo& op = *find_op("sum_to_size");
  const std::vector<std::pair<Shape, Shape>> shapes = {{{4, 37, 19, 23}, {37, 1, 1}},
                                                       {{900, 65}, {900, 1}},
                                                       {{70, 5, 1100}, {5, 1}},
                                                       {{50000}, {}},
                                                       {{3000, 1}, {1}}};
  for (const auto& [x, like] : shapes) {
    Case c{"lines", {}, {{{f32, x}}, {{f32, like}, {}, false}}};
    c.relative = 1e-6;
    c.why = "another order of the additions in f64";
    const auto in = draw(c, 5);
    std::string kernel;
    const auto got = run_on(*device, op, c, in, &kernel), again = run_on(*alone, op, c, in, &kernel);
    ASSERT_TRUE(got.ok() && again.ok());
    EXPECT_EQ(kernel, "sum_to_size.lines");
    EXPECT_TRUE(*got == *again) << to_string(x);
    EXPECT_EQ(compare(*got, *run_reference(op, c, in), c), "") << to_string(x);
    auto cancelling = in;
    make_cancel(cancelling[0]);
    const auto some = run_on(*device, op, c, cancelling, &kernel),
               one = run_on(*alone, op, c, cancelling, &kernel);
    ASSERT_TRUE(some.ok() && one.ok());
    EXPECT_TRUE(*some == *one) << to_string(x);
  }
}

// Each thread looks at a part of a large tensor.
TEST(ParallelKernels, FindElementsThatAreNotFinite) {
  auto device = open_cpu();
  if (!device) GTEST_SKIP() << "the device cpu is not available";
  const OpInfo& op = *find_op("all_finite");
  const Case c{"large", {}, {{{f32, {7}}}, {{f32, {300001}}}}};
  const auto finite = draw(c, 5);
  const auto flag_of = [&](const std::vector<HostTensor>& in) {
    std::string kernel;
    const auto got = run_on(*device, op, c, in, &kernel);
    EXPECT_EQ(kernel, "all_finite.vectors");
    return got.ok() && (*got)[0].at(0) == 1;
  };
  EXPECT_TRUE(flag_of(finite));
  for (const double bad : {HUGE_VAL, -HUGE_VAL, std::nan("")})
    for (const int64_t at : {0, 99999, 100000, 150001, 200001, 300000}) {
      auto in = finite;
      in[1].set(at, bad);
      EXPECT_FALSE(flag_of(in)) << at << " " << bad;
    }
  auto in = finite;
  in[0].set(6, std::nan(""));  // the first thread looks at both operands
  EXPECT_FALSE(flag_of(in));
}

}  // namespace
}  // namespace cutset::testing
