// Problems of an op, written once in its room and used four times: correctness on every backend,
// gradient check, speed, and "is it supported, and if not why".
#pragma once
#include <string>
#include <vector>

#include "ir/core/attributes.h"
#include "ir/core/philox.h"
#include "ir/core/types.h"

namespace cutset {

// How the values of an operand are drawn.
struct Fill {
  enum class Kind { kNormal, kUniform, kIntegers, kDistinct } kind = Kind::kNormal;
  double low = 0, high = 1;  // kUniform: [low, high); kIntegers: low..high-1
};
inline Fill normal() { return {}; }
inline Fill uniform(double low, double high) { return {Fill::Kind::kUniform, low, high}; }
inline Fill integers(int64_t low, int64_t high) {
  return {Fill::Kind::kIntegers, static_cast<double>(low), static_cast<double>(high)};
}
// A permutation of well separated values: no ties, so max and argmax are differentiable there.
inline Fill distinct() { return {Fill::Kind::kDistinct, 0, 0}; }

struct Operand {
  TensorType type;
  Fill fill = {};
  bool differentiate = true;  // false: integers, masks, or a kink
};

struct Case {
  std::string name;
  Attributes attributes;
  std::vector<Operand> operands;
  double relative = 1e-5, absolute = 1e-6;  // |got - want| <= absolute + relative * max|want|
  std::string why = "rounding of f32";      // what the tolerance allows for
};

struct OpCases {
  std::vector<Case> fixed;                    // shapes, types, edge cases
  Case (*random)(PhiloxSequence&) = nullptr;  // draws a small valid problem
};

}  // namespace cutset
