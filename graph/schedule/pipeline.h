// SPDX-License-Identifier: Apache-2.0
// A pipeline as plain numbers: what its stages and links take per micro-batch.
//
// A stage is a segment of the graph on one device. Stage s sends its results to stage s + 1, and stage s + 1
// sends gradients back. Several stages may lie on one device. Generators of schedules place stage s on device
// s mod p.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ir/core/result.h"

namespace cutset {

// The times of a micro-batch of size 1. The backward pass has an input part, which computes the gradients
// that leave the stage, and a weight part, which computes the gradients of the variables. A schedule runs
// both parts as one action or as two.
struct Stage {
  int64_t device = 0;
  double forward = 0, backward_input = 0, backward_weight = 0;  // seconds
  double update = 0;                                            // seconds, once per step
  uint64_t stash_bytes = 0;  // the bytes that backward needs of forward, per micro-batch of size 1
};

struct PipelineCosts {
  std::vector<Stage> stages;
  std::vector<double>
      links;  // links[s]: seconds of a transfer between stages s and s + 1, in both directions
  std::vector<double> micro_batches;  // the size of each micro-batch, by which times and bytes are multiplied
  // The names of the devices, for error messages; empty: they have no names.
  std::vector<std::string> names = {};

  // Returns the name of a device, or "device 3" if it has none.
  std::string name_of_device(int64_t device) const;
  // Returns the number of devices: one more than the largest device of a stage.
  int64_t devices() const;
  // Returns the size of the largest micro-batch.
  double largest_micro_batch() const;
};

// The largest number of pairs of a stage and a micro-batch. More is an error.
inline constexpr int64_t kScheduleCells = int64_t{1} << 20;
// The largest time in seconds, size of a micro-batch, and number of bytes of a stash.
inline constexpr double kPipelineSeconds = 1e9, kMicroBatchSize = 1e9;
inline constexpr int64_t kStashBytes = int64_t{1} << 50;

// Fails if the pipeline has no stage or micro-batch, if a number is out of range, if there is not one link
// between consecutive stages, or if a device below the largest one has no stage.
Status check_pipeline(const PipelineCosts& pipeline);

// Divides every stage into `chunks` equal stages. Chunk c of the stage on device d becomes stage c p + d,
// where p is the number of devices. `wrap` is the seconds of a transfer from the last device to the first
// one. The pipeline must have one stage per device, in the order of the devices.
Result<PipelineCosts> divide_stages(const PipelineCosts& pipeline, int64_t chunks, double wrap);

}  // namespace cutset
