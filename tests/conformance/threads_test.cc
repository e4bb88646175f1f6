// What a kernel plans depends on its device's threads, not on those of whoever asks.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "tests/conformance/on_device.h"

namespace cutset::testing {
namespace {

uint64_t scratch_of(const std::string& op, const Case& c, int threads) {
  auto devices = describe_devices({.devices = "cpu:0", .threads = threads});
  const OpInfo& info = *find_op(op);
  auto flat = FlatAttrs::pack(info.schema, c.attributes);
  Types in;
  for (const Operand& o : c.operands) in.push_back(o.type);
  auto out = info.infer(flat->data(), in);
  auto choice = (*devices)[0]->choose(info, flat->data(), in, *out);
  return *(*devices)[0]->scratch(choice->kernel, info, flat->data(), in, *out);
}

TEST(Threads, ScratchMemoryIsPlannedForTheDevicesOwn) {
  const auto kinds = kinds_here();
  if (std::find(kinds.begin(), kinds.end(), "cpu") == kinds.end()) GTEST_SKIP() << "cpu is not here";
  const Case big{"weights", {}, {{{f32, {64, 50, 8, 8}}}, {{f32, {64, 20, 12, 12}}}, {{f32, {50, 20, 5, 5}}}}};
  const std::string op = "conv2d_backward_filter";
  uint64_t alone[2];
  for (int i : {0, 1}) std::thread([&] { alone[i] = scratch_of(op, big, i ? 7 : 1); }).join();
  EXPECT_NE(alone[0], alone[1]) << "the problem should be one whose scratch memory depends on the threads";
  std::thread([&] {
    EXPECT_EQ(scratch_of(op, big, 1), alone[0]);
    EXPECT_EQ(scratch_of(op, big, 7), alone[1]);
    EXPECT_EQ(scratch_of(op, big, 1), alone[0]);
  }).join();
}

}  // namespace
}  // namespace cutset::testing
