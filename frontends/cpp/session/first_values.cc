// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/session/first_values.h"

#include <array>

#include "ir/core/attributes.h"
#include "ir/core/number_text.h"
#include "ir/core/op/op_info.h"
#include "ir/core/op/reference_run.h"
#include "ir/core/tensor_view.h"
#include "runtime/files/convert_floats.h"
#include "runtime/files/usable_memory.h"
#include "runtime/files/widen.h"

namespace cutset {

Result<TensorMap> initial_values(const GraphSnapshot& graph, DType dtype) {
  TensorMap initial;
  int64_t step = 0;  // training steps count from 1, so no training step draws the same numbers
  const TensorType scalar{DType::i64, {}};
  double bytes = 0;
  for (const InitializedVariable& v : graph.initialized_variables())
    bytes += static_cast<double>(v.type.bytes());
  if (bytes > static_cast<double>(usable_memory_bytes()))
    return unavailable("the initial values of the variables take " + shortest_text(bytes) +
                           " bytes, and this machine has " + std::to_string(usable_memory_bytes()),
                       "choose smaller sizes of the model");
  for (const InitializedVariable& v : graph.initialized_variables()) {
    if (v.first.elements) {
      initial.emplace(v.name, dtype == DType::f64 ? widened_to_f64(*v.first.elements) : *v.first.elements);
      continue;
    }
    const OpInfo& op = *find_op(v.first.op);
    HostTensor value({v.type.dtype == DType::f32 ? dtype : v.type.dtype, v.type.shape});
    CUTSET_ASSIGN(const FlatAttrs attributes, FlatAttrs::pack(op.schema, v.first.attributes));
    const std::array<TensorView, 2> in = {TensorView{nullptr, value.type()}, TensorView{&step, scalar}};
    const TensorView out(value.data(), value.type());
    CUTSET_TRY(run_reference(op, attributes.data(), in, {&out, 1}));
    initial.emplace(v.name, std::move(value));
  }
  return initial;
}

Result<HostTensor> first_value(const Variable& variable, const TensorMap& initial) {
  if (const auto own = initial.find(variable.name); own != initial.end()) return own->second;
  if (const auto owner = initial.find(variable.state_of); variable.starts_as_owner && owner != initial.end())
    return floats_in(owner->second, variable.type.dtype);
  HostTensor value(variable.type);
  if (variable.first != 0)
    CUTSET_TRY(dispatch_all(variable.type.dtype, [&]<class T>(T) {
      for (T& v : value.as<T>()) v = static_cast<T>(variable.first);
    }));
  return value;
}

Status write_first_values(Executor& executor, const std::vector<Variable>& variables,
                          const TensorMap& initial) {
  for (const Variable& v : variables) {
    CUTSET_ASSIGN(const HostTensor value, first_value(v, initial));
    CUTSET_TRY(executor.variables().write(v.name, value));
  }
  return {};
}

}  // namespace cutset
