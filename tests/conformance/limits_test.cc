// SPDX-License-Identifier: Apache-2.0
// Tests that a kernel refuses problems that are too large for it, before anything is allocated.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/conformance/on_device.h"

namespace cutset::testing {
namespace {

// Returns the scratch memory of a convolution of x with 64 filters of 3x3, in bytes, or the reasons why the
// kernels of the device refuse it.
Result<uint64_t> scratch(const DeviceDescription& device, const char* name, const Shape& shape) {
  const TensorType x{f32, shape}, filter{f32, {64, shape[1], 3, 3}},
      y{f32, {shape[0], 64, shape[2], shape[3]}};
  const std::string op = name;
  const Types in = op == "conv"             ? Types{x, filter}
                   : op == "conv_transpose" ? Types{y, filter, x}
                                            : Types{y, x, filter};
  const OpInfo& info = *find_op(name);
  auto flat = FlatAttrs::pack(info.schema, {{"padding", std::vector<int64_t>{1, 1}}});
  CUTSET_ASSIGN(const Types out, info.infer(flat->data(), in));
  CUTSET_ASSIGN(const KernelChoice choice, device.choose(info, flat->data(), in, out));
  return device.scratch(choice.kernel, info, flat->data(), in, out);
}

constexpr const char* kConvolutions[] = {"conv", "conv_transpose", "conv_backward_filter"};

// The patches (im2col) of all 300 images have more than 2^31 elements, but the patches of a chunk of images
// take at most 64 MiB. conv_backward_filter also keeps one gradient of the filter.
TEST(Limits, TheScratchMemoryOfAConvolutionHoldsOneChunkOfImages) {
  auto devices = describe_devices({.devices = "opencl:0", .describe_only = true});
  if (!devices.ok()) GTEST_SKIP() << devices.error().text();
  for (const char* op : kConvolutions)
    for (const int64_t images : {300, 2000}) {
      auto bytes = scratch(*(*devices)[0], op, {images, 64, 112, 112});
      ASSERT_TRUE(bytes.ok()) << op << ": " << bytes.error().text();
      EXPECT_GT(*bytes, 32u << 20) << op;
      EXPECT_LE(*bytes, (64u << 20) + 64 * 64 * 3 * 3 * 4) << op;
    }
}

// Indices of 32 bits suffice for 2^31 - 1024 elements (kMostElements of backends/portable). The patches of
// one image have 64 * 3 * 3 elements per pixel. In the first problem they have 256 elements fewer than this
// limit, and in the second 320 more. Every tensor has fewer elements.
TEST(Limits, ScratchMemoryBeyondIndicesOf32BitsIsRefused) {
  auto devices = describe_devices({.devices = "opencl:0", .describe_only = true});
  if (!devices.ok()) GTEST_SKIP() << devices.error().text();
  for (const char* op : kConvolutions) {
    EXPECT_TRUE(scratch(*(*devices)[0], op, {1, 64, 1, 3728268}).ok()) << op;
    auto refused = scratch(*(*devices)[0], op, {1, 64, 1, 3728269});
    EXPECT_THAT(refused.ok() ? "" : refused.error().text(),
                ::testing::HasSubstr("scratch-memory indices fit into 32 bits"))
        << op;
  }
}

// A kernel must not have a fixed limit for the number of operands.
TEST(Limits, AnyNumberOfOperands) {
  Case many{"many", {}, std::vector<Operand>(3000, Operand{{f32, {3}}}), 1e-5, 1e-5};
  const OpInfo& op = *find_op("add_n");
  const auto in = draw(many, 1);
  auto want = run_reference(op, many, in);
  ASSERT_TRUE(want.ok());
  for (const std::string& kind : kinds_here()) {
    auto device = open_device(kind);
    std::string kernel;
    auto got = run_on(*device, op, many, in, &kernel);
    ASSERT_TRUE(got.ok()) << got.error().text();
    EXPECT_EQ(compare(*got, *want, many), "") << kernel;
  }
}

}  // namespace
}  // namespace cutset::testing
