// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/abi_values.h"

namespace cutset {

std::string message_of(const cutset_error& error) {
  if (error.message) return error.message;
  return "its backend gives an error with the code " + std::to_string(error.code) + " and without a message";
}

Failure failure_of(const std::string& who, const cutset_error& error) {
  const std::string what = who + ": " + message_of(error);
  switch (error.code) {
    case CUTSET_UNSUPPORTED:
      return unsupported(what);
    case CUTSET_UNAVAILABLE:
      return unavailable(what, "see cutset devices");
    case CUTSET_OUT_OF_MEMORY:
      return execution_failed(what, "the device is out of memory: use a smaller batch, or more devices");
    default:
      return execution_failed(what);
  }
}

AbiProblem::AbiProblem(const OpInfo& op, const void* attributes, const Types& in, const Types& out) {
  held_.reserve(in.size() + out.size());
  held_.insert(held_.end(), in.begin(), in.end());
  held_.insert(held_.end(), out.begin(), out.end());
  types_.reserve(held_.size());
  pointers_.reserve(held_.size());
  for (const TensorType& t : held_) {
    types_.push_back({.size = sizeof(cutset_type),
                      .dtype = static_cast<int32_t>(t.dtype),
                      .rank = t.rank(),
                      .shape = t.shape.data(),
                      .layout = nullptr});
    pointers_.push_back(&types_.back());
  }
  problem_ = {.size = sizeof problem_,
              .op = op.name,
              .attributes = attributes,
              .in = pointers_.data(),
              .out = pointers_.data() + in.size(),
              .in_count = in.size(),
              .out_count = out.size()};
}

Result<std::shared_ptr<const OwnedProblem>> own_problem(const OpInfo& op, const Attributes& attributes,
                                                        const Types& in, const Types& out) {
  CUTSET_ASSIGN(FlatAttrs flat, FlatAttrs::pack(op.schema, attributes));
  return std::make_shared<const OwnedProblem>(op, std::move(flat), in, out);
}

}  // namespace cutset
