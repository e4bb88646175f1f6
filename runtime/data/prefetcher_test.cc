// SPDX-License-Identifier: Apache-2.0
#include "runtime/data/prefetcher.h"

#include <gtest/gtest.h>

#include <new>
#include <optional>

namespace cutset {
namespace {

TEST(Prefetcher, GivesItemsInOrderAndStopsEarly) {
  int next = 0;
  auto make = [&]() -> std::optional<int> { return next < 100 ? std::optional<int>(next++) : std::nullopt; };
  {
    Prefetcher<int> p(make, 3);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(*p.take(), i);
    EXPECT_FALSE(p.take().has_value());
  }
  next = 0;
  Prefetcher<int> unfinished(make, 2);
  EXPECT_EQ(*unfinished.take(), 0);
}

TEST(Prefetcher, TakeThrowsAnExceptionOfTheThread) {
  int next = 0;
  Prefetcher<int> p(
      [&]() -> std::optional<int> {
        if (next == 2) throw std::bad_alloc();
        return next++;
      },
      1);
  EXPECT_EQ(*p.take(), 0);
  EXPECT_EQ(*p.take(), 1);
  EXPECT_THROW(p.take(), std::bad_alloc);
  EXPECT_THROW(p.take(), std::bad_alloc) << "an exception must not look like the end of the data";
}

}  // namespace
}  // namespace cutset
