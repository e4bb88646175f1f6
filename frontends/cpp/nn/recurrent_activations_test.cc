// SPDX-License-Identifier: Apache-2.0
// Tests activation functions of the user in <cutset/recurrent.h>: a graph does not keep them.
#include <cutset/cutset.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>

namespace cutset {
namespace {

// A function of the user may refer to tensors and to variables that no longer exist, so the call is not kept.
TEST(RecurrentActivations, AreNotKeptByTheGraph) {
  std::weak_ptr<GraphState> state;
  std::optional<Session> session;
  {
    Graph g(3);
    state = g.state();
    const Tensor x = g.input("x", f32, {2, 3, 4}),
                 factor = g.variable("f", f32, {}, Initializer::constant(0.5));
    const RecurrentWeights w{g.variable("i", f32, {2, 4}, Initializer::uniform(-1, 1)),
                             g.variable("h", f32, {2, 2}, Initializer::uniform(-1, 1)),
                             {},
                             {}};
    const double slope = 0.25;
    const RnnOptions options{.activation = [&](const Tensor& t) { return tanh(t * factor) * slope; }};
    g.output("y", rnn(x, w, {}, {}, options).output);
    session.emplace(compile(g, {.devices = "reference:0"}));
  }
  EXPECT_TRUE(state.expired());
  HostTensor x({f32, {2, 3, 4}}), first({f32, {1, 3, 4}});
  for (int64_t i = 0; i < x.elements(); ++i) x.set(i, static_cast<double>(i % 5) / 5);
  for (int64_t i = 0; i < first.elements(); ++i) first.set(i, x.at(i));
  const HostTensor both = session->evaluate({{"x", x}})["y"], one = session->evaluate({{"x", first}})["y"];
  for (int64_t i = 0; i < one.elements(); ++i) EXPECT_EQ(one.at(i), both.at(i)) << i;
  EXPECT_NE(one.at(0), 0);
}

}  // namespace
}  // namespace cutset
