// SPDX-License-Identifier: Apache-2.0
// Test problems of an op. Each op folder writes its problems once, in `cases()`. The conformance tests of
// every backend use them, and so do the tests of gradients, sharding rules and threads. `cutset ops` shows
// for each problem which kernel a device chooses, or why it has none.
#pragma once
#include <string>
#include <vector>

#include "ir/core/attributes.h"
#include "ir/core/philox.h"
#include "ir/core/types.h"

namespace cutset {

// The distribution from which the elements of an operand are drawn. normal() has mean 0 and standard
// deviation 1.
struct Fill {
  enum class Kind { kNormal, kUniform, kIntegers, kDistinct } kind = Kind::kNormal;
  double low = 0, high = 1;  // kUniform: from [low, high); kIntegers: low, ..., high - 1; otherwise unused
};
inline Fill normal() { return {}; }
inline Fill uniform(double low, double high) { return {Fill::Kind::kUniform, low, high}; }
inline Fill integers(int64_t low, int64_t high) {
  return {Fill::Kind::kIntegers, static_cast<double>(low), static_cast<double>(high)};
}
// Returns values in random order that differ by at least 0.01, so that a maximum has no ties and is
// differentiable.
inline Fill distinct() { return {Fill::Kind::kDistinct, 0, 0}; }

struct Operand {
  TensorType type;
  Fill fill = {};
  bool differentiate =
      true;  // whether the test of gradients varies the operand; false where no derivative exists
};

struct Case {
  std::string name;
  Attributes attributes;
  std::vector<Operand> operands;
  // A result passes if each element differs by at most absolute + relative * max|w| from w, the reference
  // kernel's result.
  double relative = 1e-5, absolute = 1e-6;
  std::string why = "rounding of f32";  // the reason for the tolerance, for the error message
};

struct OpCases {
  std::vector<Case> fixed;                    // chosen shapes, types and edge cases
  Case (*random)(PhiloxSequence&) = nullptr;  // draws a small valid problem; never null in an op folder
};

}  // namespace cutset
