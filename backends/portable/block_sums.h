// SPDX-License-Identifier: Apache-2.0
// Code with which kernels add many floats. The terms are added in blocks of SUM_BLOCK. The rounding error of
// adding a block to the sum is the first term of the next block (Kahan, "Further remarks on reducing
// truncation errors", 1965). The error therefore does not grow with the number of terms. The order of the
// terms is fixed.
#pragma once

namespace cutset::portable {

// Macros and functions, which must precede a source that adds many floats.
inline const char* const kBlockSums = R"(
#define SUM_BLOCK 64
// Adds `part`, the sum of a block, to `sum`. Then sets `part` to the rounding error of this addition, or to 0
// if the sum is not finite.
#define END_BLOCK_OF(type, sum, part) \
  do { type before_ = sum; sum += part; part -= sum - before_; part = part == part ? part : (type)(0); } while (0)
#define END_BLOCK(sum, part) END_BLOCK_OF(float, sum, part)
// Returns the end of the block that begins at term i.
FUNCTION int block_end(int i, int count) { return count - i < SUM_BLOCK ? count : i + SUM_BLOCK; }
// Declares the float `sum`, the sum of `term` for all i from 0 to count - 1.
#define SUM_TERMS(sum, i, count, term)                                     \
  float sum = 0;                                                           \
  {                                                                        \
    float part_ = 0;                                                       \
    for (int i = 0; i < (count);) {                                        \
      for (int end_ = block_end(i, count); i < end_; i++) part_ += (term); \
      END_BLOCK(sum, part_);                                               \
    }                                                                      \
  }
)";

}  // namespace cutset::portable
