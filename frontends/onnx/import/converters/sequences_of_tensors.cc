// SPDX-License-Identifier: Apache-2.0
// Sequences of tensors. A graph has tensors only, so a sequence is a list that exists while the graph is
// built, and its length is known.
#include <cutset/constants.h>
#include <cutset/shapes.h>

#include <algorithm>

#include "frontends/onnx/element_types.h"
#include "frontends/onnx/import/converters.h"
#include "frontends/onnx/import/nodes/body.h"
#include "ir/core/number_text.h"

namespace cutset::onnx {
namespace {

constexpr size_t kLongest = 10'000;  // the largest number of tensors in a sequence

// Throws kUnsupported if a sequence of this length is too long, or if all sequences of the model together are
// too long.
void count(Node& n, size_t length) {
  if (length > kLongest) unsupported("a sequence has more than " + std::to_string(kLongest) + " tensors");
  n.bodies().count_sequence(static_cast<int64_t>(length) + 1);
}

Value sequence_of(Node& n, Values tensors) {
  count(n, tensors.size());
  for (const Value& tensor : tensors)
    if (tensor.type().dtype != tensors[0].type().dtype)
      invalid("a sequence has tensors of the element types " + std::string(name_of(tensors[0].type().dtype)) +
              " and " + name_of(tensor.type().dtype));
  return Value(std::move(tensors));
}

// Returns the position in operand `i`, one of `places` positions in a sequence of `size` tensors. A negative
// position counts from the end of the sequence. The default is the last position.
size_t place(Node& n, int i, size_t size, size_t places) {
  const auto end = static_cast<int64_t>(size), count = static_cast<int64_t>(places);
  const int64_t position = n.has(i) ? n.known_number(i) : count - 1;
  if (position < -end || position >= count)
    invalid("the position " + std::to_string(position) + " is out of range; there are " +
            counted(places, "position"));
  return static_cast<size_t>(position < 0 ? position + end : position);
}

Results construct(Node& n) {
  Values tensors;
  for (int i = 0; i < n.operands(); ++i) tensors.push_back(n.value(i));
  return {sequence_of(n, std::move(tensors))};
}

Results empty_sequence(Node& n) {
  dtype_of_onnx(static_cast<int32_t>(n.number("dtype", 1)), "the sequence");
  return {sequence_of(n, {})};
}

Results at_position(Node& n) {
  const Values& tensors = n.sequence(0);
  return {tensors[place(n, 1, tensors.size(), tensors.size())]};
}

Results inserted(Node& n) {
  Values tensors = n.sequence(0);
  const size_t at = place(n, 2, tensors.size(), tensors.size() + 1);
  tensors.insert(tensors.begin() + static_cast<std::ptrdiff_t>(at), n.value(1));
  return {sequence_of(n, std::move(tensors))};
}

Results erased(Node& n) {
  Values tensors = n.sequence(0);
  tensors.erase(tensors.begin() + static_cast<std::ptrdiff_t>(place(n, 1, tensors.size(), tensors.size())));
  return {sequence_of(n, std::move(tensors))};
}

Results length(Node& n) { return {HostTensor::scalar(static_cast<int64_t>(n.sequence(0).size()))}; }

// Returns the sizes of the parts. If operand 1 is a list, they are its elements. Otherwise the parts have
// equal sizes, and the last part may be smaller.
std::vector<int64_t> part_sizes(Node& n, int64_t size) {
  if (n.has(1) && n.type(1).rank() > 0) {
    std::vector<int64_t> sizes = n.known_ints(1);
    count(n, sizes.size());
    return sizes;
  }
  const int64_t each = n.has(1) ? n.known_number(1) : 1;
  if (each < 1) invalid("the size of a part is " + std::to_string(each));
  const int64_t parts = size / each + (size % each > 0);
  count(n, static_cast<size_t>(parts));
  std::vector<int64_t> sizes(static_cast<size_t>(parts), each);
  if (size % each > 0) sizes.back() = size % each;
  return sizes;
}

Results split_to_sequence(Node& n) {
  const TensorType& type = n.type(0);
  const int64_t axis = dimension(n.number("axis", 0), type.rank());
  const std::vector<int64_t> sizes = part_sizes(n, type.shape[static_cast<size_t>(axis)]);
  // Parts with a given size keep the dimension.
  const bool keeps = n.number("keepdims", 1) != 0, squeezes = !n.has(1) && !keeps;
  if (sizes.empty()) return {sequence_of(n, {})};
  return {sequence_of(n, n.bodies().compute({n.value(0)}, [=](const std::vector<Tensor>& x) {
    std::vector<Tensor> parts = split_with_sizes(x[0], {.axis = axis, .sizes = sizes});
    if (squeezes)
      for (Tensor& part : parts) part = squeeze(part, {axis});
    return parts;
  }))};
}

Results concat_from_sequence(Node& n) {
  const Values& tensors = n.sequence(0);
  if (tensors.empty()) invalid("an empty sequence is joined");
  if (!n.has_attribute("axis")) invalid("the attribute 'axis' is missing");
  const bool stacks = n.number("new_axis", 0) != 0;
  const int64_t axis = dimension(n.number("axis", 0), tensors[0].type().rank() + stacks);
  return n.bodies().compute(tensors, [=](const std::vector<Tensor>& parts) -> std::vector<Tensor> {
    return {stacks ? stack(parts, axis) : concat(parts, {.axis = axis})};
  });
}

// Converts the body once per tensor of operand 0. The body also reads the tensors at the same position of
// other sequences, and whole tensors.
Results mapped(Node& n) {
  Body body(n, "body");
  body.require_inputs(n.operands());
  const size_t length = n.sequence(0).size();
  std::vector<Values> results(static_cast<size_t>(body.outputs()));
  for (size_t i = 0; i < length; ++i) {
    Values inputs;
    for (int k = 0; k < n.operands(); ++k) {
      const Value& operand = n.tensor_or_sequence(k);
      if (operand.sequence && operand.sequence->size() != length)
        invalid("operand " + std::to_string(k) + " has " + counted(operand.sequence->size(), "tensor") +
                ", but operand 0 has " + std::to_string(length));
      inputs.push_back(operand.sequence ? (*operand.sequence)[i] : operand);
    }
    const std::optional<Values> outputs = body.convert(inputs, std::to_string(i));
    if (!outputs) return {};
    for (size_t k = 0; k < results.size(); ++k) results[k].push_back((*outputs)[k]);
  }
  Results sequences;
  for (Values& result : results) sequences.push_back(sequence_of(n, std::move(result)));
  return sequences;
}

}  // namespace

static void add_sequences_of_tensors(Converters& table) {
  table.insert({{"SequenceConstruct", construct},
                {"SequenceEmpty", empty_sequence},
                {"SequenceAt", at_position},
                {"SequenceInsert", inserted},
                {"SequenceErase", erased},
                {"SequenceLength", length},
                {"SplitToSequence", split_to_sequence},
                {"ConcatFromSequence", concat_from_sequence},
                {"SequenceMap", mapped}});
}

static const ConverterFamily kSequencesOfTensorsConverters(add_sequences_of_tensors);

}  // namespace cutset::onnx
