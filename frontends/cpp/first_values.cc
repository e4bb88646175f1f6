#include "frontends/cpp/first_values.h"

#include <array>

#include "ir/core/attributes.h"
#include "ir/core/reference_run.h"

namespace cutset {

Result<TensorMap> draw_variables(const GraphSnapshot& graph, DType dtype) {
  TensorMap drawn;
  int64_t step = 0;  // training steps count from 1, so no training step draws the same numbers
  const TensorType scalar{DType::i64, {}};
  for (const DrawnVariable& v : graph.drawn_variables()) {
    const OpInfo& op = *find_op(v.first.op);
    HostTensor value({v.type.dtype == DType::f32 ? dtype : v.type.dtype, v.type.shape});
    CUTSET_ASSIGN(const FlatAttrs attributes, FlatAttrs::pack(op.schema, v.first.attributes));
    const std::array<TensorView, 2> in = {TensorView{nullptr, value.type()}, TensorView{&step, scalar}};
    const TensorView out(value.data(), value.type());
    CUTSET_TRY(run_reference(op, attributes.data(), in, {&out, 1}));
    drawn.emplace(v.name, std::move(value));
  }
  return drawn;
}

Status write_first_values(Executor& executor, const std::vector<Variable>& variables, const TensorMap& drawn) {
  for (const Variable& v : variables) {
    auto it = drawn.find(v.name);
    CUTSET_TRY(executor.variables().write(v.name, it == drawn.end() ? HostTensor(v.type) : it->second));
  }
  return {};
}

}  // namespace cutset
