// SPDX-License-Identifier: Apache-2.0
// Learning-rate schedules: the learning rate as a function of the step. The rate is fed to each step as a
// scalar, so a change of the rate needs no new compilation:
//
//   using Kind = LearningRateSchedule::Kind;
//   LearningRateSchedule schedule{.kind = Kind::kCosine, .rate = 0.1, .total_steps = 1000};
//   session.set_hyper_parameter("learning_rate", schedule.at(session.step()));
//   session.train(batch);
#pragma once
#include <cstdint>

namespace cutset {

// A warm-up, during which the rate grows linearly from rate / warmup_steps to `rate`, followed by one of four
// kinds of decay. Steps count from 0. Below, t is the number of steps since the end of the warm-up, and T is
// total_steps - warmup_steps.
struct LearningRateSchedule {
  // How the rate changes after the warm-up.
  enum class Kind {
    kConstant,  // rate
    kStep,      // rate * decay^floor(t / step_size)
    kCosine,    // final_rate + (rate - final_rate) * (1 + cos(pi min(1, t / T))) / 2 (SGDR, arXiv:1608.03983,
                // eq. 5)
    kLinear,    // final_rate + (rate - final_rate) * (1 - min(1, t / T))
  };
  Kind kind = Kind::kConstant;  // the default keeps the rate
  double rate = 0.01;           // the largest rate, reached after the warm-up
  int64_t warmup_steps = 0;     // 0: no warm-up
  int64_t total_steps =
      0;  // kCosine and kLinear: the step, counted with the warm-up, from which final_rate holds
  int64_t step_size = 0;  // kStep: steps between two decays; at least 1
  double decay = 0.1;     // kStep: the factor of each decay
  double final_rate = 0;  // kCosine and kLinear: the last rate

  // Returns the rate of `step`. Throws a cutset::Error in these cases:
  // - A rate or `decay` is negative or not finite, or a number of steps is negative.
  // - kStep has a step_size below 1.
  // - kCosine or kLinear have no step after the warm-up.
  double at(int64_t step) const;
};

}  // namespace cutset
