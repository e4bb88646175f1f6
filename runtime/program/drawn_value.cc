// SPDX-License-Identifier: Apache-2.0
#include "runtime/program/drawn_value.h"

#include <algorithm>
#include <array>

#include "ir/core/op/op_info.h"
#include "ir/core/op/reference_run.h"
#include "ir/core/tensor_view.h"

namespace cutset {

// The type of the second operand of an op that draws: the step.
static const TensorType kStep{DType::i64, {}};

Status check_drawn(const DrawnValue& drawn, const TensorType& type) {
  const OpInfo* op = find_op(drawn.op);
  const auto is_piece = [](const auto& attribute) { return attribute.first == "first_element"; };
  if (!op || !op->positional || op->operands.size() != 2 || !op->reads_type_only(0) ||
      std::any_of(drawn.attributes.begin(), drawn.attributes.end(), is_piece))
    return invalid_data("'" + drawn.op + "' is no op that draws the first value of a variable");
  CUTSET_ASSIGN(const FlatAttrs attributes, FlatAttrs::pack(op->schema, drawn.attributes));
  CUTSET_ASSIGN(const Types types, op->infer(attributes.data(), Types{type, kStep}));
  if (types != Types{type})
    return invalid_data("'" + drawn.op + "' draws no value of the type " + to_string(type));
  return {};
}

Result<HostTensor> draw(const DrawnValue& drawn, const TensorType& type) {
  const OpInfo& op = *find_op(drawn.op);
  HostTensor value(type);
  CUTSET_ASSIGN(const FlatAttrs attributes, FlatAttrs::pack(op.schema, drawn.attributes));
  int64_t step = 0;  // training steps count from 1, so no training step draws the same numbers
  const std::array<TensorView, 2> in = {TensorView{nullptr, type}, TensorView{&step, kStep}};
  const TensorView out(value.data(), value.type());
  CUTSET_TRY(run_reference(op, attributes.data(), in, {&out, 1}));
  return value;
}

}  // namespace cutset
