#include "runtime/kernels/half_cases.h"

#include <algorithm>

namespace cutset {

Case in_type(Case c, DType type) {
  c.name += std::string(" in ") + name_of(type);
  for (Operand& o : c.operands)
    if (o.type.dtype == DType::f32) o.type.dtype = type;
  for (auto& [name, value] : c.attributes)
    if (auto* t = std::get_if<DType>(&value); t && *t == DType::f32) *t = type;
  if (c.relative == 0 && c.absolute == 0) return c;
  c.relative += type == DType::f16 ? 0x1p-10 : 0x1p-7;
  c.absolute = std::max(c.absolute, type == DType::f16 ? 0x1p-24 : 0.0);  // the distance of subnormal numbers
  c.why += std::string(", and one rounding to ") + name_of(type);
  return c;
}

std::vector<Case> half_cases(const OpInfo& op) {
  std::vector<Case> list;
  for (const Case& c : op.cases().fixed)
    for (const DType type : {DType::f16, DType::bf16}) {
      Case changed = in_type(c, type);
      const bool of_operands = std::any_of(changed.operands.begin(), changed.operands.end(),
                                           [&](const Operand& o) { return o.type.dtype == type; });
      if (of_operands || changed.attributes != c.attributes) list.push_back(std::move(changed));
    }
  return list;
}

}  // namespace cutset
