// SPDX-License-Identifier: Apache-2.0
// The reasons for the placement of an op, as plain data. <cutset/explain.h> includes this header.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace cutset {

// A device on which an op could run.
struct Candidate {
  std::string device;
  double seconds =
      0;  // the estimated time of one execution: cost rule of the op, performance model of the device
  std::string kernel;   // the kernel that would run if ops were not fused; "view" or "folded": none is needed
  std::string refusal;  // why the device cannot run the op; empty: it can
};

// Where one op runs in one replica, and why.
struct Explanation {
  std::string function, op, layer, source;  // `source` is the file and the line of the user's code
  std::string device, reason;               // empty: not placed
  std::string
      whole;  // why every replica computes the whole op, although the batch is split; empty: no such reason
  int64_t id = 0, replica = 0;
  int64_t times = 1;  // how often it runs per step: once, or once per micro-batch with its number of rows
  std::vector<Candidate> candidates;  // one per device, in their order
};

}  // namespace cutset
