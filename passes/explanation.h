// Why an op is where it is, as plain data.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace cutset {

struct Candidate {
  std::string device;
  double seconds = 0;   // of one execution, by the op's cost rule and the device's numbers
  std::string kernel;   // that would run
  std::string refusal;  // why it cannot; empty: it can
};

struct Explanation {
  std::string function, op, label, source, device, reason;
  std::string whole;  // data(n) splits what the op reads, but every replica computes all of it: why; else empty
  int64_t id = 0, replica = 0;
  std::vector<Candidate> candidates;  // in the order of the devices
};

}  // namespace cutset
