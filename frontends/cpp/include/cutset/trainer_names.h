// SPDX-License-Identifier: Apache-2.0
// How the error messages of a Trainer name what the user of a program can change.
#pragma once
#include <string>

namespace cutset {

// The words for the options of a Trainer. The defaults are the members of TrainerOptions. A program whose
// users give options of their own, such as the command `cutset train`, sets the names of these.
struct TrainerNames {
  std::string batch = "batch", seed = "seed";   // TrainerOptions::batch and seed
  std::string length = "steps or epochs";       // what gives the number of steps
  std::string learning_rate = "learning rate";  // what gives the largest rate
  std::string schedule = "schedule.kind";       // what gives the kind of the schedule
  std::string warmup_steps = "schedule.warmup_steps";
  std::string rates = "the learning rate and the schedule";            // all that gives the rates
  std::string from = "checkpoints.from";                               // what gives the checkpoint
  std::string initial = "Session::load";                               // what reads variables for a new run
  std::string writer = "a Trainer";                                    // what writes checkpoints
  std::string program = "this program";                                // what has versions
  std::string samples = "the samples that the first run had";          // what gives their number
  std::string model = "the graph and the optimizer of the first run";  // what gives the variables
  std::string network = "the graph and the CompileOptions::f64 of the first run";  // what gives the ops
};

}  // namespace cutset
