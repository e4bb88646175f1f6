// SPDX-License-Identifier: Apache-2.0
// Compares the gradients of every differentiable op with central differences in f64 (step 1e-6; absolute
// tolerance 1e-5, relative tolerance 1e-3), for the fixed cases of the op with small operands and for 20
// random cases.
#include <cutset/cutset.h>
#include <gtest/gtest.h>

#include <cmath>

#include "frontends/cpp/graph/append.h"
#include "tests/conformance/gradient_cases.h"

namespace cutset::testing {
namespace {

class GradientTest : public ::testing::TestWithParam<const OpInfo*> {};

// Returns the operands of a case, by the names of the op's operands. Removes the attribute with the operand
// segments, which has the same information.
std::vector<std::vector<Tensor>> by_name(const OpInfo& op, Attributes& attributes,
                                         const std::vector<Tensor>& operands) {
  std::vector<std::vector<Tensor>> groups;
  const auto ranges = operand_ranges(op, attributes, operands.size());
  for (const OperandRange& at : *ranges)
    groups.emplace_back(operands.begin() + static_cast<int64_t>(at.first),
                        operands.begin() + static_cast<int64_t>(at.first + at.size));
  std::erase_if(attributes, [](const auto& a) { return a.first == kOperandSegments; });
  return groups;
}

// Checks one case with loss = sum(result * weights), over all results that are floating-point numbers. The
// operands to differentiate are variables, and the others are inputs. Returns the number of gradient elements
// that were compared.
int check_case(const OpInfo& op, Case c, uint64_t seed) {
  widen(c.attributes);
  const auto drawn = draw(c, seed);
  Graph g;
  Batch feeds;
  std::vector<Tensor> operands;
  std::vector<std::pair<std::string, HostTensor>> variables;
  for (size_t i = 0; i < drawn.size(); ++i) {
    HostTensor value = widened(drawn[i]);
    const std::string name = "x" + std::to_string(i);
    if (c.operands[i].differentiate && is_float(value.type().dtype) && !op.reads_type_only(i)) {
      operands.push_back(g.variable(name, value.type().dtype, value.type().shape, Initializer::zeros()));
      variables.emplace_back(name, value);
    } else {
      operands.push_back(g.input(name, value.type().dtype, value.type().shape));
      feeds.emplace(name, value);
    }
  }
  if (variables.empty()) return 0;
  const auto groups = by_name(op, c.attributes, operands);
  Tensor loss;
  for (const Tensor& y : append(op.name, groups, c.attributes, std::source_location::current())) {
    if (!is_float(y.dtype())) continue;
    const std::string name = "weights" + std::to_string(y.value());
    Case weights{"weights", {}, {{{f32, y.shape()}}}};
    feeds.emplace(name, widened(draw(weights, ++seed)[0]));
    const Tensor term = sum(y * g.input(name, f64, y.shape()));
    loss = loss.defined() ? loss + term : term;
  }
  if (!loss.defined()) return 0;
  g.minimize(loss, {.learning_rate = 0});
  Session session = compile(g, {.devices = "reference:0", .gradients = true});
  for (auto& [name, value] : variables) session.set_variable(name, value);
  auto analytic = session.train(feeds);
  auto loss_with = [&](const std::string& name, const HostTensor& value) {
    session.set_variable(name, value);
    return session.evaluate(feeds)["loss"].item<double>();
  };
  int compared = 0;
  for (auto& [name, value] : variables) {
    constexpr double kEps = 1e-6;
    const int64_t n = value.type().elements(), stride = std::max<int64_t>(1, n / 20);
    for (int64_t i = 0; i < n; i += stride, ++compared) {
      HostTensor up = value, down = value;
      up.as<double>()[i] += kEps;
      down.as<double>()[i] -= kEps;
      const double numeric = (loss_with(name, up) - loss_with(name, down)) / (2 * kEps);
      const double given = analytic["gradient:" + name].at(i);
      EXPECT_LE(std::abs(given - numeric), 1e-5 + 1e-3 * std::abs(numeric))
          << op.name << ", case '" << c.name << "', operand " << name << "[" << i << "]";
    }
    session.set_variable(name, value);
  }
  return compared;
}

TEST_P(GradientTest, MatchesFiniteDifferences) {
  const OpInfo& op = *GetParam();
  const OpCases cases = op.cases();
  int compared = 0;
  uint64_t seed = 1;
  for (const Case& c : cases.fixed) {
    int64_t largest = 0;
    for (const Operand& o : c.operands) largest = std::max(largest, o.type.elements());
    if (largest < 20000) compared += check_case(op, c, ++seed);
  }
  PhiloxSequence random(11);
  int samples = 0;
  for (int i = 0; i < 60 && samples < 20; ++i)
    if (int n = check_case(op, cases.random(random), ++seed)) {
      ++samples;
      compared += n;
    }
  EXPECT_GE(samples, 20) << "too few random cases can be differentiated";
  EXPECT_GE(compared, 20);
}

INSTANTIATE_TEST_SUITE_P(All, GradientTest, ::testing::ValuesIn(differentiable_ops()),
                         [](const auto& info) { return std::string(info.param->name); });

}  // namespace
}  // namespace cutset::testing
