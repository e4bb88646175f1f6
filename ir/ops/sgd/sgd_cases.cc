#include "ir/ops/sgd/sgd_rules.h"

namespace cutset::ops::sgd {

static Case step(std::string name, Shape s, double rate, double momentum) {
  Operand o{{f32, s}};
  return {name, {{"learning_rate", rate}, {"momentum", momentum}}, {o, o, o}, 1e-6, 1e-7, "a fused multiply-add"};
}
OpCases cases() {
  return {{step("with momentum", {500, 8}, 0.01, 0.9), step("plain", {33}, 0.1, 0), step("scalar", {}, 0.5, 0.5)},
          [](PhiloxSequence& r) { return step("random", {1 + int64_t(r.below(30))}, r.unit(), r.unit()); }};
}

}  // namespace cutset::ops::sgd
