// The position of a training run in its samples, as notes of a checkpoint.
#pragma once
#include <cutset/optimizers.h>
#include <cutset/session.h>

#include <cstdint>
#include <optional>
#include <string>

#include "frontends/cli/train/first_infinities.h"

namespace cutset::cli {

// How far a training run is in its samples, and what the order of the samples depends on.
struct TrainingPosition {
  uint64_t first_step = 0;      // the step at which the first run began: that of the file of --init, or 0
  int64_t epoch = 0;            // the epochs that are complete
  int64_t batches = 0;          // the batches of the next epoch that are complete
  int64_t batch = 0;            // samples per step
  int64_t samples = 0;          // samples per epoch
  uint64_t seed = 0;            // of the order of the samples
  std::string source;           // what the samples are, and how they are changed and ordered
  std::string contents;         // the number of samples, and a checksum of them
  std::string loss;             // of an ONNX model; that of a built-in model is its own
  std::string network;          // the element type, and a hash of the graph
  std::string frozen;           // the variables that are not trained, as the user has named them
  std::string optimizer;        // the optimizer and its hyper-parameters without the learning rate
  std::string rate;             // the learning rate and its schedule
  double best = 0;              // the best value of the metric so far, if there was an evaluation
  bool evaluated = false;       // whether there was an evaluation with a finite metric
  int64_t evaluated_step = -1;  // the steps that were complete at the last evaluation; -1: there was none
  bool operator==(const TrainingPosition&) const = default;
};

// The optimizer with this name as a position has it: "sgd, momentum 0.9".
std::string description(const std::string& name, const Optimizer& optimizer);

// Writes the variables of `session` and the position to `path`. Throws a cutset::Error, and leaves an
// existing file unchanged, if a value of a variable is not finite and was another one when `first` noted it.
void save_checkpoint(const Session& session, const std::string& path, const TrainingPosition& position,
                     const FirstInfinities& first);

// Reads the position from a checkpoint. Throws a cutset::Error if the file has none, if an older version wrote it, or if it was made with another number of samples
// per step or per epoch, another seed, other samples, another loss, other frozen variables, another optimizer or another learning rate than `expected` has, because the run would not be continued. check_network() compares the network.
TrainingPosition read_position(const std::string& path, const TrainingPosition& expected);

// Throws a cutset::Error unless `step`, the step of the checkpoint `path`, is the one that its position
// `read` implies, and the one of its name, `named`, if it is named for a step. An epoch has `per_epoch`
// steps.
void check_step(const std::string& path, const TrainingPosition& read, int64_t per_epoch, uint64_t step,
                std::optional<uint64_t> named);

// Throws a cutset::Error if the checkpoint `path`, which has the position `read`, was made with another network than `expected` has. Call it when the
// variables are loaded, because a variable of another shape says more than a hash.
void check_network(const std::string& path, const TrainingPosition& read, const TrainingPosition& expected);

}  // namespace cutset::cli
