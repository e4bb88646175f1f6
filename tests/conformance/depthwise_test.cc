// SPDX-License-Identifier: Apache-2.0
// Tests that a depthwise convolution leaves out the taps in the padding, even if a weight is not finite. A
// backend may compute other convolutions as products with zeros, where 0 times infinity is NaN.
#include <cutset/cutset.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace cutset {
namespace {

HostTensor convolved(const std::string& device, const std::vector<float>& weights) {
  Graph g;
  const Tensor x = g.input("x", f32, {1, 2, 4, 5}), filter = g.input("filter", f32, {2, 1, 3, 3});
  g.output("y", conv(x, filter, {}, {.padding = {1, 1}, .groups = 2}));
  Session session = compile(g, {.devices = device});
  std::vector<float> image(40);
  for (size_t i = 0; i < image.size(); ++i) image[i] = static_cast<float>(i % 7) - 2.5f;
  return session.evaluate(
      {{"x", HostTensor({1, 2, 4, 5}, image)}, {"filter", HostTensor({2, 1, 3, 3}, weights)}})["y"];
}

TEST(Depthwise, LeavesOutTapsInThePadding) {
  for (const float special :
       {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(), std::nanf("")})
    for (const size_t tap : {size_t{0}, size_t{4}, size_t{17}}) {
      std::vector<float> weights(18, 0.5f);
      weights[tap] = special;
      const HostTensor expected = convolved("reference:0", weights), got = convolved("cpu:0", weights);
      int numbers = 0;
      for (int64_t i = 0; i < expected.type().elements(); ++i) {
        if (std::isnan(expected.at(i)))
          EXPECT_TRUE(std::isnan(got.at(i))) << tap << ", element " << i;
        else
          EXPECT_FLOAT_EQ(static_cast<float>(got.at(i)), static_cast<float>(expected.at(i)))
              << tap << ", element " << i;
        numbers += std::isfinite(expected.at(i));
      }
      EXPECT_GE(numbers, 20) << "the other channel, and what does not read the weight";
    }
}

}  // namespace
}  // namespace cutset
