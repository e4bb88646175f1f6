// What one device computes: every value of one function for one batch, by its number, with the op that makes
// it. Filled by walking through the unpartitioned program on the reference device.
#pragma once
#include <map>
#include <memory>

#include "ir/core/op_info.h"
#include "runtime/executable.h"

namespace cutset {

// One op of the unpartitioned program, with what it read and made.
struct ReferenceOp {
  const OpInfo* op = nullptr;
  Attributes attributes;
  std::vector<HostTensor> operands;  // of operands that are read for their type: the type alone
  std::vector<int32_t> numbers;      // of the operands; kNone where they have none
  int32_t first = kNone;             // number of its first result
  std::string label, source;
};

class ReferenceValues : public Observer {
 public:
  ReferenceValues(Executable& executable, std::string function) : executable_(executable), name_(std::move(function)) {}

  // Walks one step; the executable's variables are those after it.
  Status run(std::span<const HostTensor* const> inputs, const Feeds& feeds);

  const HostTensor* value(int32_t number) const;
  const ReferenceOp* producer(int32_t number) const;  // null: an input, a variable, a constant
  const std::map<std::string, HostTensor>& outputs() const { return outputs_; }

  Status before(const Place& place) override;
  Status after(const Place& place) override;

 private:
  void note_views(const Function& function, int32_t made);

  std::map<int32_t, std::vector<int32_t>> views_;  // of each buffer of the function

  Executable& executable_;
  std::string name_;
  std::map<int32_t, HostTensor> values_;
  std::map<int32_t, std::shared_ptr<ReferenceOp>> producers_;
  std::map<std::string, HostTensor> outputs_;
  std::shared_ptr<ReferenceOp> current_;
};

Types types_of(const std::vector<HostTensor>& tensors);
// One execution of `op` by its reference loop; in f64 where `wide`.
Result<std::vector<HostTensor>> run_reference_loop(const OpInfo& op, const Attributes& attributes,
                                                   const std::vector<HostTensor>& operands, bool wide = false);

}  // namespace cutset
