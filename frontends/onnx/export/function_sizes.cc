// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/export/function_sizes.h"

#include <algorithm>

namespace cutset::onnx {
namespace {

// The batch of a function, before the function is listed for other batches.
struct Batch {
  int64_t size = 0;
  std::optional<size_t> input;  // an input with the batch, with one row per sample if there is one
};

bool has_batch(const ListedInput& input) { return input.batch_dimension && !input.fed; }
int64_t rows_of(const ListedFunction& f, const ListedInput& input) {
  return f.types[static_cast<size_t>(input.value)].shape[static_cast<size_t>(*input.batch_dimension)];
}

Result<Batch> batch_of(const ListedFunction& f) {
  Batch batch;
  for (const bool several : {false, true}) {
    for (size_t i = 0; i < f.inputs.size(); ++i) {
      const ListedInput& input = f.inputs[i];
      if (!has_batch(input) || input.several_rows != several) continue;
      const int64_t size = rows_of(f, input);
      if (!batch.input) batch = {size, i};
      if (several ? size % batch.size != 0 : size != batch.size)
        return invalid_argument("the inputs differ in the size of their batch: '" +
                                f.inputs[*batch.input].name + "' has " + std::to_string(batch.size) +
                                " and '" + input.name + "' " + std::to_string(size));
      if (size == 0) return invalid_argument("the batch of the input '" + input.name + "' is empty");
    }
  }
  if (!batch.input) return invalid_argument("no input has a batch");
  return batch;
}

// Fails if the lists do not have the same ops. The attribute `shape` of a reshape may differ, because the
// sizes of its result contain it.
Status same_ops(const ListedFunction& a, const ListedFunction& b) {
  const auto same = [](const ListedOp& x, const ListedOp& y) {
    return x.name == y.name && x.operands == y.operands && x.results == y.results &&
           (x.attributes == y.attributes || x.name == "reshape") && x.variable == y.variable &&
           !x.elements == !y.elements && (!x.elements || *x.elements == *y.elements);
  };
  const auto [op, other] = std::mismatch(a.ops.begin(), a.ops.end(), b.ops.begin(), b.ops.end(), same);
  if (op != a.ops.end())
    return invalid_argument("the op '" + op->name + "'" +
                            (op->source.empty() ? "" : " (" + op->source + ")") +
                            " is another one for other batches");
  if (other != b.ops.end() || a.outputs != b.outputs || a.types.size() != b.types.size())
    return invalid_argument("the ops differ between batches");
  return {};
}

// Returns the sizes of all values, from lists for the batches b, b + 1 and b + 2.
Result<std::vector<Sizes>> sizes_of(const std::vector<ListedFunction>& lists, int64_t b) {
  CUTSET_TRY(same_ops(lists[0], lists[1]));
  CUTSET_TRY(same_ops(lists[0], lists[2]));
  std::vector<Sizes> all;
  for (size_t v = 0; v < lists[0].types.size(); ++v) {
    const Shape &s0 = lists[0].types[v].shape, &s1 = lists[1].types[v].shape, &s2 = lists[2].types[v].shape;
    Sizes& sizes = all.emplace_back();
    if (s0.size() != s1.size() || s0.size() != s2.size())
      return invalid_argument("the rank of a value differs between batches");
    for (size_t d = 0; d < s0.size(); ++d) {
      const int64_t per_sample = s1[d] - s0[d];
      if (s2[d] - s1[d] != per_sample)
        return invalid_argument("a size is " + to_string(Shape{s0[d], s1[d], s2[d]}) + " for batches of " +
                                to_string(Shape{b, b + 1, b + 2}) +
                                ", which is not a multiple of the batch plus a number");
      sizes.push_back({per_sample, s0[d] - per_sample * b});
    }
  }
  return all;
}

// Fails if the outputs of `other`, the function for the batch `b`, do not have the shapes that `sizes` gives
// for this batch.
Status check_outputs(const ListedFunction& listed, const std::vector<Sizes>& sizes,
                     const ListedFunction& other, int64_t b) {
  if (listed.outputs.size() != other.outputs.size())
    return invalid_argument("the outputs differ between batches");
  for (size_t i = 0; i < listed.outputs.size(); ++i) {
    const auto& [name, value] = listed.outputs[i];
    Shape expected;
    for (const Size& size : sizes[static_cast<size_t>(value)])
      expected.push_back(size.per_sample * b + size.rest);
    const Shape& shape = other.types[static_cast<size_t>(other.outputs[i].second)].shape;
    if (shape != expected)
      return invalid_argument("the output '" + name + "' has the shape " + to_string(shape) +
                              " for a batch of " + std::to_string(b) + ", and not " + to_string(expected));
  }
  return {};
}

Result<SizedFunction> with_open_batch(const GraphSnapshot& graph, const ListedFunction& listed) {
  CUTSET_ASSIGN(const Batch batch, batch_of(listed));
  const auto list_for = [&](int64_t b) {
    std::map<std::string, Shape> shapes;
    for (const ListedInput& input : listed.inputs) {
      if (!has_batch(input)) continue;
      Shape shape = listed.types[static_cast<size_t>(input.value)].shape;
      shape[static_cast<size_t>(*input.batch_dimension)] = rows_of(listed, input) / batch.size * b;
      shapes.emplace(input.name, std::move(shape));
    }
    return graph.list(listed.name, shapes);
  };
  // A batch of one sample is special, because a size of 1 broadcasts. A large batch shows whether the
  // function cuts off rows at a number.
  const int64_t least = std::max<int64_t>(batch.size, 2), many = least + 1000;
  std::vector<ListedFunction> lists;
  for (const int64_t b : {least, least + 1, least + 2}) {
    CUTSET_ASSIGN(lists.emplace_back(), list_for(b));
  }
  SizedFunction sized;
  CUTSET_ASSIGN(sized.sizes, sizes_of(lists, least));
  for (const int64_t b : {int64_t{1}, batch.size, many}) {
    CUTSET_ASSIGN(const ListedFunction other, list_for(b));
    if (b == many) CUTSET_TRY(same_ops(lists[0], other));
    CUTSET_TRY(check_outputs(lists[0], sized.sizes, other, b));
  }
  // A reshape whose attribute depends on the batch is exported by the sizes of its result.
  for (size_t i = 0; i < lists[0].ops.size(); ++i)
    if (ListedOp& op = lists[0].ops[i]; op.attributes != lists[1].ops[i].attributes) {
      op.name = "reshape_like";
      op.attributes.clear();
      op.operands.push_back(op.operands[0]);
    }
  sized.function = std::move(lists[0]);
  sized.batch_input = batch.input;
  return sized;
}

}  // namespace

Result<SizedFunction> list_with_sizes(const GraphSnapshot& graph, const std::string& function,
                                      bool open_batch) {
  CUTSET_ASSIGN(ListedFunction listed, graph.list(function, {}));
  std::string why = "the caller asked for it";
  if (open_batch) {
    Result<SizedFunction> open = with_open_batch(graph, listed);
    if (open.ok()) return open;
    why = open.error().text();
  }
  SizedFunction sized;
  for (const TensorType& type : listed.types) {
    Sizes& sizes = sized.sizes.emplace_back();
    for (const int64_t size : type.shape) sizes.push_back({0, size});
  }
  sized.function = std::move(listed);
  sized.why_fixed = std::move(why);
  return sized;
}

}  // namespace cutset::onnx
