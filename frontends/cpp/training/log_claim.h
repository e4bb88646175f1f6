// SPDX-License-Identifier: Apache-2.0
// Claims a log for a run while no checkpoint of the run holds a place in the log.
#pragma once
#include <string>
#include <utility>

#include "ir/core/result.h"

namespace cutset {

// A small file beside the log that names the run which began the log. A run that was killed before its first
// checkpoint, and is started again, finds its log by this file. The file is removed when a checkpoint holds
// the place in the log.
class LogClaim {
 public:
  // Makes the claim of the run `run` in the file `path`. If `run` is empty, the run cannot be started again.
  LogClaim(std::string path, std::string run) : path_(std::move(path)), run_(std::move(run)) {}
  // Whether this run has begun the log.
  bool ours() const;
  // Names this run in the file, or removes the file if the run cannot be started again.
  Status write();
  // Removes the file.
  void remove();

 private:
  std::string path_, run_;
  bool removed_ = false;
};

}  // namespace cutset
