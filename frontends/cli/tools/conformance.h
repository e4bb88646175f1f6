// SPDX-License-Identifier: Apache-2.0
// Compares every op of a device with the reference kernels and prints a report, for `cutset devices
// --selftest` and `cutset-conformance`.
#pragma once
#include <string>

namespace cutset::cli {

struct ConformanceOptions {
  std::string device;    // name of the device: "cuda:0"
  std::string plugin;    // the file of its backend, which the report must not replace; empty: a backend that
                         // was built with Cutset
  std::string op;        // the only op to test; empty: all ops
  std::string json;      // file for the report as JSON; empty: none; "-": standard output
  int random = 20;       // random problems per op, in addition to the fixed ones
  double seconds = 120;  // the longest time that one problem may take
};

// Runs the test, and prints one row per op and a summary. Returns whether every op that needs a kernel has
// one, and no problem failed. The test stops early in two cases, and the report then names the op:
// - A problem takes longer than `seconds`. The process ends with the exit code 1, because a thread that the
//   device blocks cannot be ended.
// - The device no longer copies memory after a failed problem. The ops that follow are not tested.
//
// Throws cutset::Error if the device cannot be opened or a file cannot be written.
bool run_conformance(const ConformanceOptions& options);

}  // namespace cutset::cli
