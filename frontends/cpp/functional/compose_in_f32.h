// SPDX-License-Identifier: Apache-2.0
// compose() for arithmetic: a composition of f16 or bf16 computes in f32 and rounds its results once, as one
// op does (docs/decisions/0041-sixteen-bit-floats-compute-in-f32.md).
#pragma once
#include <cutset/ops.h>

#include <tuple>
#include <utility>
#include <vector>

#include "frontends/cpp/functional/compose.h"
#include "ir/core/half.h"

namespace cutset {

// Composes, as compose() does, with a `build` that takes `operands` as parameters. If x and all other
// floating-point tensors among them have one type of 16 bits, `build` gets them in f32, and its f32 results
// are rounded to this type.
template <class Build, class... Operands>
auto compose_in_f32(const Tensor& x, const char* function, std::source_location source,
                    const std::tuple<Operands...>& operands, Build build) {
  require_tensor(x, function, source);
  const DType type = x.dtype();
  bool narrow = is_half(type);
  const auto compare = [&](const Tensor& t) {
    narrow = narrow && (!is_float(t.dtype()) || t.dtype() == type);
    return t;
  };
  std::apply([&](const auto&... operand) { (void(with_each(operand, compare)), ...); }, operands);
  if (!narrow) return compose(x, function, source, [&] { return std::apply(build, operands); });
  const auto converted = [&](DType from, DType to) {
    return [=](const Tensor& t) { return t.dtype() == from ? cast(t, {.dtype = to}, source) : t; };
  };
  try {
    return compose(x, function, source, [&] {
      const auto wide = std::apply(
          [&](const auto&... operand) {
            return std::tuple{with_each(operand, converted(type, DType::f32))...};
          },
          operands);
      return with_each(std::apply(build, wide), converted(DType::f32, type));
    });
  } catch (const Error&) {
    Undo undo(x.graph());
    std::apply(build, operands);  // an error about the operands then has the types that the caller gave
    throw;
  }
}

// Composes a function whose ops depend on the sizes of its operands; `again` is as for compose().
template <class Again, class Build, class... Operands>
auto compose_in_f32(const Tensor& x, const char* function, std::source_location source, Again again,
                    const std::tuple<Operands...>& operands, Build build) {
  return compose(x, function, source, std::move(again),
                 [&] { return compose_in_f32(x, function, source, operands, build); });
}

}  // namespace cutset
