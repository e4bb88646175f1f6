// SPDX-License-Identifier: Apache-2.0
// Tests NaN and infinity as the first, a middle and the last element of each operand. Every backend treats
// them as the reference kernel does. No reference kernel loses a NaN: it must reach the loss, so that the
// step fails.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "tests/conformance/on_device.h"

namespace cutset::testing {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

// Returns the small cases of an op.
std::vector<Case> small_cases(const OpInfo& op) {
  const OpCases cases = op.cases();
  std::vector<Case> list;
  auto add = [&](const Case& c) {
    int64_t most = 0, least = 1;
    for (const Operand& o : c.operands) {
      most = std::max(most, o.type.elements());
      least = std::min(least, o.type.elements());
    }
    if (most > 0 && most <= 700 && least > 0) list.push_back(c);
  };
  for (const Case& c : cases.fixed) add(c);
  PhiloxSequence random(17, 3);
  for (int i = 0; i < 4; ++i) add(cases.random(random));
  return list;
}
// Whether the elements of the operand are single floats that the op reads. The tests set these elements.
bool is_set(const OpInfo& op, const Case& c, size_t operand) {
  return c.operands[operand].type.dtype == f32 && !op.reads_type_only(operand);
}
std::set<int64_t> places(int64_t n) { return {0, n / 2, n - 1}; }

bool has_padding(const Case& c) {
  for (const auto& [name, value] : c.attributes)
    if (name == "padding")
      for (int64_t v : std::get<IntList>(value))
        if (v) return true;
  return false;
}
// Whether the result of a backend may contain more NaN than the result of the reference kernel. A backend may
// compute a convolution with padding as a product with zeros, and zero times NaN or infinity is NaN. The
// reference kernel skips the padding.
bool may_add_nan(const OpInfo& op, const Case& c) {
  return std::string_view(op.folder).find("conv") != std::string_view::npos && has_padding(c);
}
void take_added_nan(const HostTensor& got, HostTensor& want) {
  for (int64_t i = 0; i < want.type().elements(); ++i)
    if (std::isnan(got.at(i))) want.as<float>()[i] = got.as<float>()[i];
}

// Whether the op has a case with an operand for which is_set is true.
bool takes_floats(const OpInfo& op) {
  for (const Case& c : op.cases().fixed)
    for (size_t operand = 0; operand < c.operands.size(); ++operand)
      if (is_set(op, c, operand)) return true;
  return false;
}
// Returns the ops that read single floats, on the kinds of devices with a kernel for them.
std::vector<OpOnDevice> ops_of_floats() {
  std::vector<OpOnDevice> list = ops_on_devices();
  std::erase_if(list, [](const OpOnDevice& o) { return !o.op->needs_kernel() || !takes_floats(*o.op); });
  return list;
}

class SpecialValues : public ::testing::TestWithParam<OpOnDevice> {};

TEST_P(SpecialValues, AreTreatedAsByTheReference) {
  const OpInfo& op = *GetParam().op;
  auto device = open_device(GetParam().kind);
  int tried = 0;
  for (const Case& c : small_cases(op))
    for (size_t operand = 0; operand < c.operands.size(); ++operand) {
      if (!is_set(op, c, operand)) continue;
      for (int64_t place : places(c.operands[operand].type.elements()))
        for (double value : {kNan, kInfinity, -kInfinity}) {
          auto in = draw(c, 1);
          in[operand].as<float>()[place] = static_cast<float>(value);
          auto want = run_reference(op, c, in);
          ASSERT_TRUE(want.ok()) << op.name << ": " << want.error().text();
          std::string kernel;
          auto got = run_on(*device, op, c, in, &kernel);
          ASSERT_TRUE(got.ok()) << op.name << ": " << got.error().text();
          if (may_add_nan(op, c)) take_added_nan((*got)[0], (*want)[0]);
          EXPECT_EQ(compare(*got, *want, c), "") << kernel << ", case '" << c.name << "', operand " << operand
                                                 << "[" << place << "] = " << value;
          ++tried;
        }
    }
  EXPECT_GT(tried, 0) << op.name << " has no small case";
}
INSTANTIATE_TEST_SUITE_P(All, SpecialValues, ::testing::ValuesIn(ops_of_floats()),
                         [](const auto& info) { return name_of(info.param); });

// Returns true if the operand only determines where values of another operand go.
bool only_routes(std::string_view op, size_t operand) { return op == "max_pool_backward" && operand == 1; }

bool any_nan(const std::vector<HostTensor>& tensors) {
  for (const HostTensor& t : tensors)
    for (int64_t i = 0; i < t.type().elements(); ++i)
      if (std::isnan(t.at(i))) return true;
  return false;
}

TEST(SpecialValuesOfTheReference, NanIsNotLost) {
  std::map<std::string, int64_t> checked;  // by op and operand: the number of NaN that reached a result
  for (const OpInfo* op : all_ops())
    for (const Case& c : small_cases(*op))
      for (size_t operand = 0; operand < c.operands.size(); ++operand) {
        if (!is_set(*op, c, operand) || only_routes(op->name, operand)) continue;
        const int64_t n = c.operands[operand].type.elements();
        int64_t tried = 0, seen = 0;
        bool numbers = true;
        for (int64_t place = 0; place < n; ++place) {
          auto in = draw(c, 1);
          in[operand].as<float>()[place] = std::nanf("");
          auto got = run_reference(*op, c, in);
          ASSERT_TRUE(got.ok()) << op->name << ": " << got.error().text();
          for (const HostTensor& t : *got) numbers &= is_float(t.type().dtype) && t.type().elements() > 0;
          ++tried;
          seen += any_nan(*got);
        }
        if (!numbers) continue;  // booleans and integers cannot be NaN
        checked[std::string(op->name) + " " + std::to_string(operand)] += seen;
        if (!op->cases().selects) {
          EXPECT_EQ(seen, tried) << op->name << ", case '" << c.name << "', operand " << operand;
        }
      }
  for (const auto& [operand, seen] : checked) EXPECT_GT(seen, 0) << operand;
  for (const char* operand : {"relu 0",
                              "relu_backward 0",
                              "relu_backward 1",
                              "maximum 0",
                              "maximum 1",
                              "minimum 0",
                              "minimum 1",
                              "reduce_max 0",
                              "reduce_min 0",
                              "reduce_prod 0",
                              "reduce_sum 0",
                              "max_pool 0",
                              "max_pool_backward 0",
                              "avg_pool 0",
                              "avg_pool_backward 0",
                              "conv_transpose 0",
                              "conv_transpose 1",
                              "matmul 0",
                              "matmul 1",
                              "conv 0",
                              "conv 1",
                              "conv 2",
                              "softmax_cross_entropy 0",
                              "softmax_cross_entropy_backward 0",
                              "softmax_cross_entropy_backward 1",
                              "sgd 2",
                              "add_n 1",
                              "where 1",
                              "where 2",
                              "slice 0",
                              "concat 0",
                              "pad 0"})
    EXPECT_TRUE(checked.contains(operand)) << operand << " was not tried";
}

// argmax returns the index of the first NaN. If there is no NaN, it returns the index of the first maximum.
TEST(SpecialValuesOfTheReference, ArgmaxFindsNanFirst) {
  const OpInfo& op = *find_op("argmax");
  const Case line{"line", {{"axis", int64_t{0}}}, {{{f32, {5}}}}};
  auto index_of = [&](std::vector<float> values, OpenDevice& device) {
    HostTensor x({f32, {5}});
    std::copy(values.begin(), values.end(), x.as<float>().begin());
    std::string kernel;
    auto got = run_on(device, op, line, {x}, &kernel);
    EXPECT_TRUE(got.ok()) << got.error().text();
    return (*got)[0].as<int64_t>()[0];
  };
  const float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();
  for (const std::string& kind : kinds_here()) {
    SCOPED_TRACE(kind);
    auto device = open_device(kind);
    EXPECT_EQ(index_of({1, 3, 3, 2, 3}, *device), 1);
    EXPECT_EQ(index_of({1, 1, 1, 1, 1}, *device), 0);
    EXPECT_EQ(index_of({1, 9, nan, inf, nan}, *device), 2);
    EXPECT_EQ(index_of({nan, 9, nan, 4, 3}, *device), 0);
    EXPECT_EQ(index_of({1, 9, 3, inf, nan}, *device), 4);
    EXPECT_EQ(index_of({-inf, -inf, -inf, -inf, -inf}, *device), 0);
  }
}

// Among equal values of a window, the first value is the maximum and gets the gradient.
TEST(SpecialValuesOfTheReference, TheFirstOfEqualValuesGetsTheGradientOfItsWindow) {
  const OpInfo& op = *find_op("max_pool_backward");
  const std::vector<int64_t> two = {2, 2}, none = {0, 0};
  const Case c{"ties",
               {{"kernel", two}, {"stride", two}, {"padding", none}},
               {{{f32, {1, 1, 1, 2}}}, {{f32, {1, 1, 2, 4}}}}};
  HostTensor g({f32, {1, 1, 1, 2}}), x({f32, {1, 1, 2, 4}});
  g.as<float>()[0] = 5;
  g.as<float>()[1] = 7;
  const float values[] = {1, 2, 4, 4,  //
                          2, 2, 4, 4};
  std::copy(values, values + 8, x.as<float>().begin());
  const std::vector<float> want = {0, 5, 7, 0, 0, 0, 0, 0};
  for (const std::string& kind : kinds_here()) {
    auto device = open_device(kind);
    std::string kernel;
    auto got = run_on(*device, op, c, {g, x}, &kernel);
    ASSERT_TRUE(got.ok()) << got.error().text();
    EXPECT_EQ(std::vector<float>((*got)[0].as<float>().begin(), (*got)[0].as<float>().end()), want) << kernel;
  }
}

}  // namespace
}  // namespace cutset::testing
