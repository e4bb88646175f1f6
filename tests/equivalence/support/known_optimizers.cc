// SPDX-License-Identifier: Apache-2.0
#include "tests/equivalence/support/known_optimizers.h"

namespace cutset::testing {

#define CUTSET_OPTIMIZER(name, optimizer) {name, optimizer},
const std::vector<std::pair<std::string, Optimizer>>& known_optimizers() {
  static const std::vector<std::pair<std::string, Optimizer>> all = {
#include "tests/equivalence/values/optimizer_values.inc"
  };
  return all;
}

#define CUTSET_VALUES(optimizer, step, ...) {optimizer, step, {__VA_ARGS__}},
const std::vector<KnownValue>& known_values() {
  static const std::vector<KnownValue> all = {
#include "tests/equivalence/values/optimizer_values.inc"
  };
  return all;
}

#define CUTSET_SIXTEEN_BIT_RUN(name, optimizer, clipping) {name, optimizer, clipping},
const std::vector<SixteenBitRun>& sixteen_bit_runs() {
  static const std::vector<SixteenBitRun> all = {
#include "tests/equivalence/values/optimizer_values.inc"
  };
  return all;
}

#define CUTSET_SIXTEEN_BIT_VALUES(run, type, step, ...) {run, type, step, {__VA_ARGS__}},
const std::vector<SixteenBitValue>& sixteen_bit_values() {
  static const std::vector<SixteenBitValue> all = {
#include "tests/equivalence/values/optimizer_values.inc"
  };
  return all;
}

}  // namespace cutset::testing
