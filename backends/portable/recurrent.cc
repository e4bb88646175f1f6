// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/recurrent.h"

namespace cutset::portable {

// tanh_of(infinity) is exactly 1. On some devices tanh(infinity) is not exactly 1, so that (1 - tanh^2) times
// infinity would not be NaN.
std::string Sequences::source(const char* source) const {
  static const char* const kFunctions = R"(
FUNCTION float sigmoid(float x) { return 1 / (1 + exp(-x)); }
FUNCTION float tanh_of(float x) { return x > 10 ? 1 : x < -10 ? -1 : tanh(x); }
FUNCTION bool keeps(GLOBAL const LENGTH* lengths, int row, int t, int steps) {
#ifdef HAS_LENGTHS
  return t >= lengths[row];
#else
  return false;
#endif
}
)";
  return std::string("#define LENGTH ") + (wide_ ? "long\n" : "int\n") +
         (has_lengths ? "#define HAS_LENGTHS\n" : "") + kFunctions + source;
}

StateMatrix before_step(const Sequences& s, int64_t t, Memory initial, Memory states) {
  const int64_t before = s.order.before(t), hidden = s.sizes.hidden;
  if (before < 0) return {initial, hidden, 0};
  return {states, s.sizes.steps * hidden, before * hidden};
}

std::string Recurrent::supports(const abi::Problem& p) {
  constexpr int64_t kMostSteps = 4096;  // each step is a separate launch
  if (p.in_shape(0)[1] > kMostSteps)
    return "the kernel supports only sequences of at most " + std::to_string(kMostSteps) + " steps";
  return only(p, {DType::f32, DType::i32, DType::i64});  // integers are lengths
}

}  // namespace cutset::portable
