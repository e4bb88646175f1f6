// SPDX-License-Identifier: Apache-2.0
// The names that the error messages of a Trainer use for the options of a program.
#pragma once
#include <string>

namespace cutset {

// The words for the options of a Trainer. The defaults are the members of TrainerOptions. A program whose
// users set other options, such as the command `cutset train`, gives the names of its options.
struct TrainerNames {
  std::string batch = "batch", seed = "seed";   // TrainerOptions::batch and seed
  std::string length = "steps or epochs";       // the options that set the number of steps
  std::string learning_rate = "learning rate";  // the option that sets the largest rate
  std::string schedule = "schedule.kind";       // the option that sets the kind of the schedule
  std::string warmup_steps = "schedule.warmup_steps";
  std::string rates = "the learning rate and the schedule";  // all options that set the rates
  std::string from = "checkpoints.from";                     // the option that sets the checkpoint
  std::string initial = "Session::load";  // the function that reads variables for a new run
  std::string writer = "a Trainer";       // the writer of checkpoints
  std::string program = "this program";   // the program that has versions
  std::string samples = "the samples that the first run had";  // the samples, which set the number per epoch
  std::string model = "the graph and the optimizer of the first run";  // the objects that set the variables
  std::string network =
      "the graph and the CompileOptions::f64 of the first run";  // the objects that set the ops
};

}  // namespace cutset
