// SPDX-License-Identifier: Apache-2.0
// Reductions along axes.
#include <cutset/indexing.h>
#include <cutset/layers.h>
#include <cutset/onnx_ops/reductions.h>
#include <cutset/reductions.h>
#include <cutset/shapes.h>

#include "frontends/onnx/import/converters.h"

namespace cutset::onnx {
namespace {

using Where = std::source_location;
using Reduction = Tensor (*)(const Tensor&, const AxisList&, bool, Where);

// An empty list of axes means all dimensions. With the attribute noop_with_empty_axes, it means that each
// element is reduced alone, so a new dimension of size 1 is reduced.
template <Reduction reduce>
Results reduced(Node& n) {
  const Tensor x = n.in(0);
  const std::vector<int64_t> axes =
      dimensions(n.numbers_or_operand("axes", 1).value_or(std::vector<int64_t>()), x.type().rank());
  const bool keepdims = n.number("keepdims", 1) != 0, noop = n.number("noop_with_empty_axes", 0) != 0;
  if (axes.empty() && noop)
    return {reduce(unsqueeze(x, x.type().rank()), x.type().rank(), false, Where::current())};
  return {reduce(x, axes, keepdims, Where::current())};
}

template <Tensor (*Function)(const Tensor&, WholeNumber, bool, bool, Where)>
Results index_of_extreme(Node& n) {
  const Tensor x = n.in(0);
  const int64_t axis = dimension(n.number("axis", 0), x.type().rank());
  const Tensor index = Function(x, axis, n.number("keepdims", 1) != 0, n.number("select_last_index", 0) != 0,
                                Where::current());
  return {index};
}

}  // namespace

static void add_reductions(Converters& table) {
  table.insert({{"ReduceSum", reduced<sum>},
                {"ReduceMean", reduced<mean>},
                {"ReduceMax", reduced<max>},
                {"ReduceMin", reduced<min>},
                {"ReduceProd", reduced<prod>},
                {"ReduceL1", reduced<l1_norm>},
                {"ReduceL2", reduced<l2_norm>},
                {"ReduceSumSquare", reduced<onnx_ops::sum_square>},
                {"ReduceLogSum", reduced<onnx_ops::log_sum>},
                {"ReduceLogSumExp", reduced<log_sum_exp>},
                {"ArgMax", index_of_extreme<argmax>},
                {"ArgMin", index_of_extreme<argmin>}});
}

static const ConverterFamily kReductionsConverters(add_reductions);

}  // namespace cutset::onnx
