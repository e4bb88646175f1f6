// Reductions along axes.
#include <cutset/layers.h>
#include <cutset/reductions.h>
#include <cutset/shapes.h>

#include "frontends/onnx/import/converters.h"

namespace cutset::onnx {
namespace {

using Where = std::source_location;
using Axes = std::vector<int64_t>;
using Reduction = Tensor (*)(const Tensor&, const Axes&, bool, Where);

// No axes mean all dimensions. With the attribute noop_with_empty_axes they mean none: each element is reduced alone, so a
// new dimension of size 1 is.
template <Reduction reduce>
Results reduced(Node& n) {
  const Tensor x = n.in(0);
  const Axes axes = dimensions(n.numbers_or_operand("axes", 1).value_or(Axes{}), x.type().rank());
  const bool keepdims = n.number("keepdims", 1) != 0, noop = n.number("noop_with_empty_axes", 0) != 0;
  if (axes.empty() && noop)
    return {reduce(unsqueeze(x, {x.type().rank()}), {x.type().rank()}, false, Where::current())};
  return {reduce(x, axes, keepdims, Where::current())};
}

Tensor largest(const Tensor& x, const Axes& axes, bool keepdims, Where where) {
  return reduce_max(x, {.axes = axes, .keepdims = keepdims}, where);
}

Tensor smallest(const Tensor& x, const Axes& axes, bool keepdims, Where where) {
  return reduce_min(x, {.axes = axes, .keepdims = keepdims}, where);
}
Tensor product(const Tensor& x, const Axes& axes, bool keepdims, Where where) {
  return reduce_prod(x, {.axes = axes, .keepdims = keepdims}, where);
}

template <auto kIndexOf, class Options>
Results index_of_extreme(Node& n) {
  const Tensor x = n.in(0);
  const int64_t axis = dimension(n.number("axis", 0), x.type().rank());
  const Tensor index =
      kIndexOf(x, Options{.axis = axis, .select_last_index = n.number("select_last_index", 0) != 0}, Where::current());
  return {n.number("keepdims", 1) ? unsqueeze(index, {axis}) : index};
}

}  // namespace

void add_reductions(Converters& table) {
  table.insert({{"ReduceSum", reduced<sum>},
                {"ReduceMean", reduced<mean>},
                {"ReduceMax", reduced<largest>},
                {"ReduceMin", reduced<smallest>},
                {"ReduceProd", reduced<product>},
                {"ReduceL1", reduced<l1_norm>},
                {"ReduceL2", reduced<l2_norm>},
                {"ReduceSumSquare", reduced<sum_square>},
                {"ReduceLogSum", reduced<log_sum>},
                {"ReduceLogSumExp", reduced<log_sum_exp>},
                {"ArgMax", index_of_extreme<argmax, ArgmaxOptions>},
                {"ArgMin", index_of_extreme<argmin, ArgminOptions>}});
}

}  // namespace cutset::onnx
