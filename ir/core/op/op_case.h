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

// The sharding rule of one fixed case, worked out by hand. The test of sharding rules compares it with
// `shard`. A rule is a list of factors, separated by ";". A factor is "OPERANDS > RESULTS", one entry per
// operand and per result:
// - "0 - > 0" is a factor that is dimension 0 of the first operand and of the result, and does not occur in
// the
//   second operand. After the ">", a "-" is a result that every shard computes.
// - "0 0 > +" is a factor whose shards give partial sums of the result.
// - "1/4 > 1" is a compound factor, whose steps cover 4 elements of dimension 1 of the operand.
// - "window 2 > 2" is a factor of a sliding window.
// - "0 > + at a of b" is a factor whose shards read their position from the attributes a and b.
// - "" is an op without factors: every replica computes it completely.
struct ExpectedSharding {
  const char* on_case = nullptr;  // the name of the case
  const char* rule = nullptr;
};

// What the tests of an op need to know. The defaults hold for most ops, except `sharding`, which every op has
// that is not elementwise: the rule of an elementwise op follows from the definition of broadcasting.
struct OpCases {
  std::vector<Case> fixed;                    // chosen shapes, types and edge cases
  Case (*random)(PhiloxSequence&) = nullptr;  // draws a small valid problem; never null in an op folder
  ExpectedSharding sharding = {};
  // Whether the results do not depend on every element of an operand. A NaN there may then have no effect.
  // Without this, each NaN of an operand must reach a result.
  bool selects = false;
  // Why the op has no exporter to ONNX; null: it has one. Gradients and updates need no reason, because no
  // exported function has them.
  const char* no_exporter = nullptr;
};
// Returns the cases with one of these members.
inline OpCases sharded(OpCases cases, const char* on_case, const char* rule) {
  cases.sharding = {on_case, rule};
  return cases;
}
inline OpCases selecting(OpCases cases) {
  cases.selects = true;
  return cases;
}
inline OpCases not_exported(OpCases cases, const char* why) {
  cases.no_exporter = why;
  return cases;
}

}  // namespace cutset
