// SPDX-License-Identifier: Apache-2.0
// The elements of variables that are not finite when a training run begins, such as -inf in the mask of an
// attention.
#pragma once
#include <cutset/session.h>

#include <map>
#include <string>

namespace cutset {

// Distinguishes two kinds of elements that are not finite. Elements that were not finite from the beginning
// are saved. Elements that became so in training are not.
class FirstInfinities {
 public:
  // Reads all variables at the beginning of the run, and keeps the variables that have an element that is not
  // finite.
  void note(const Session& session);

  // Returns the first element of the variables of `session` that is not finite and has changed since the
  // beginning, such as "'w' is inf at element [0, 3]", or an empty text if there is none.
  std::string first_new(const Session& session) const;

 private:
  std::map<std::string, HostTensor> values_;  // by the name of the variable
};

}  // namespace cutset
