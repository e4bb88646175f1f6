// SPDX-License-Identifier: Apache-2.0
// Helpers for tests of functions that are compositions of ops: their values on a device, and a loss for their
// gradients.
#pragma once
#include <cutset/cutset.h>
#include <cutset/shapes.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace cutset::testing {

using Composition = std::function<Tensor(const std::vector<Tensor>&)>;

// Returns a tensor with these elements.
inline HostTensor filled(DType type, Shape shape, const std::vector<double>& values) {
  HostTensor t({type, std::move(shape)});
  for (size_t i = 0; i < values.size(); ++i) t.set(static_cast<int64_t>(i), values[i]);
  return t;
}

// Returns the elements of a tensor in row-major order.
inline std::vector<double> elements(const HostTensor& t) {
  std::vector<double> all;
  for (int64_t i = 0; i < t.elements(); ++i) all.push_back(t.at(i));
  return all;
}

// Returns the result of `build` for operands with these values, on the device.
inline HostTensor evaluated(const std::string& device, const std::vector<HostTensor>& operands,
                            const Composition& build) {
  Graph g;
  std::vector<Tensor> inputs;
  Batch batch;
  for (size_t i = 0; i < operands.size(); ++i) {
    const std::string name = "x" + std::to_string(i);
    inputs.push_back(
        g.input(name, operands[i].dtype(), operands[i].shape(), {.batch_dimension = std::nullopt}));
    batch.emplace(name, operands[i]);
  }
  g.output("y", build(inputs));
  return compile(g, {.devices = device}).run("evaluate", batch)["y"];
}

// Expects a tensor of this shape with these elements, within 2e-5, or 2e-5 of the element. NaN equals only
// NaN.
inline void expect_elements(const HostTensor& got, const Shape& shape, const std::vector<double>& values) {
  ASSERT_EQ(got.shape(), shape);
  ASSERT_EQ(values.size(), static_cast<size_t>(got.elements()));
  for (size_t i = 0; i < values.size(); ++i) {
    const double element = got.at(static_cast<int64_t>(i));
    if (element == values[i]) continue;  // an infinity equals itself, but the difference is NaN
    if (std::isnan(values[i])) {
      EXPECT_TRUE(std::isnan(element)) << "element " << i << " is " << element;
    } else {
      EXPECT_NEAR(element, values[i], 2e-5 * std::max(1.0, std::fabs(values[i]))) << "element " << i;
    }
  }
}

// Returns a graph that minimizes a weighted sum of the elements of build(operands). The operands are
// variables of these shapes with random values between -1 and 1. The weights differ, so that EXPECT_GRADIENTS
// finds elements in wrong places.
inline Graph weighted_sum(const std::vector<Shape>& shapes, const Composition& build) {
  Graph g(7);
  std::vector<Tensor> operands;
  for (const Shape& shape : shapes)
    operands.push_back(
        g.variable("x" + std::to_string(operands.size()), f32, shape, Initializer::uniform(-1, 1)));
  const Tensor y = build(operands);
  const Tensor weights = sin(arange(g, y.type().elements(), f32) * 0.7 + 0.3);
  g.minimize(sum(reshape(y, {.shape = {-1}}) * weights), {});
  return g;
}

}  // namespace cutset::testing
