// SPDX-License-Identifier: Apache-2.0
// Tests of the option CompileOptions::fuse.
#include <cutset/cutset.h>
#include <cutset/testing.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace cutset {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Fuse, JoinsOpsUnlessTheOptionIsOff) {
  Graph g(3);
  Tensor image = g.input("image", f32, {2, 1, 6, 6});
  Tensor features = relu(nn::conv("conv", image, {.out_channels = 3, .kernel_size = 3}));
  g.function("predict", {image}, {{"y", relu(nn::dense("fc", flatten(features), 40))}});
  const Batch batch = testing::random_batch(g, 1);
  std::vector<HostTensor> results;
  for (const bool fuse : {true, false}) {
    Session session = compile(g, {.devices = "cpu:0", .fuse = fuse});
    for (const char* kernel : {"fused_conv.onednn", "fused_matmul.onednn"})
      EXPECT_EQ(session.log("dispatch").find(kernel) != std::string::npos, fuse) << kernel;
    results.push_back(session.run("predict", batch).at("y"));
  }
  double largest = 0, error = 0;
  for (int64_t i = 0; i < results[0].type().elements(); ++i) {
    largest = std::max(largest, results[1].at(i));
    error = std::max(error, std::abs(results[0].at(i) - results[1].at(i)));
  }
  EXPECT_GT(largest, 0);
  EXPECT_LE(error, 1e-5 * largest);
}

}  // namespace
}  // namespace cutset
