// SPDX-License-Identifier: Apache-2.0
// Tests values that many ops read: their gradients, and long concatenations.
#include <cutset/cutset.h>
#include <cutset/saved.h>
#include <cutset/testing.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "runtime/files/safetensors.h"
#include "tests/equivalence/support/runs.h"
#include "tests/errors.h"
#include "tests/temporary_folder.h"

namespace cutset::testing {
namespace {

// A recurrent network unrolled over 150 steps: its weight has 150 uses, and its gradient is a sum of 150
// terms.
TEST(ManyUses, AValueThatIsUsedOftenIsDifferentiated) {
  for (const char* devices : {"reference:0", "cpu:0", "sim:0", "opencl:0"}) {
    if (!have(devices)) continue;
    Graph g(1);
    Tensor x = g.input("x", f32, {4, 3}), w = g.variable("w", f32, {3, 3}, Initializer::uniform(-0.4, 0.4)),
           h = x;
    for (int i = 0; i < 150; ++i) h = tanh(matmul(h, w) + x);
    g.minimize(mean(h * h), {.learning_rate = 0.01});
    Session session = compile(g, {.devices = devices});
    const double first = session.train(random_batch(g, 1))["loss"].item<double>();
    EXPECT_LT(session.train(random_batch(g, 1))["loss"].item<double>(), first) << devices;
    if (std::string(devices) == "reference:0") {
      EXPECT_GRADIENTS(g);
      EXPECT_SAME_ON(g, "reference:0,sim:0", "data(2)");
    }
  }
}

TEST(ManyUses, ManyTensorsAreConcatenated) {
  for (const char* devices : {"reference:0", "cpu:0", "sim:0", "opencl:0"}) {
    if (!have(devices)) continue;
    Graph g(1);
    Tensor x = g.input("x", f32, {2, 3});
    g.output("y", concat(std::vector<Tensor>(100, x), {.axis = 1}));
    Session session = compile(g, {.devices = devices});
    HostTensor value({f32, {2, 3}});
    for (int i = 0; i < 6; ++i) value.as<float>()[i] = static_cast<float>(i);
    const HostTensor y = session.evaluate({{"x", value}}).at("y");
    ASSERT_EQ(y.shape(), (Shape{2, 300}));
    for (int64_t i = 0; i < 600; ++i) EXPECT_EQ(y.at(i), static_cast<double>(i / 300 * 3 + i % 3)) << devices;
  }
}

}  // namespace
}  // namespace cutset::testing
