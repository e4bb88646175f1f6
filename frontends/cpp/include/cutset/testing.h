// SPDX-License-Identifier: Apache-2.0
// Tests of graphs with GoogleTest, for the graphs of users and the graphs of this project.
//
//   struct MyModel : cutset::testing::PerBackend {};
//   CUTSET_INSTANTIATE_PER_BACKEND(MyModel);  // one instance per kind of device of this machine
//   TEST_P(MyModel, IsTheSameAsOnOneDevice) {
//     EXPECT_SAME_ON(build(), device(), "");
//     EXPECT_SAME_ON(build(), device() + ",reference:1", "data(2, shares=2:1)");
//     EXPECT_GRADIENTS(build());
//   }
//
// A test links cutset::cutset_testing and GoogleTest. The library itself does not use GoogleTest: its
// functions return a Verdict, which the macros turn into an assertion.
#pragma once
#include <cutset/cutset.h>
#include <cutset/random_batch.h>
#include <cutset/verify.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace cutset::testing {

// Returns "cpu:0", "opencl:0" and so on: one device of each kind that can be opened on this machine.
std::vector<std::string> backends();
// Whether devices of every kind in the list ("cpu:0,opencl:0") can be opened on this machine.
bool have_devices(const std::string& devices);

// A test fixture that runs its tests once per kind of device.
class PerBackend : public ::testing::TestWithParam<std::string> {
 protected:
  // Returns the device of this run: "cpu:0".
  const std::string& device() const { return GetParam(); }
};
// Instantiates the tests of a fixture that is derived from PerBackend.
#define CUTSET_INSTANTIATE_PER_BACKEND(Suite)                                                   \
  INSTANTIATE_TEST_SUITE_P(Backends, Suite, ::testing::ValuesIn(::cutset::testing::backends()), \
                           [](const auto& info) { return info.param.substr(0, info.param.find(':')); })

using cutset::random_batch;
using cutset::RandomBatch;

// The result of a check: whether the property holds, and the differences.
struct Verdict {
  bool holds = false;  // whether the property holds
  std::string text;    // the differences, for the message of the assertion
  // Whether the property holds.
  explicit operator bool() const { return holds; }
};
// Turns a Verdict into a result of GoogleTest.
inline ::testing::AssertionResult assertion(const Verdict& verdict) {
  return ::testing::AssertionResult(verdict.holds) << verdict.text;
}

// Holds if every op, transfer and sum of the graph on these devices, with this strategy, gives the result of
// one device (<cutset/verify.h>). If no batches are given, three random batches are used.
Verdict same_on(const Graph& graph, const std::string& devices, const Strategy& strategy,
                std::vector<Batch> batches = {});
// Expects that same_on holds.
#define EXPECT_SAME_ON(...) EXPECT_TRUE(::cutset::testing::assertion(::cutset::testing::same_on(__VA_ARGS__)))

// Holds if a training step transfers exactly `bytes` from one place to another. A place is a device of the
// session, "host" or "all_reduce"; see Transfer in <cutset/session.h>.
Verdict bytes_sent(const Session& session, const std::string& from, const std::string& to, int64_t bytes);
// Expects that bytes_sent holds.
#define EXPECT_BYTES_SENT(session, from, to, bytes) \
  EXPECT_TRUE(::cutset::testing::assertion(::cutset::testing::bytes_sent(session, from, to, bytes)))

// What slope_is found: the gradient agrees with the differences; it disagrees; the element is at a kink of
// the loss; or the rounding of the loss hides its slope.
enum class Slope { kHolds, kDiffers, kKink, kUnknown };

// Compares `gradient` with central differences of the loss. `loss_at(offset)` returns the loss with `offset`
// added to one element of a variable. `difference` is set to the central difference that was computed last.
// The steps are 1e-5, 1e-6 and 1e-7, or larger ones if the loss is so large that its rounding would exceed
// the bound. Smaller steps are tried because the difference over a step that crosses a kink, such as the kink
// of relu at 0, is the slope of neither side.
// - kHolds: gradient and difference agree within `bound` for one of the steps.
// - kKink: the differences to the left and to the right stay apart as the step shrinks, and the gradient is
//   one of them or lies between them.
Slope slope_is(double gradient, double bound, const std::function<double(double)>& loss_at,
               double* difference);

// Holds if the gradients of the loss agree with central differences in f64, at up to `samples` evenly spaced
// elements of each variable, within 1e-5 of the largest element of the gradient. Elements at a kink of the
// loss are not compared, because the loss has no derivative there. The check fails if no element could be
// compared. The default batch is a random one.
//
// The differences are differences of the loss that "train" minimizes in its first step: batch normalization
// takes the statistics of the batch, dropout draws the numbers of that step, and no averages of weights are
// read. A result of detach() is a constant for the gradient, so it keeps its value in the differences. The
// gradient is the gradient before clip_gradients. Frozen variables have none. A variable of 16 bits is
// refused.
Verdict gradients_hold(const Graph& graph, Batch batch = {}, int64_t samples = 12);
// Expects that gradients_hold holds.
#define EXPECT_GRADIENTS(...) \
  EXPECT_TRUE(::cutset::testing::assertion(::cutset::testing::gradients_hold(__VA_ARGS__)))

}  // namespace cutset::testing
