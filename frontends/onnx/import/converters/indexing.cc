// SPDX-License-Identifier: Apache-2.0
// Ops that read elements by their indices.
#include <cutset/constants.h>
#include <cutset/indexing.h>
#include <cutset/onnx_ops/indexing.h>
#include <cutset/shapes.h>

#include <map>

#include "frontends/onnx/import/converters.h"

namespace cutset::onnx {
namespace {

// Throws if the elements of operand 1 are known and one of them is not a valid index. Element k is an index
// of dimension `first` + k % `length` of operand 0. Without this check, a wrong index in a model would go
// unnoticed, because ops give defined results for all indices. Nodes that a condition may drop are not
// checked: the last iterations of a loop may have wrong indices.
void check_indices(const Node& n, int64_t first, int64_t length) {
  const auto& indices = n.value(1).known;
  if (!indices || is_float(indices->dtype()) || n.may_be_dropped()) return;
  for (int64_t k = 0; k < indices->elements(); ++k) {
    const int64_t dimension = first + k % length;
    if (dimension >= n.type(0).rank()) return;  // the op refuses these operands
    const auto size = static_cast<double>(n.type(0).shape[static_cast<size_t>(dimension)]);
    if (const double index = indices->at(k); index < -size || index >= size)
      invalid("element " + std::to_string(k) + " of operand 1 is not an index of dimension " +
              std::to_string(dimension) + " of " + to_string(n.type(0)));
  }
}
void check_indices_along_axis(const Node& n) {
  const int64_t rank = n.type(0).rank(), axis = n.number("axis", 0);
  if (axis >= -rank && axis < rank) check_indices(n, dimension(axis, rank), 1);
}
void check_indices_of_slices(const Node& n, int64_t first) {
  const TensorType& indices = n.type(1);
  if (first >= 0 && indices.rank() > 0 && indices.shape.back() > 0)
    check_indices(n, first, indices.shape.back());
}

Results gather_of(Node& n) {
  check_indices_along_axis(n);
  return {gather(n.in(0), n.in(1), {.axis = n.number("axis", 0)})};
}

// Returns `on` at the index along a new dimension `axis`, and `off` elsewhere. A negative index counts from
// the end.
Results one_hot_of(Node& n) {
  const int64_t depth = n.known_number(1);
  if (depth < 1) invalid("the depth is " + std::to_string(depth));
  Tensor indices = n.in(0);
  if (indices.dtype() != i64) indices = cast(indices, {.dtype = i64});
  indices = where(less(indices, constant(indices, 0)), indices + depth, indices);
  const Tensor hot = one_hot(indices, {.depth = depth, .dtype = f32});
  const Tensor values = n.in(2);
  const auto value = [&](int64_t i) {
    return reshape(ops::slice(values, {.axis = 0, .start = i, .length = 1}), {.shape = {}});
  };
  return {move_axis(where(greater(hot, constant(hot, 0)), value(1), value(0)), -1,
                    dimension(n.number("axis", -1), hot.type().rank()))};
}

Results gather_elements_of(Node& n) {
  check_indices_along_axis(n);
  return {gather_elements(n.in(0), n.in(1), {.axis = n.number("axis", 0)})};
}
Results gather_slices(Node& n) {
  check_indices_of_slices(n, n.number("batch_dims", 0));
  return {onnx_ops::gather_nd(n.in(0), n.in(1), n.number("batch_dims", 0))};
}

ScatterElementsReduction reduction_of(const Node& n) {
  using enum ScatterElementsReduction;
  static const std::map<std::string, ScatterElementsReduction> words = {
      {"none", kNone}, {"add", kAdd}, {"mul", kMul}, {"max", kMax}, {"min", kMin}};
  const auto found = words.find(n.text("reduction", "none"));
  if (found == words.end()) invalid("the reduction is not none, add, mul, max or min");
  return found->second;
}
Results scatter_elements_of(Node& n) {
  check_indices_along_axis(n);
  return {scatter_elements(n.in(0), n.in(1), n.in(2),
                           {.axis = n.number("axis", 0), .reduction = reduction_of(n)})};
}
Results scatter_slices(Node& n) {
  check_indices_of_slices(n, 0);
  return {onnx_ops::scatter_nd(n.in(0), n.in(1), n.in(2), reduction_of(n))};
}

Results top_k_of(Node& n) {
  n.ignore({"sorted"});  // the elements are sorted in any case
  const auto [values, indices] =
      top_k(n.in(0), {.k = n.has_attribute("k") ? n.number("k", 0) : n.known_number(1),
                      .axis = n.number("axis", -1),
                      .largest = n.number("largest", 1) != 0});
  return {values, indices};
}

// Returns the indices of all elements that are not 0, one column per element. A scalar has no indices.
Results non_zero_of(Node& n) {
  const HostTensor* elements = n.known_or_null(0);
  if (!elements)
    unsupported(
        "the number of elements that are not 0 is the shape of the result, and the elements are computed "
        "when the program runs; make them an initializer, or give the inputs that they follow from, in "
        "ImportOptions::known or with --known");
  const Shape& shape = elements->shape();
  std::vector<int64_t> found;
  for (int64_t i = 0; i < elements->elements(); ++i)
    if (elements->at(i) != 0) found.push_back(i);
  HostTensor indices({DType::i64, {static_cast<int64_t>(shape.size()), static_cast<int64_t>(found.size())}});
  const auto to = indices.as<int64_t>();
  for (size_t k = 0; k < found.size(); ++k) {
    int64_t rest = found[k];
    for (size_t d = shape.size(); d-- > 0; rest /= shape[d]) to[d * found.size() + k] = rest % shape[d];
  }
  return {indices};
}

template <Tensor (*Function)(const Tensor&, WholeNumber, bool, bool, std::source_location)>
Results cumulative(Node& n) {
  return {Function(n.in(0), n.known_number(1), n.number("reverse", 0) != 0, n.number("exclusive", 0) != 0,
                   std::source_location::current())};
}

}  // namespace

static void add_indexing(Converters& table) {
  table.insert({{"CumProd", cumulative<cumprod>},
                {"CumSum", cumulative<cumsum>},
                {"Gather", gather_of},
                {"GatherElements", gather_elements_of},
                {"GatherND", gather_slices},
                {"NonZero", non_zero_of},
                {"OneHot", one_hot_of},
                {"Scatter", scatter_elements_of},
                {"ScatterElements", scatter_elements_of},
                {"ScatterND", scatter_slices},
                {"TopK", top_k_of}});
}

static const ConverterFamily kIndexingConverters(add_indexing);

}  // namespace cutset::onnx
