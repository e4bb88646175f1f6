// SPDX-License-Identifier: Apache-2.0
// Finds the calls of a role whose arguments share memory in the same way as the arguments of an earlier call.
#pragma once
#include <vector>

#include "runtime/program/check/units.h"
#include "runtime/program/program.h"

namespace cutset::checks {

class CallForms {
 public:
  // Both arguments must outlive this object.
  CallForms(const Function& f, const Units& units)
      : f_(f),
        units_(units),
        of_unit_(units.units.size()),
        of_frame_(f.frames.size()),
        forms_(f.roles.size()) {}

  // Returns false if add() was called for a call of the same role and form. It takes linear time in the
  // number of buffers of the arguments.
  bool is_new(const CallRole& call);
  // Adds the form of the call for which is_new() was called last.
  void add(const CallRole& call) { forms_[call.role.index()].push_back(form_); }

 private:
  // The last call that something is an argument of, as counted by `call_`, and the first of these arguments.
  struct Seen {
    int64_t call = 0;
    int32_t argument = 0;
  };
  // For each argument of a call, the first argument that is the same. A simple frame is one argument. In any
  // other frame, each buffer is one argument, and kNone stands for a buffer that has no unit.
  using Form = std::vector<int32_t>;
  // Stands before the number of a frame, to tell it from the number of a buffer.
  static constexpr int32_t kFrame = -2;

  const Function& f_;
  const Units& units_;
  std::vector<Seen> of_unit_, of_frame_;
  int64_t call_ = 0;                      // counts the calls, from 1
  Form form_;                             // of the last call
  std::vector<std::vector<Form>> forms_;  // by role
};

}  // namespace cutset::checks
