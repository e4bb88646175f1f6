// SPDX-License-Identifier: Apache-2.0
// The values that cross the device ABI: problems of kernels, and errors.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "ir/core/attributes.h"
#include "ir/core/op/op_info.h"
#include "ir/core/result.h"
#include "runtime/abi/cutset_device.h"

namespace cutset {

// Returns the message of an error of the ABI. Never empty, even if the backend gives no message.
std::string message_of(const cutset_error& error);
// Converts an error of the ABI to a Failure of the same kind, which begins with `who`.
Failure failure_of(const std::string& who, const cutset_error& error);

// A cutset_problem that owns the arrays of types that it points to. It does not own the attributes.
class AbiProblem {
 public:
  AbiProblem(const OpInfo& op, const void* attributes, const Types& in, const Types& out);
  AbiProblem(const AbiProblem&) = delete;
  const cutset_problem* get() const { return &problem_; }

 private:
  std::vector<TensorType> held_;
  std::vector<cutset_type> types_;
  std::vector<const cutset_type*> pointers_;
  cutset_problem problem_;
};

// A problem with its attributes. A plan points to both.
struct OwnedProblem {
  FlatAttrs attributes;
  AbiProblem abi;
  OwnedProblem(const OpInfo& op, FlatAttrs a, const Types& in, const Types& out)
      : attributes(std::move(a)), abi(op, attributes.data(), in, out) {}
};
// Fails if the attributes do not fit the op.
Result<std::shared_ptr<const OwnedProblem>> own_problem(const OpInfo& op, const Attributes& attributes,
                                                        const Types& in, const Types& out);

}  // namespace cutset
