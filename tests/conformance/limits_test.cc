// A kernel refuses problems that are too large for it, before anything is allocated.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/conformance/on_device.h"

namespace cutset::testing {
namespace {

// Returns the reasons for which the kernels of the device refuse a convolution op of `images` images, or an empty
// string if one of them accepts it.
std::string refusal(const DeviceDescription& device, const char* name, int64_t images) {
  const TensorType x{f32, {images, 64, 112, 112}}, filter{f32, {64, 64, 3, 3}}, y = x;
  const std::string op = name;
  const Types in = op == "conv2d"                  ? Types{x, filter}
                   : op == "conv2d_backward_input" ? Types{y, filter, x}
                                                   : Types{y, x, filter};
  const OpInfo& info = *find_op(name);
  auto flat = FlatAttrs::pack(info.schema, {{"padding", std::vector<int64_t>{1, 1}}});
  auto out = info.infer(flat->data(), in);
  EXPECT_TRUE(out.ok()) << out.error().text();
  auto choice = device.choose(info, flat->data(), in, *out);
  if (!choice.ok()) return choice.error().text();
  EXPECT_TRUE(device.scratch(choice->kernel, info, flat->data(), in, *out).ok());
  return "";
}

// The matrix of patches (im2col) of 300 images has more than 2^31 elements, although every tensor has fewer.
TEST(Limits, ScratchMemoryBeyondIndicesOf32BitsIsRefused) {
  auto devices = describe_devices({.devices = "opencl:0", .describe_only = true});
  if (!devices.ok()) GTEST_SKIP() << devices.error().text();
  for (const char* op : {"conv2d", "conv2d_backward_input", "conv2d_backward_filter"}) {
    EXPECT_EQ(refusal(*(*devices)[0], op, 290), "") << op;
    EXPECT_THAT(refusal(*(*devices)[0], op, 300), ::testing::HasSubstr("scratch-memory indices fit into 32 bits"))
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
