// SPDX-License-Identifier: Apache-2.0
// Tests that a layer whose call throws leaves the graph unchanged, so that the call can be repeated.
#include <cutset/cutset.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <sstream>

#include "tests/errors.h"

namespace cutset {
namespace {

using testing::error_of;
using ::testing::HasSubstr;

TEST(Layers, ThatThrowLeaveNothingBehind) {
  Graph g(4), untouched(4);
  Tensor image = g.input("x", f32, {2, 3, 8, 8}), same = untouched.input("x", f32, {2, 3, 8, 8});
  const nn::ConvOptions too_large{.out_channels = 4, .kernel_size = 9};
  EXPECT_THAT(error_of([&] { nn::conv("c", image, too_large); }), HasSubstr(CUTSET_HERE));
  EXPECT_NE(error_of([&] { nn::conv("c", image, {.out_channels = 4, .kernel_size = -1}); }), "no error");
  EXPECT_NE(error_of([&] { nn::conv("c", image, {.out_channels = 4, .kernel_size = 3, .groups = 2}); }),
            "no error");
  EXPECT_NE(error_of([&] { nn::dense("c", g.input("i", i32, {2, 3}), 4); }), "no error");
  EXPECT_THAT(error_of([&] { nn::dense("c", Tensor(), 4); }), HasSubstr("empty Tensor"));
  g.variable("taken.bias", f32, {4}, {});
  EXPECT_THAT(error_of([&] { nn::dense("taken", image, 4); }), HasSubstr("'taken.bias' already"));
  // A valid call after the failed calls has the same effect, and draws the same numbers, as without the
  // failed calls.
  g.output("y", nn::conv("c", image, {.out_channels = 4, .kernel_size = 3}));
  untouched.variable("taken.bias", f32, {4}, {});
  untouched.output("y", nn::conv("c", same, {.out_channels = 4, .kernel_size = 3}));
  Session a = compile(g, {.devices = "reference:0"}), b = compile(untouched, {.devices = "reference:0"});
  EXPECT_EQ(a.variables(), b.variables());
  EXPECT_EQ(a.variables(), (std::vector<std::string>{"c.bias", "c.weight", "taken.bias"}));
  for (const std::string& v : a.variables()) EXPECT_EQ(a.variable(v), b.variable(v)) << v;
}

TEST(Layers, OfNoUnitsAreRefused) {
  Graph g;
  Tensor image = g.input("x", f32, {2, 3, 8, 8});
  EXPECT_THAT(error_of([&] { nn::conv("c", image, {.kernel_size = 3}); }),
              HasSubstr("conv 'c' has out_channels = 0"));
  EXPECT_THAT(error_of([&] { nn::conv("c", image, {.kernel_size = 3}); }), HasSubstr(CUTSET_HERE));
  EXPECT_THAT(error_of([&] { nn::dense("d", image, 0); }), HasSubstr("dense 'd' has units = 0"));
  EXPECT_THAT(error_of([&] { nn::dense("d", image, -3); }), HasSubstr("dense 'd' has units = -3"));
}

TEST(Layers, APoolTakesOneNumberOrOnePerAxis) {
  Graph g;
  Tensor image = g.input("image", f32, {1, 2, 12, 8});
  EXPECT_EQ(max_pool(image).shape(), (Shape{1, 2, 6, 4}));
  EXPECT_EQ(max_pool(image, {.kernel_size = 4}).shape(), (Shape{1, 2, 3, 2}))
      << "the stride is the kernel's size";
  EXPECT_EQ(max_pool(image, {.kernel_size = {3, 2}}).shape(), (Shape{1, 2, 4, 4}));
  EXPECT_EQ(max_pool(image, {.kernel_size = 3, .stride = 1, .padding = 1}).shape(), image.shape());
  EXPECT_EQ(max_pool(image, {.kernel_size = 2, .stride = {3, 2}}).shape(), (Shape{1, 2, 4, 4}));
}

TEST(Layers, APoolThatIsRefusedAddsNothing) {
  Graph g;
  const Tensor image = g.input("image", f32, {1, 2, 12, 8});
  const std::string before = g.text();
  EXPECT_THAT(testing::error_of([&] { lp_pool(image, 2, {.kernel_size = 20}); }), ::testing::HasSubstr("C3"));
  EXPECT_THAT(testing::error_of([&] { lp_pool(image, HUGE_VAL); }), ::testing::HasSubstr("has p = inf"));
  EXPECT_EQ(g.text(), before);
}

TEST(Layers, AConvolutionHasTheBiasAndTheInitialValuesOfItsOptions) {
  Graph g(4);
  const Tensor image = g.input("x", f32, {2, 8, 4, 4});
  const Tensor y = nn::conv("plain", image,
                            {.out_channels = 64,
                             .kernel_size = 3,
                             .padding = 1,
                             .bias = false,
                             .initial_weight = Initializer::normal(3, 0.5)});
  g.output("y", nn::conv("usual", y, {.out_channels = 4}));
  Session session = compile(g, {.devices = "reference:0"});
  EXPECT_EQ(session.variables(), (std::vector<std::string>{"plain.weight", "usual.bias", "usual.weight"}));
  const HostTensor weight = session.variable("plain.weight"), usual = session.variable("usual.weight");
  double sum = 0, squares = 0;
  const auto n = static_cast<double>(weight.elements());
  for (int64_t i = 0; i < weight.elements(); ++i) {
    sum += weight.at(i);
    squares += weight.at(i) * weight.at(i);
  }
  EXPECT_NEAR(sum / n, 3, 0.05);  // seven standard deviations of the mean of 4,608 draws
  EXPECT_NEAR(std::sqrt(squares / n - sum / n * (sum / n)), 0.5, 0.05);
  for (int64_t i = 0; i < usual.elements(); ++i) EXPECT_LE(std::abs(usual.at(i)), 1.0 / 8);
}

// The layer "block.0.conv" is the cluster "conv" in "0" in "block". The backward ops are in separate
// clusters.
TEST(Layers, InnerScopesAreClustersInThoseOfOuterOnes) {
  Graph g;
  const Tensor x = g.input("x", f32, {2, 3}), label = g.input("label", i32, {2});
  const Tensor y = nn::dense("block.0.fc", x, 4);
  g.minimize(mean(softmax_cross_entropy(y, label)), {.learning_rate = 0.1});
  const std::string dot = compile(g, {.devices = "reference:0"}).dot(DotLevel::kOp);
  std::vector<std::string> open;  // the labels of the clusters around the current line
  std::set<std::string> paths;
  std::istringstream lines(dot);
  for (std::string line; std::getline(lines, line);) {
    const size_t label_at = line.find("label=\""), first = line.find_first_not_of(' ');
    if (first != std::string::npos && line.compare(first, 8, "subgraph") == 0) {
      open.emplace_back();
    } else if (!open.empty() && open.back().empty() && label_at != std::string::npos) {
      open.back() = line.substr(label_at + 7, line.find('"', label_at + 7) - label_at - 7);
      std::string path;
      for (const std::string& cluster : open) path += "/" + cluster;
      paths.insert(path);
    } else if (first != std::string::npos && line.substr(first) == "}" && !open.empty()) {
      open.pop_back();
    }
  }
  EXPECT_THAT(paths, ::testing::IsSupersetOf({"/reference:0", "/reference:0/block", "/reference:0/block/0",
                                              "/reference:0/block/0/fc", "/reference:0/block backward"}))
      << dot;
}

}  // namespace
}  // namespace cutset
