// SPDX-License-Identifier: Apache-2.0
// Ops whose results are known or follow from a few known numbers, and Dropout.
#include <cutset/constants.h>
#include <cutset/shapes.h>

#include <cmath>

#include "frontends/onnx/element_types.h"
#include "frontends/onnx/import/converters.h"
#include "ir/core/half.h"

namespace cutset::onnx {
namespace {

constexpr int64_t kMaxRange = int64_t{1}
                              << 24;  // elements of Range; its graph grows with the logarithm of this number

HostTensor floats(const Shape& shape, const std::vector<double>& elements) {
  HostTensor tensor({DType::f32, shape});
  for (size_t i = 0; i < elements.size(); ++i) tensor.set(static_cast<int64_t>(i), elements[i]);
  return tensor;
}

Results constant_of(Node& n) {
  int values = 0;
  for (const char* name : {"value", "value_float", "value_floats", "value_int", "value_ints", "value_string",
                           "value_strings", "sparse_value"})
    values += n.has_attribute(name);
  if (values > 1) invalid("the node has " + std::to_string(values) + " values");
  if (const auto elements = n.tensor("value")) return {*elements};
  if (n.has_attribute("value_float")) return {floats({}, {n.real("value_float", 0)})};
  if (const auto list = n.reals("value_floats")) return {floats({static_cast<int64_t>(list->size())}, *list)};
  if (n.has_attribute("value_int")) return {HostTensor::scalar(n.number("value_int", 0))};
  if (const auto list = n.numbers("value_ints"))
    return {HostTensor({static_cast<int64_t>(list->size())}, *list)};
  unsupported("the value is text, sparse or missing");
}

Results constant_of_shape(Node& n) {
  const Shape shape = n.known_ints(0);
  const HostTensor value = n.tensor("value").value_or(HostTensor({DType::f32, {1}}));
  if (value.elements() != 1) invalid("the value has " + std::to_string(value.elements()) + " elements");
  return {broadcast_to(n.constant(value.reshaped({})), shape)};
}

// Returns how many whole numbers a range has: 0 or less if there are none, and NaN if the step is 0. Computes
// with __int128, because a double cannot hold all operands and differences. A double can hold every number of
// elements that is not too large.
double numbers_in_range(__int128 start, __int128 limit, __int128 step) {
  if (step == 0) return NAN;
  const __int128 way = limit - start, steps = way / step;
  return static_cast<double>(steps) + (way % step != 0 && (way < 0) == (step < 0));
}

Results range_of(Node& n) {
  const DType stash =
      dtype_of_onnx(n.number("stash_type", 1));  // the type in which elements of 16 bits are computed
  const HostTensor &start = n.known(0), &limit = n.known(1), &step = n.known(2);
  if (start.elements() != 1 || limit.elements() != 1 || step.elements() != 1)
    invalid("an operand is not a scalar");
  if (limit.dtype() != start.dtype() || step.dtype() != start.dtype())
    invalid("the types of the operands differ");
  const double count = is_float(start.dtype())
                           ? std::ceil((limit.at(0) - start.at(0)) / step.at(0))
                           : numbers_in_range(n.known_number(0), n.known_number(1), n.known_number(2));
  if (!(count <= static_cast<double>(kMaxRange)))
    invalid("the step is 0, or there are more than 2^24 elements");
  const DType type = start.dtype(), computed = n.opset() >= 27 && is_half(type) ? stash : type;
  const auto in_computed = [&](const Tensor& x) {
    return computed == type ? x : cast(x, {.dtype = computed});
  };
  const Tensor i = arange(n.graph(), static_cast<int64_t>(std::max(count, 0.0)), computed);
  const Tensor y =
      in_computed(n.constant(start.reshaped({}))) + i * in_computed(n.constant(step.reshaped({})));
  return {computed == type ? y : cast(y, {.dtype = type})};
}

// Returns a matrix that is 1 where the column is the row + k, and 0 elsewhere.
Results eye_like(Node& n) {
  const TensorType& type = n.type(0);
  if (type.rank() != 2) invalid("the operand is not a matrix");
  const DType to = n.has_attribute("dtype") ? dtype_of_onnx(n.number("dtype", 0)) : type.dtype;
  const Tensor row = unsqueeze(arange(n.graph(), type.shape[0], i64), {1}),
               column = arange(n.graph(), type.shape[1], i64);
  const int64_t k = n.number("k", 0);
  if (k > (int64_t{1} << 48) || k < -(int64_t{1} << 48)) invalid("k is " + std::to_string(k));
  const Tensor diagonal = equal(column, row + k);
  return {to == i1 ? diagonal : cast(diagonal, {.dtype = to})};
}

// Dropout returns its operand in inference, and in training with a ratio of 0. The mode is an attribute
// before version 7, and an operand since version 12.
Results dropout_of(Node& n) {
  n.ignore({"seed"});  // no generator is used
  const auto scalar = [&](int i) {
    if (n.known(i).elements() != 1) invalid("operand " + std::to_string(i) + " is not a scalar");
    return n.known(i).at(0);
  };
  if (n.has(1) && n.type(1).elements() != 1) invalid("the ratio is " + to_string(n.type(1)));
  const double ratio = n.real("ratio", 0.5);
  const bool training = n.opset() < 7 ? n.number("is_test", 0) == 0 : n.has(2) && scalar(2) != 0;
  if (training && (n.opset() < 12 ? ratio : n.has(1) ? scalar(1) : 0.5) != 0)
    unsupported(
        "training mode with a ratio that is not 0: ONNX does not define which elements are dropped; set "
        "is_test (before version 7) or training_mode (from version 12 on) for inference, or export the model "
        "in inference mode");
  Results results = {n.value(0)};
  if (!n.wants(1)) return results;
  HostTensor yes({n.opset() < 10 ? n.type(0).dtype : DType::i1, {}});
  yes.set(0, 1);
  results.emplace_back(broadcast_to(n.constant(yes), n.type(0).shape));
  return results;
}

}  // namespace

static void add_constants(Converters& table) {
  table.insert({{"Constant", constant_of},
                {"ConstantOfShape", constant_of_shape},
                {"Range", range_of},
                {"EyeLike", eye_like},
                {"Dropout", dropout_of}});
}

static const ConverterFamily kConstantsConverters(add_constants);

}  // namespace cutset::onnx
