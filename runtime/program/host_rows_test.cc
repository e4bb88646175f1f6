// SPDX-License-Identifier: Apache-2.0
#include "runtime/program/host_rows.h"

#include <gtest/gtest.h>

#include <numeric>

#include "ir/core/rows.h"

namespace cutset {
namespace {

// Rows along every dimension are gathered as ir/core/rows.h defines them, and scattered to their old places.
TEST(HostRows, LieWhereTheirDimensionSays) {
  const TensorType whole{DType::f32, {3, 5, 4}};
  std::vector<float> tensor(60);
  std::iota(tensor.begin(), tensor.end(), 0.0f);
  for (int32_t d = 0; d < 3; ++d)
    for (int64_t start = 0; start <= whole.shape[static_cast<size_t>(d)]; ++start)
      for (int64_t size = 0; start + size <= whole.shape[static_cast<size_t>(d)]; ++size) {
        TensorType part = whole;
        part.shape[static_cast<size_t>(d)] = size;
        const HostRows rows = host_rows(whole, part, {d, start});
        std::vector<float> want(static_cast<size_t>(part.elements())), got(want.size(), -1), back(60, -1),
            expected = back;
        copy_rows(blocks_of(whole.shape, d), sizeof(float), tensor.data(),
                  whole.shape[static_cast<size_t>(d)], start, want.data(), size, 0, size);
        copy_rows_from(rows, tensor.data(), got.data());
        EXPECT_EQ(got, want) << d << " " << start << " " << size;
        copy_rows(blocks_of(whole.shape, d), sizeof(float), want.data(), size, 0, expected.data(),
                  whole.shape[static_cast<size_t>(d)], start, size);
        copy_rows_to(rows, want.data(), back.data());
        EXPECT_EQ(back, expected) << d << " " << start << " " << size;
        if (rows.is_contiguous() && size > 0) {
          EXPECT_EQ(tensor[rows.offset / sizeof(float)], want[0]);
          EXPECT_TRUE(
              std::equal(want.begin(), want.end(), tensor.begin() + static_cast<int64_t>(rows.offset) / 4));
        }
      }
}

TEST(HostRows, AreContiguousAlongTheFirstDimension) {
  const auto contiguous = [](const Shape& whole, const Shape& part, const FirstRow& first) {
    return host_rows({DType::i8, whole}, {DType::i8, part}, first).is_contiguous();
  };
  EXPECT_TRUE(contiguous({}, {}, {}));
  EXPECT_TRUE(contiguous({6, 2}, {3, 2}, {0, 3}));
  EXPECT_TRUE(contiguous({6, 2}, {6, 2}, {1, 0}));  // the whole tensor
  EXPECT_TRUE(contiguous({1, 6, 2}, {1, 3, 2}, {1, 3}));
  EXPECT_FALSE(contiguous({2, 6}, {2, 3}, {1, 3}));
}

}  // namespace
}  // namespace cutset
