#include "frontends/onnx/export/function_sizes.h"

#include <algorithm>

namespace cutset::onnx {
namespace {

// The sizes along the batch, before the function is listed for other ones.
struct Batch {
  int64_t size = 0;
  std::optional<size_t> input;  // without several rows per sample, if there is such an input
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
        return invalid_argument("the inputs differ in the size of their batch: '" + f.inputs[*batch.input].name +
                                "' has " + std::to_string(batch.size) + " and '" + input.name + "' " +
                                std::to_string(size));
      if (size == 0) return invalid_argument("the batch of the input '" + input.name + "' is empty");
    }
  }
  if (!batch.input) return invalid_argument("no input has a batch");
  return batch;
}

bool same_ops(const ListedFunction& a, const ListedFunction& b) {
  const auto same = [](const ListedOp& x, const ListedOp& y) {
    return x.name == y.name && x.operands == y.operands && x.results == y.results && x.attributes == y.attributes &&
           x.variable == y.variable && !x.elements == !y.elements && (!x.elements || *x.elements == *y.elements);
  };
  return std::equal(a.ops.begin(), a.ops.end(), b.ops.begin(), b.ops.end(), same) && a.outputs == b.outputs &&
         a.types.size() == b.types.size();
}

// The sizes of all values, from lists for the batches b, b + 1 and b + 2.
Result<std::vector<Sizes>> sizes_of(const std::vector<ListedFunction>& lists, int64_t b) {
  if (!same_ops(lists[0], lists[1]) || !same_ops(lists[0], lists[2]))
    return invalid_argument("the ops differ between batches");
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

Result<SizedFunction> with_open_batch(const GraphSnapshot& graph, const ListedFunction& listed) {
  CUTSET_ASSIGN(const Batch batch, batch_of(listed));
  // A batch of one sample is special, because a size of 1 broadcasts.
  const int64_t least = std::max<int64_t>(batch.size, 2);
  std::vector<ListedFunction> lists;
  for (int64_t b = least; b < least + 3; ++b) {
    std::map<std::string, Shape> shapes;
    for (const ListedInput& input : listed.inputs) {
      if (!has_batch(input)) continue;
      Shape shape = listed.types[static_cast<size_t>(input.value)].shape;
      shape[static_cast<size_t>(*input.batch_dimension)] = rows_of(listed, input) / batch.size * b;
      shapes.emplace(input.name, std::move(shape));
    }
    CUTSET_ASSIGN(lists.emplace_back(), graph.list(listed.name, shapes));
  }
  SizedFunction made;
  CUTSET_ASSIGN(made.sizes, sizes_of(lists, least));
  made.function = std::move(lists[0]), made.batch_input = batch.input;
  return made;
}

}  // namespace

Result<SizedFunction> list_with_sizes(const GraphSnapshot& graph, const std::string& function, bool open_batch) {
  CUTSET_ASSIGN(ListedFunction listed, graph.list(function, {}));
  std::string why = "the caller asked for it";
  if (open_batch) {
    Result<SizedFunction> open = with_open_batch(graph, listed);
    if (open.ok()) return open;
    why = open.error().text();
  }
  SizedFunction made;
  for (const TensorType& type : listed.types) {
    Sizes& sizes = made.sizes.emplace_back();
    for (const int64_t size : type.shape) sizes.push_back({0, size});
  }
  made.function = std::move(listed), made.why_fixed = std::move(why);
  return made;
}

}  // namespace cutset::onnx
