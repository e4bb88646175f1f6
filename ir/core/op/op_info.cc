// SPDX-License-Identifier: Apache-2.0
#include "ir/core/op/op_info.h"

namespace cutset {
namespace {

using Kind = OperandInfo::Kind;

Failure wrong_count(const OpInfo& op, size_t count) {
  size_t least = 0, most = 0;
  bool unlimited = false;
  for (const OperandInfo& o : op.operands) {
    least += o.kind != Kind::kOptional;
    ++most;
    unlimited |= o.kind == Kind::kVariadic;
  }
  const std::string takes = unlimited       ? (least == 1 ? "one" : std::to_string(least)) + " or more"
                            : least == most ? std::to_string(most)
                                            : std::to_string(least) + " to " + std::to_string(most);
  return invalid_data("'" + std::string(op.name) + "' takes " + takes + " operands, not " +
                      std::to_string(count));
}

bool fits(Kind kind, int64_t size, size_t count) {
  const int64_t least = kind == Kind::kOptional ? 0 : 1;
  const int64_t most = kind == Kind::kVariadic ? static_cast<int64_t>(count) : 1;
  return size >= least && size <= most;
}

// Returns the number of operands that each entry stands for, if at most one entry of the op is not required.
std::vector<int64_t> implied_sizes(const OpInfo& op, size_t count) {
  std::vector<int64_t> sizes;
  const int64_t other = static_cast<int64_t>(count) - static_cast<int64_t>(op.operands.size()) + 1;
  for (const OperandInfo& o : op.operands) sizes.push_back(o.kind == Kind::kRequired ? 1 : other);
  return sizes;
}

}  // namespace

Result<std::vector<OperandRange>> operand_ranges(const OpInfo& op, const Attributes& attributes,
                                                 size_t count) {
  const bool segmented =
      std::any_of(op.schema.fields.begin(), op.schema.fields.end(),
                  [](const AttrField& f) { return std::string_view(f.name) == kOperandSegments; });
  std::vector<int64_t> sizes;
  if (segmented) {
    const auto its = std::find_if(attributes.begin(), attributes.end(),
                                  [](const auto& a) { return a.first == kOperandSegments; });
    const auto* list = its == attributes.end() ? nullptr : std::get_if<IntList>(&its->second);
    if (!list || list->size() != op.operands.size())
      return invalid_data("'" + std::string(op.name) + "' needs the attribute '" + kOperandSegments +
                          "', a list of " + std::to_string(op.operands.size()) + " integers");
    sizes = *list;
  } else {
    sizes = implied_sizes(op, count);
  }
  std::vector<OperandRange> ranges;
  size_t first = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const OperandInfo& o = op.operands[i];
    if (!fits(o.kind, sizes[i], count)) {
      if (!segmented) return wrong_count(op, count);
      return invalid_data("'" + std::string(op.name) + "' takes " +
                          (o.kind == Kind::kRequired   ? "one operand"
                           : o.kind == Kind::kOptional ? "at most one operand"
                                                       : "one or more operands") +
                          " '" + o.name + "', not " + std::to_string(sizes[i]));
    }
    ranges.push_back({first, static_cast<size_t>(sizes[i])});
    first += ranges.back().size;
  }
  if (first == count) return ranges;
  if (!segmented) return wrong_count(op, count);
  return invalid_data("'" + std::string(op.name) + "' has " + std::to_string(count) + " operands, and its '" +
                      kOperandSegments + "' add up to another number");
}

}  // namespace cutset
