// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/functional/signals/cosine_window.h"

#include <cutset/constants.h>
#include <cutset/shapes.h>

#include <algorithm>

#include "frontends/cpp/functional/signals/turns.h"
#include "frontends/cpp/graph/undo.h"

namespace cutset {

Tensor cosine_window(Graph& graph, int64_t size, const SignalWindowOptions& o,
                     const std::vector<double>& factors, std::source_location source) {
  constexpr int64_t kMaxSize = int64_t{1} << 30;
  if (size < 0 || size > kMaxSize || !is_dtype(o.dtype) || !is_float(o.dtype))
    throw Error(ErrorCode::kInvalidArgument, "a window has the size " + std::to_string(size),
                Error::line_of(source),
                "the size must be from 0 to 2^30, and the type a floating-point type");
  Undo undo(graph.state());
  const DType type = o.dtype == DType::f64 ? DType::f64 : DType::f32;
  const Tensor i = arange(graph, size, DType::i64, source);
  // The only element of a window that is not periodic is its middle, which is half of a period from its ends.
  const bool is_middle = !o.periodic && size == 1;
  const int64_t period = is_middle ? 2 : std::max<int64_t>(o.periodic ? size : size - 1, 1);
  const Tensor place = is_middle ? constant(graph, Number(1, source), DType::i64) : i;
  Tensor total;
  for (size_t k = 0; k < factors.size(); ++k) {
    const auto number = [&](int64_t n) { return constant(i, Number(n, source)); };
    const Tensor step = mod(mul(place, number(static_cast<int64_t>(k)), source), number(period), source);
    const Tensor term =
        ops::scale(turns_of(step, period, type, source).cosine, {.factor = factors[k]}, source);
    total = total.defined() ? add(total, term, source) : term;
  }
  if (is_middle) total = broadcast_to(total, {1}, source);
  if (o.dtype != type) total = cast(total, {.dtype = o.dtype}, source);
  undo.keep();
  return total;
}

}  // namespace cutset
