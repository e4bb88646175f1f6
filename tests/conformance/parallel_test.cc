// Tests the kernels of the device `cpu` on several threads. Most of them use one thread for small problems, and the cases of the ops are small,
// so these tests add rows to the cases. The results of the kernels NAME.parallel, which run the reference kernel, must be bitwise equal to those of
// the reference kernel. The other kernels of ours must give the same bits on one thread.
#include <gtest/gtest.h>

#include <algorithm>
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

// Returns the case with enough rows for all operands together to have at least 600 KiB, or nothing if the op does not
// split its rows or an attribute fixes their number. The number of rows is not a multiple of kThreads. If `type` is
// f64, the operands of type f32 become f64.
std::optional<Case> enlarged(const OpInfo& op, Case c, DType type) {
  auto flat = FlatAttrs::pack(op.schema, c.attributes);
  if (!flat.ok()) return {};
  for (Operand& o : c.operands)
    if (o.type.dtype == f32) o.type.dtype = type;
  if (!op.infer(flat->data(), operand_types(c)).ok()) return {};
  for (const Factor& f : op.shard(flat->data(), operand_types(c)).factors) {
    bool rows = f.is_parallel() && !f.first_step;
    for (int d : f.operands) rows &= d == 0 || d == kAbsent;
    for (size_t r = 0; r < f.results.size(); ++r) rows &= f.results[r] == 0 || (f.results[r] == kAbsent && r > 0);
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
        const auto in = draw(*big, 11);
        std::string kernel;
        auto got = run_on(*device, *op, *big, in, &kernel);
        ASSERT_TRUE(got.ok()) << op->name << ", case " << big->name << ": " << got.error().text();
        if (kernel != std::string(op->name) + ".parallel") continue;  // the op has a kernel of its own for these types
        ++parallel;
        auto want = run_reference(*op, *big, in);
        ASSERT_TRUE(want.ok()) << op->name << ": " << want.error().text();
        EXPECT_TRUE(*got == *want) << op->name << ", case " << big->name << ": " << compare(*got, *want, *big);
      }
    EXPECT_EQ(large > 0, parallel > 0) << op->name;
    ops += parallel > 0;
  }
  EXPECT_GT(2 * ops, all_ops().size()) << "fewer than half of the ops have a case whose rows can be split";
}

// The products of oneDNN divide their sums in other ways on other numbers of threads.
TEST(ParallelKernels, GiveTheSameBitsOnOneThread) {
  auto device = open_cpu(), alone = open_cpu(1);
  if (!device || !alone) GTEST_SKIP() << "the device cpu is not available";
  std::map<std::string, int> compared;  // by kernel
  for (const OpInfo* op : all_ops()) {
    for (const Case& small : op->cases().fixed) {
      const auto big = op->positional ? std::nullopt : enlarged(*op, small, f32);
      if (!big) continue;
      const auto in = draw(*big, 11);
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
  for (const char* kernel : {"conv.onednn", "fused_conv.onednn", "conv_transpose.onednn", "matmul.onednn",
                             "transpose.onednn", "softmax.lines", "log_softmax_backward.lines", "erf.vectors",
                             "gelu.vectors", "pow.vectors", "clip.vectors", "max_pool.windows", "layer_norm.rows"})
    EXPECT_GT(compared[kernel], 0) << kernel;
}

}  // namespace
}  // namespace cutset::testing
