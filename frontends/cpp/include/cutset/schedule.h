// How a learning rate changes from step to step. It is fed as a number, so a schedule compiles nothing again.
#pragma once
#include <cstdint>

namespace cutset {

struct Schedule {
  enum class Kind {
    kConstant,
    kStep,    // times `decay` after every `step_size` steps
    kCosine,  // half a cosine from `rate` to `final_rate`
    kLinear,  // a straight line from `rate` to `final_rate`
  };
  Kind kind = Kind::kConstant;
  double rate = 0.01;        // the highest one, reached after the warm-up
  int64_t warmup_steps = 0;  // before the schedule begins: rate / warmup_steps in the first step, then steadily more
  int64_t total_steps = 0;   // with the warm-up; kCosine and kLinear reach final_rate there and stay
  int64_t step_size = 0;     // of kStep, at least 1
  double decay = 0.1;        // of kStep
  double final_rate = 0;     // of kCosine and kLinear

  // The rate of step 0, 1, ...; throws cutset::Error where the members above have no meaning.
  double at(int64_t step) const;
};

}  // namespace cutset
