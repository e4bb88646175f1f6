// SPDX-License-Identifier: Apache-2.0
// Ops that take parts of tensors, join tensors, or add elements at their borders.
#include <cutset/constants.h>
#include <cutset/shapes.h>

#include <algorithm>

#include "frontends/onnx/import/converters.h"

namespace cutset::onnx {
namespace {

using Numbers = std::vector<int64_t>;

// Version 1 has a default axis.
Results concat_of(Node& n) {
  if (n.opset() >= 4 && !n.has_attribute("axis")) invalid("the attribute 'axis' is missing");
  return {concat(n.all(), {.axis = n.number("axis", 1)})};
}

// If no sizes are given, the dimension is divided into equal parts, and the last part may be smaller.
Results split_of(Node& n) {
  const Tensor x = n.in(0);
  if (n.opset() < 2 && !n.has_attribute("axis"))
    invalid("the attribute 'axis' is missing, for which version 1 of the operator set has no default");
  const int64_t axis = dimension(n.number("axis", 0), x.type().rank()),
                size = x.shape()[static_cast<size_t>(axis)];
  const int64_t parts = n.number("num_outputs", n.results());
  auto sizes = n.numbers_or_operand("split", 1);
  if (sizes && n.has_attribute("num_outputs"))
    invalid("the node has sizes of the parts and a number of parts");
  if (!sizes) {
    if (parts != n.results())
      invalid("num_outputs is " + std::to_string(parts) + ", but the node has " +
              std::to_string(n.results()) + " results");
    if (parts < 1) invalid("the node has no results");
    if (n.opset() < 18 && size % parts)
      invalid("a dimension of " + std::to_string(size) + " rows has no " + std::to_string(parts) +
              " equal parts; before version 18 of the operator set, unequal parts need their sizes");
    const int64_t each = (size + parts - 1) / parts;
    sizes.emplace();
    for (int64_t i = 0; i < parts; ++i) sizes->push_back(std::clamp<int64_t>(size - i * each, 0, each));
  }
  if (static_cast<int>(sizes->size()) != n.results())
    invalid("the node has " + std::to_string(n.results()) + " results, but " + std::to_string(sizes->size()) +
            " sizes");
  Results results;
  for (const Tensor& part : split_with_sizes(x, {.axis = axis, .sizes = *sizes})) results.emplace_back(part);
  return results;
}

Results slice_of(Node& n) {
  Tensor x = n.in(0);
  const auto starts = n.numbers_or_operand("starts", 1), ends = n.numbers_or_operand("ends", 2);
  if (!starts || !ends) invalid("the starts or ends are missing");
  Numbers all;
  for (size_t i = 0; i < starts->size(); ++i) all.push_back(static_cast<int64_t>(i));
  const Numbers axes = dimensions(n.numbers_or_operand("axes", 3).value_or(all), x.type().rank());
  const Numbers steps = n.has(4) ? n.known_ints(4) : Numbers(starts->size(), 1);
  if (ends->size() != starts->size() || axes.size() != starts->size() || steps.size() != starts->size())
    invalid("starts, ends, axes and steps differ in length");
  for (size_t i = 0; i < axes.size(); ++i) {
    // ONNX begins at the first element if a slice that goes backwards starts before it. Such a slice is empty
    // in Python and in slice().
    const bool starts_before = steps[i] < 0 && (*starts)[i] < -x.shape()[static_cast<size_t>(axes[i])];
    x = slice(x, axes[i], starts_before ? 0 : (*starts)[i], (*ends)[i], steps[i]);
  }
  return {x};
}

// Pads with the rows from the other end, repeated as often as they are needed.
Tensor wrapped(const Tensor& x, int64_t axis, int64_t before, int64_t after) {
  constexpr int64_t kMostCopies = 1024;
  const int64_t size = x.shape()[static_cast<size_t>(axis)];
  if (size == 0) invalid("wrap of a dimension without rows");
  const int64_t copies_before = before / size, copies_after = after / size;
  if (copies_before + copies_after > kMostCopies)
    unsupported("wrap with more than " + std::to_string(kMostCopies) +
                " times the rows that the dimension has");
  const int64_t rest_before = before % size, rest_after = after % size;
  std::vector<Tensor> parts;
  if (rest_before > 0)
    parts.push_back(ops::slice(x, {.axis = axis, .start = size - rest_before, .length = rest_before}));
  parts.insert(parts.end(), static_cast<size_t>(copies_before + 1 + copies_after), x);
  if (rest_after > 0) parts.push_back(ops::slice(x, {.axis = axis, .start = 0, .length = rest_after}));
  return parts.size() == 1 ? x : concat(parts, {.axis = axis});
}

Tensor padded(Node& n, const Tensor& x, const std::string& mode, double number, int64_t axis, int64_t before,
              int64_t after) {
  if (before == 0 && after == 0) return x;
  if (mode == "constant") {
    const Tensor value = n.has(2)      ? n.in(2)
                         : number != 0 ? constant(x, number)
                                       : n.constant(HostTensor({x.dtype(), {}}));
    // The last axis comes first.
    std::vector<int64_t> pads(static_cast<size_t>(2 * (x.type().rank() - axis)));
    pads[pads.size() - 2] = before;
    pads.back() = after;
    return pad(x, pads, PadMode::kConstant, value.type().rank() == 0 ? value : reshape(value, {}));
  }
  // Negative numbers of rows are removed first.
  const int64_t size = x.shape()[static_cast<size_t>(axis)], front = std::max<int64_t>(-before, 0),
                back = std::max<int64_t>(-after, 0);
  if (front + back > size) invalid("more rows are removed than there are");
  const Tensor kept =
      front || back ? ops::slice(x, {.axis = axis, .start = front, .length = size - front - back}) : x;
  before = std::max<int64_t>(before, 0);
  after = std::max<int64_t>(after, 0);
  if (mode == "wrap") return wrapped(kept, axis, before, after);
  if (mode != "edge" && mode != "reflect")
    invalid("the mode '" + mode + "' is not constant, edge, reflect or wrap");
  return ops::pad(kept, {.axis = axis,
                         .before = before,
                         .after = after,
                         .mode = mode == "edge" ? PadMode::kEdge : PadMode::kReflect});
}

Results pad_of(Node& n) {
  Tensor x = n.in(0);
  const auto pads = n.opset() < 2 ? n.numbers("paddings") : n.numbers_or_operand("pads", 1);
  if (!pads) invalid("the pads are missing");
  const std::string mode = n.text("mode", "constant");
  const double number = n.real("value", 0);  // before version 11
  if (n.has(2) && n.type(2).dtype != x.dtype()) invalid("the value is " + to_string(n.type(2)));
  Numbers axes;
  for (int64_t d = 0; d < x.type().rank(); ++d) axes.push_back(d);
  if (n.has(3)) axes = dimensions(n.known_ints(3), x.type().rank());
  if (pads->size() != 2 * axes.size())
    invalid("there are " + std::to_string(pads->size()) + " pads for " + std::to_string(axes.size()) +
            " axes");
  for (const int64_t rows : *pads)
    if (std::abs(rows) > (int64_t{1} << 40)) invalid("a pad has " + std::to_string(rows) + " rows");
  for (size_t i = 0; i < axes.size(); ++i)
    x = padded(n, x, mode, number, axes[i], (*pads)[i], (*pads)[i + axes.size()]);
  return {x};
}

// Gives each axis the wanted size: removes rows from both ends equally, or adds zeros to both ends. An odd
// row is removed from or added to the end.
Results center_crop_pad(Node& n) {
  Tensor x = n.in(0);
  const Numbers sizes = n.known_ints(1);
  Numbers all;
  for (int64_t d = 0; d < x.type().rank(); ++d) all.push_back(d);
  const Numbers axes = dimensions(n.numbers("axes").value_or(all), x.type().rank());
  if (sizes.size() != axes.size())
    invalid("there are " + std::to_string(sizes.size()) + " sizes for " + std::to_string(axes.size()) +
            " axes");
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t size = x.shape()[static_cast<size_t>(axes[i])];
    if (sizes[i] < 0 || sizes[i] > (int64_t{1} << 40)) invalid("a size is " + std::to_string(sizes[i]));
    if (sizes[i] <= size)
      x = ops::slice(x, {.axis = axes[i], .start = (size - sizes[i]) / 2, .length = sizes[i]});
    else
      x = ops::pad(x, {.axis = axes[i],
                       .before = (sizes[i] - size) / 2,
                       .after = sizes[i] - size - (sizes[i] - size) / 2});
  }
  return {x};
}

Results triangle_of(Node& n) {
  const int64_t k = n.has(1) ? n.known_number(1) : 0;
  return {n.number("upper", 1) ? triu(n.in(0), k) : tril(n.in(0), k)};
}

}  // namespace

static void add_slices(Converters& table) {
  table.insert({{"Concat", concat_of},
                {"Split", split_of},
                {"Slice", slice_of},
                {"Pad", pad_of},
                {"CenterCropPad", center_crop_pad},
                {"Trilu", triangle_of}});
}

static const ConverterFamily kSlicesConverters(add_slices);

}  // namespace cutset::onnx
