// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/run_reference.h"

#include "ir/core/attributes.h"
#include "ir/core/op/reference_run.h"
#include "runtime/files/widen.h"

namespace cutset {

Types types_of(const std::vector<HostTensor>& tensors) {
  Types types;
  for (const HostTensor& t : tensors) types.push_back(t.type());
  return types;
}

Result<std::vector<HostTensor>> run_reference_kernel(const OpInfo& op, const Attributes& attributes,
                                                     const std::vector<HostTensor>& operands, bool wide) {
  CUTSET_TRY(operand_ranges(op, attributes, operands.size()));
  CUTSET_ASSIGN(const FlatAttrs flat, FlatAttrs::pack(op.schema, attributes));
  std::vector<HostTensor> in;
  for (const HostTensor& t : operands) in.push_back(wide ? widened_to_f64(t) : t);
  CUTSET_ASSIGN(const Types results, op.infer(flat.data(), types_of(in)));
  std::vector<TensorView> from, to;
  for (HostTensor& t : in) from.emplace_back(t.data(), t.type());
  std::vector<HostTensor> out;
  for (const TensorType& t : results) out.emplace_back(t);
  for (HostTensor& t : out) to.emplace_back(t.data(), t.type());
  CUTSET_TRY(run_reference(op, flat.data(), from, to));
  return out;
}

}  // namespace cutset
