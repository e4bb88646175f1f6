// SPDX-License-Identifier: Apache-2.0
// Holds what a single device computes: every value of one function for one batch, by its number, with the op
// that produces it. The values come from stepping through the single-device program on the reference device.
// `verify` compares a partitioned program with them.
#pragma once
#include <map>
#include <memory>

#include "ir/core/op/op_info.h"
#include "runtime/execute/executable.h"

namespace cutset {

// One op of the single-device program with the values of its operands. Values are numbered as in
// ValueOrigin::number.
struct ReferenceOp {
  const OpInfo* op = nullptr;
  Attributes attributes;
  std::vector<HostTensor> operands;  // zeros for an operand that is read only for its type
  std::vector<int32_t> numbers;      // the numbers of the operands; kNone: an operand has no number
  int32_t first = kNone;             // the number of the first result; the others follow without a gap
  std::string layer, source;         // as in Instruction
};

// One thread at a time may use it. The executable must outlive it.
class ReferenceValues : public Observer {
 public:
  // `executable` holds the single-device program, and `function` is the name of the function to step through.
  ReferenceValues(Executable& executable, std::string function)
      : executable_(executable), name_(std::move(function)) {}

  // Steps through one step and keeps its values. The variables of the executable are updated. Fails if the
  // device does.
  Status run(std::span<const HostTensor* const> inputs, const Feeds& feeds);

  // Returns the value with this number, or null if there is none.
  const HostTensor* value(int32_t number) const;
  // Returns the op that produces the value with this number, or null for an input, a variable and a constant.
  const ReferenceOp* producer(int32_t number) const;
  // Returns the outputs of the step, by name.
  const std::map<std::string, HostTensor>& outputs() const { return outputs_; }

  Status before(const PlacedInstruction& place) override;
  Status after(const PlacedInstruction& place) override;

 private:
  void note_views(const Function& function, BufferId buffer);

  std::map<BufferId, std::vector<BufferId>> views_;  // by buffer: the buffers that are views of it

  Executable& executable_;
  std::string name_;
  std::map<int32_t, HostTensor> values_;
  std::map<int32_t, std::shared_ptr<ReferenceOp>> producers_;
  std::map<std::string, HostTensor> outputs_;
  std::shared_ptr<ReferenceOp> current_;  // the op between before() and after()
};

}  // namespace cutset
