#include "ir/core/op_info.h"

namespace cutset {

Status check_operand_count(const OpInfo& op, size_t count) {
  const size_t most = op.operands.size(), least = most - static_cast<size_t>(op.optional);
  if (op.variadic ? count >= 1 : count >= least && count <= most) return {};
  const std::string takes = op.variadic     ? "one or more"
                            : least == most ? std::to_string(most)
                                            : std::to_string(least) + " to " + std::to_string(most);
  return invalid_data("'" + std::string(op.name) + "' takes " + takes + " operands, not " + std::to_string(count));
}

}  // namespace cutset
