// SPDX-License-Identifier: Apache-2.0
// The scalars that a session feeds to every run besides the tensors of the caller: the step number and the
// hyper-parameters.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "runtime/program/program.h"
#include "runtime/program/value_range.h"

namespace cutset {

struct Feeds {
  uint64_t step = 0;  // the number of the training step (Graph::step)
  std::map<std::string, double>
      hyper_parameters;  // the values that have been set; a hyper-parameter without one has Port::initial
  ValueRanges ranges =
      {};  // the ranges of hyper-parameters that have one, and of inputs that are labels or indices
};

// Returns the inputs of the function whose values the caller gives, in their order.
std::vector<Port> caller_inputs(const Function& function);

// Writes the value of an input that the session feeds to `into`, as an element of port.type (i64, f32 or f64;
// at most 8 bytes). Fails if the value is not finite in that type.
Status feed(const Port& port, const Feeds& feeds, unsigned char* into);

// Sets hyper-parameter `name` in `feeds`. Fails, listing the known names, if no function of the program has
// it. Fails if the value is not finite in the type of the hyper-parameter, or outside its range.
Status set_hyper_parameter(const Program& program, const std::string& name, double value, Feeds& feeds);
// Returns every hyper-parameter of the program with its current value.
std::map<std::string, double> hyper_parameters(const Program& program, const Feeds& feeds);
// Returns the value of hyper-parameter `name`. Fails, listing the known names, if no function of the program
// has it.
Result<double> hyper_parameter(const Program& program, const std::string& name, const Feeds& feeds);

}  // namespace cutset
