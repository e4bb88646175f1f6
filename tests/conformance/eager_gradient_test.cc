// Computes the gradients of all differentiable ops without the compiler: a GradientBuilder runs the reference kernel of
// each op at once. The gradients are compared with central differences in f64 (step 1e-6).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>

#include "runtime/kernels/run_reference.h"
#include "tests/conformance/gradient_cases.h"

namespace cutset::testing {
namespace {

// A handle is the address of a tensor that the builder holds.
class EagerBuilder : public GradientBuilder {
 public:
  std::string error;
  GraphValue hold(HostTensor tensor) { return GraphValue(&held_.emplace_back(std::move(tensor))); }
  GraphValues hold_all(std::vector<HostTensor> tensors) {
    GraphValues values;
    for (HostTensor& t : tensors) values.push_back(hold(std::move(t)));
    return values;
  }
  static const HostTensor& tensor(GraphValue v) { return *static_cast<const HostTensor*>(v.handle()); }

  GraphValues op(std::string_view name, const GraphValues& operands, const Attributes& attributes) override {
    std::vector<HostTensor> in;
    for (const GraphValue v : operands) {
      if (!v && error.empty()) error = "an operand of " + std::string(name) + " is empty";
      if (!error.empty()) return {};
      in.push_back(tensor(v));
    }
    auto results = run_reference_kernel(*find_op(name), attributes, in);
    if (results.ok()) return hold_all(*std::move(results));
    error = std::string(name) + ": " + results.error().text();
    return {};
  }
  TensorType type(GraphValue value) const override { return value ? tensor(value).type() : TensorType(); }
  GraphValue constant(DType dtype, double value) override {
    HostTensor t({dtype, {}});
    t.set(0, value);
    return hold(std::move(t));
  }

 private:
  std::deque<HostTensor> held_;  // elements do not move
};

class EagerGradientTest : public ::testing::TestWithParam<const OpInfo*> {
 protected:
  int compared = 0;

  // The loss is the sum of all elements of the results that are floating-point numbers, each times a weight.
  void check(const OpInfo& op, Case c, uint64_t seed) {
    widen(c.attributes);
    std::vector<HostTensor> in;
    for (const HostTensor& t : draw(c, seed)) in.push_back(widened(t));
    auto results = run_reference_kernel(op, c.attributes, in);
    ASSERT_TRUE(results.ok()) << results.error().text();
    std::vector<HostTensor> weights;  // without elements for a result that has no gradient
    for (const HostTensor& r : *results) {
      const Shape shape = is_float(r.dtype()) ? r.shape() : Shape{0};
      weights.push_back(widened(draw(Case{"weights", {}, {{{f32, shape}}}}, ++seed)[0]));
    }
    if (std::none_of(results->begin(), results->end(), [](const HostTensor& r) { return is_float(r.dtype()); })) return;
    const auto loss = [&](const std::vector<HostTensor>& operands) {
      double sum = 0;
      const auto got = run_reference_kernel(op, c.attributes, operands);
      for (size_t r = 0; r < weights.size(); ++r)
        for (int64_t i = 0; i < weights[r].elements(); ++i) sum += weights[r].at(i) * (*got)[r].at(i);
      return sum;
    };
    EagerBuilder builder;
    Differentiated its{builder.hold_all(in), builder.hold_all(*results), builder.hold_all(weights), c.attributes};
    for (size_t r = 0; r < results->size(); ++r)
      if (!is_float((*results)[r].dtype())) its.gradients[r] = {};
    const auto flat = FlatAttrs::pack(op.schema, c.attributes);
    GraphValues gradients = op.gradient(builder, flat->data(), its);
    ASSERT_EQ(builder.error, "") << c.name;
    ASSERT_LE(gradients.size(), in.size());
    gradients.resize(in.size());
    for (size_t i = 0; i < in.size(); ++i) {
      if (!c.operands[i].differentiate || !is_float(in[i].dtype()) || op.reads_type_only(i)) continue;
      ASSERT_TRUE(gradients[i]) << c.name << ": operand " << i << " has no gradient";
      ASSERT_EQ(builder.type(gradients[i]), in[i].type()) << c.name << ", operand " << i;
      const int64_t stride = std::max<int64_t>(1, in[i].elements() / 10);
      for (int64_t e = 0; e < in[i].elements(); e += stride, ++compared) {
        constexpr double kStep = 1e-6;
        auto up = in, down = in;
        up[i].as<double>()[e] += kStep, down[i].as<double>()[e] -= kStep;
        const double numeric = (loss(up) - loss(down)) / (2 * kStep), given = EagerBuilder::tensor(gradients[i]).at(e);
        EXPECT_LE(std::abs(given - numeric), 1e-5 + 1e-3 * std::abs(numeric))
            << c.name << ", operand " << i << "[" << e << "]";
      }
    }
  }
};

TEST_P(EagerGradientTest, MatchesFiniteDifferences) {
  const OpInfo& op = *GetParam();
  const OpCases cases = op.cases();
  uint64_t seed = 1;
  for (const Case& c : cases.fixed) {
    int64_t largest = 0;
    for (const Operand& o : c.operands) largest = std::max(largest, o.type.elements());
    if (largest < 2000) check(op, c, seed += 10);
  }
  PhiloxSequence random(12);
  for (int i = 0; i < 20; ++i) check(op, cases.random(random), seed += 10);
  EXPECT_GE(compared, 20);
}

INSTANTIATE_TEST_SUITE_P(Ops, EagerGradientTest, ::testing::ValuesIn(differentiable_ops()),
                         [](const auto& info) { return std::string(info.param->name); });

}  // namespace
}  // namespace cutset::testing
