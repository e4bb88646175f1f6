// SPDX-License-Identifier: Apache-2.0
// Reports which backends are installed, and whether their devices can be opened.
#pragma once
#include <string>
#include <vector>

namespace cutset {

// One row of `cutset devices`, about device 0 of a kind.
struct BackendReport {
  std::string backend;      // name of the backend: "onednn"
  std::string kind;         // kind of its devices: "cpu"
  std::string description;  // text of the backend for people
  std::string missing;      // why the device cannot be opened; empty: it can
};
// Returns one row for every backend that was found, and for every backend of this project that was not.
std::vector<BackendReport> report_backends();

}  // namespace cutset
