// SPDX-License-Identifier: Apache-2.0
#include "ir/core/scope_exit.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace cutset {
namespace {

TEST(ScopeExit, CallsItsActionWhenTheScopeEnds) {
  int calls = 0;
  {
    const ScopeExit count([&] { ++calls; });
    EXPECT_EQ(calls, 0);
  }
  EXPECT_EQ(calls, 1);
}

TEST(ScopeExit, CallsItsActionWhenAnExceptionEndsTheScope) {
  int calls = 0;
  const auto fail = [&] {
    const ScopeExit count([&] { ++calls; });
    throw std::runtime_error("failed");
  };
  EXPECT_THROW(fail(), std::runtime_error);
  EXPECT_EQ(calls, 1);
}

TEST(ScopeExit, CallsNothingAfterRelease) {
  int calls = 0;
  {
    ScopeExit count([&] { ++calls; });
    count.release();
  }
  EXPECT_EQ(calls, 0);
}

}  // namespace
}  // namespace cutset
