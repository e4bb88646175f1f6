// Tests the backend `failing`, which other tests use to make devices fail. Its requests are described in failing.cc.
#include <cutset/cutset.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cmath>

namespace cutset {
namespace {

using ::testing::HasSubstr;

class FailingBackend : public ::testing::Test {
 protected:
  FailingBackend() { setenv("CUTSET_BACKEND_PATH", CUTSET_TEST_BACKENDS, 1); }
  ~FailingBackend() override {
    unsetenv("CUTSET_BACKEND_PATH");
    unsetenv("CUTSET_FAILING");
  }
  // Runs tanh(x) twice on `device`. Returns the text of the error, or the first element of the second result.
  static std::string run(const std::string& failing, const std::string& device = "failing:0") {
    setenv("CUTSET_FAILING", failing.c_str(), 1);
    try {
      Graph g;
      g.output("y", tanh(g.input("x", f32, {3})));
      Session session = compile(g, {.devices = device});
      Batch batch;
      batch.emplace("x", HostTensor({f32, {3}}));
      session.evaluate(batch);
      const double y = session.evaluate(batch).at("y").at(0);
      return std::isnan(y) ? "nan" : std::to_string(y);
    } catch (const Error& e) {
      return e.what();
    }
  }
};

TEST_F(FailingBackend, FailsOnlyOnRequest) {
  EXPECT_EQ(run(""), "0.000000");
  for (const char* function : {"describe", "available", "open", "allocate", "tensor", "queue", "event", "instantiate",
                               "enqueue", "signal", "wait", "write", "read", "finish"})
    EXPECT_THAT(run(std::string(function) + "=1"), HasSubstr(std::string(function) + " fails on request")) << function;
  EXPECT_THAT(run("enqueue/tanh=2"), HasSubstr("enqueue fails on request (call 2)"));
  EXPECT_EQ(run("enqueue/tanh=3"), "0.000000");
  EXPECT_EQ(run("enqueue/exp=1"), "0.000000");
  EXPECT_EQ(run("enqueue@1=1"), "0.000000");
  EXPECT_THAT(run("enqueue@1=1", "failing:1"), HasSubstr("failing:1"));
  EXPECT_THAT(run("enqueue/exp=1,write=2+"), HasSubstr("write fails on request (call 2)"));
}

TEST_F(FailingBackend, WritesNanOnRequest) {
  EXPECT_EQ(run("enqueue=1:nan"), "0.000000");
  EXPECT_EQ(run("enqueue=2:nan"), "nan");
}

// A session describes its devices once. Its later compilations use the same descriptions.
TEST_F(FailingBackend, IsDescribedOncePerSession) {
  Graph g;
  g.output("y", tanh(g.input("x", f32, {3})));
  Session session = compile(g, {.devices = "failing:0"});
  setenv("CUTSET_FAILING", "describe=1+,available=1+", 1);
  EXPECT_THROW(compile(g, {.devices = "failing:0"}), Error);
  Batch batch;
  batch.emplace("x", HostTensor({f32, {5}}));
  EXPECT_EQ(session.evaluate(batch)["y"].elements(), 5);
  EXPECT_EQ(session.compilations(), 2);
}

}  // namespace
}  // namespace cutset
