// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/half_cases.h"

#include <algorithm>
#include <string_view>

namespace cutset {

static bool keeps_f32(const OpInfo& op, size_t operand) {
  if (op.updates == 0 && !op.rounds_alike) return false;
  const std::string_view name = op.operand(operand).name;
  return name != "variable" && name != "gradient" && name != "value" && name != "sum";
}

Case in_type(const OpInfo& op, Case c, DType type) {
  c.name += std::string(" in ") + name_of(type);
  for (size_t i = 0; i < c.operands.size(); ++i)
    if (DType& dtype = c.operands[i].type.dtype; dtype == DType::f32 && !keeps_f32(op, i)) dtype = type;
  for (auto& [name, value] : c.attributes)
    if (auto* t = std::get_if<DType>(&value); t && *t == DType::f32) *t = type;
  if (c.relative == 0 && c.absolute == 0) return c;
  c.relative += type == DType::f16 ? 0x1p-10 : 0x1p-7;
  c.absolute = std::max(c.absolute, type == DType::f16
                                        ? 0x1p-24
                                        : 0.0);  // the distance between two neighbouring subnormal numbers
  c.why += std::string(", and one rounding to ") + name_of(type);
  return c;
}

// Whether the op takes the case. An op of a user may refuse f16 and bf16.
static bool is_valid(const OpInfo& op, const Case& c) {
  Types in;
  for (const Operand& o : c.operands) in.push_back(o.type);
  const auto attributes = FlatAttrs::pack(op.schema, c.attributes);
  return attributes.ok() && op.infer(attributes->data(), in).ok();
}

std::vector<Case> half_cases(const OpInfo& op) {
  std::vector<Case> list;
  for (const Case& c : op.cases().fixed)
    for (const DType type : {DType::f16, DType::bf16}) {
      Case changed = in_type(op, c, type);
      const bool has_f32 = changed.attributes != c.attributes ||
                           std::any_of(c.operands.begin(), c.operands.end(),
                                       [](const Operand& o) { return o.type.dtype == DType::f32; });
      if (has_f32 && is_valid(op, changed)) list.push_back(std::move(changed));
    }
  return list;
}

}  // namespace cutset
