// What a session feeds to every run beside the caller's tensors: the number of the step, and hyper-parameters.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "runtime/program.h"

namespace cutset {

struct Feeds {
  uint64_t step = 0;                               // of the run: see Graph::step
  std::map<std::string, double> hyper_parameters;  // those that were given a value; others have their port's initial
};

// The ports that the caller gives values for, in their order.
std::vector<Port> caller_inputs(const Function& function);

// The value of a port that the session feeds, as `port.type` (i64, f32 or f64), to `into`, which has 8 bytes. Fails
// where it is not finite in that type.
Status feed(const Port& port, const Feeds& feeds, unsigned char* into);

// The failure for a name that no hyper-parameter has. Its hint lists those of `have`.
Failure no_hyper_parameter(const std::string& name, const std::map<std::string, double>& have);
// Sets hyper-parameter `name` in `feeds`. Fails where no function of the program has it, with the names it has, and
// where the value is not finite in the type that it is fed as.
Status set_hyper_parameter(const Program& program, const std::string& name, double value, Feeds& feeds);
// Every hyper-parameter of the program with its value.
std::map<std::string, double> hyper_parameters(const Program& program, const Feeds& feeds);

}  // namespace cutset
