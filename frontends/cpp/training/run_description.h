// SPDX-License-Identifier: Apache-2.0
// The properties that a training run depends on, as notes of its checkpoints.
#pragma once
#include <cutset/trainer.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace cutset {

// The notes of a file of variables, by name.
using Notes = std::map<std::string, std::string>;

// The properties that do not change during a run. A run that is resumed must have the same properties.
struct RunDescription {
  int64_t batch = 0;    // samples per step
  int64_t samples = 0;  // samples per epoch
  uint64_t seed = 0;    // the seed of the order of the samples
  std::string rate;     // the learning rate and its schedule
  std::string network;  // the element type and a hash of the graph; empty in a run without checkpoints
  std::vector<RunProperty> properties;

  // Adds the notes of the run.
  void add_to(Notes& notes) const;
  // Returns the names of the notes that each checkpoint of such a run has, in the order in which Cutset has
  // begun to write them.
  std::vector<std::string> required() const;
  // Throws a cutset::Error if the notes of the checkpoint `path` describe another run. The notes must have
  // the names of required(). The network is not compared.
  void require_same(const std::string& path, const Notes& notes, const TrainerNames& names) const;
  // Throws a cutset::Error if the checkpoint was made with another network. Call it after the variables are
  // loaded, because an error about the shape of a variable says more than a hash.
  void require_network(const std::string& path, const Notes& notes, const TrainerNames& names) const;
};

}  // namespace cutset
