// SPDX-License-Identifier: Apache-2.0
// Compares the training of a model under strategies with training on one device. In f64, rounding is too
// small to hide a wrong gradient.
#pragma once
#include <span>

#include "tests/equivalence/support/loss_forms.h"

namespace cutset::testing {

// A strategy on some devices.
struct Split {
  const char *devices, *strategy;
};
// Trains the form in f64 on `reference:0` and with each split, and expects the same losses, variables and
// copies. `bound` is the largest relative difference of a loss and of the change of a variable.
void expect_as_on_one_device(const LossForm& form, std::span<const Split> splits, double bound = 1e-12);

}  // namespace cutset::testing
