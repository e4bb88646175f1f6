#include "backends/portable/recurrent.h"

namespace cutset::portable {

// The tanh of infinity is exactly 1 here, and not on every device, where 1 - tanh^2 times infinity would be a number.
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
  return std::string("#define LENGTH ") + (wide_ ? "long\n" : "int\n") + (has_lengths ? "#define HAS_LENGTHS\n" : "") +
         kFunctions + source;
}

StateMatrix before_step(const Sequences& s, int64_t t, Memory initial, Memory states) {
  const int64_t before = s.order.before(t), hidden = s.sizes.hidden;
  if (before < 0) return {initial, hidden, 0};
  return {states, s.sizes.steps * hidden, before * hidden};
}

std::string check_sequences(const abi::Problem& p, size_t lengths_at) {
  constexpr int64_t kMostSteps = 4096;  // each step is a launch of its own
  if (p.in_shape(0)[1] > kMostSteps) return "the kernel supports only sequences of at most 4096 steps";
  for (size_t i = 0; i < p.inputs() + p.outputs(); ++i)
    if (const auto type = static_cast<DType>(p.tensor(i).dtype); type != DType::f32 && i != lengths_at)
      return std::string("no kernel for ") + name_of(type);
  return "";
}

}  // namespace cutset::portable
