// SPDX-License-Identifier: Apache-2.0
// Tests sessions: pinned ops, splits, transactions, and errors that name the input.
#include <cutset/cutset.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/errors.h"

namespace cutset {
namespace {

using testing::error_of;
using ::testing::HasSubstr;

Graph small(bool pin, const std::string& device = "sim:0") {
  Graph g(3);
  Tensor x = g.input("x", f32, {4, 6}), y = g.input("y", i32, {4});
  Tensor h = nn::dense("fc1", x, 5);
  if (pin) {
    DeviceScope on(g, device);
    h = tanh(h);
  } else {
    h = tanh(h);
  }
  g.minimize(mean(softmax_cross_entropy(nn::dense("fc2", h, 3), y)), {.learning_rate = 0.1, .momentum = 0.9});
  return g;
}
Batch batch_of(float value) {
  Batch b;
  HostTensor x({f32, {4, 6}}), y({i32, {4}});
  for (int i = 0; i < 24; ++i) x.as<float>()[i] = value * static_cast<float>(i % 5);
  for (int i = 0; i < 4; ++i) y.as<int32_t>()[i] = i % 3;
  b.emplace("x", x);
  b.emplace("y", y);
  return b;
}

TEST(Session, APinnedOpRunsWhereTheUserSaid) {
  Session session = compile(small(true), {.devices = "reference:0,sim:0"});
  const auto transfers = session.transfers();
  EXPECT_TRUE(std::any_of(transfers.begin(), transfers.end(),
                          [](const Transfer& t) { return t.from == "reference:0" && t.to == "sim:0"; }));
  EXPECT_THAT(error_of([] { compile(small(true), {.devices = "reference:0"}); }),
              HasSubstr("not among the devices"));
  EXPECT_THAT(error_of([] { compile(small(true), {.devices = "reference:0"}); }),
              HasSubstr("session_test.cc:"));
}

TEST(Session, AllSplitsGiveTheSameBits) {
  std::vector<std::vector<double>> losses;
  for (const char* devices :
       {"reference:0", "sim:0", "reference:0,sim:0", "sim:0,reference:0", "sim:1,sim:0,reference:0"}) {
    for (bool pin : {false, true}) {
      if (pin && std::string(devices).find("sim:0") == std::string::npos) continue;
      Session session = compile(small(pin), {.devices = devices});
      losses.emplace_back();
      for (int i = 0; i < 5; ++i)
        losses.back().push_back(session.train(batch_of(0.3f))["loss"].item<double>());
    }
  }
  for (const auto& l : losses) EXPECT_EQ(l, losses[0]);
  EXPECT_LT(losses[0].back(), losses[0].front());
}

TEST(Session, ANonFiniteLossLeavesTheVariables) {
  for (const char* devices : {"reference:0", "reference:0,sim:0"}) {
    Session session = compile(small(false), {.devices = devices});
    session.train(batch_of(1));
    std::map<std::string, HostTensor> before;
    for (const auto& v : session.variables()) before[v] = session.variable(v);
    EXPECT_THAT(error_of([&] { session.train(batch_of(std::nanf(""))); }), HasSubstr("before this step"));
    for (const auto& v : session.variables()) EXPECT_EQ(session.variable(v), before[v]) << v;
    session.train(batch_of(1));  // the session continues
    for (const auto& v : session.variables()) EXPECT_NE(session.variable(v), before[v]) << v;
  }
}

TEST(Session, WrongFeedsAreErrorsByName) {
  Session session = compile(small(false), {.devices = "reference:0"});
  EXPECT_THAT(error_of([&] { session.train({}); }), HasSubstr("'x'"));
  EXPECT_THAT(error_of([&] { session.run("predict", batch_of(1)); }), HasSubstr("predict"));
  Batch b = batch_of(1);
  b.at("y") = HostTensor({i64, {4}});
  EXPECT_THAT(error_of([&] { session.train(b); }), HasSubstr("input 'y'"));
  b = batch_of(1);
  b.at("x") = HostTensor({f32, {4, 7}});
  EXPECT_NE(error_of([&] { session.train(b); }), "no error");
  EXPECT_EQ(error_of([&] { session.train(batch_of(1)); }), "no error");
}

}  // namespace
}  // namespace cutset
