// Ops that read elements by their indices.
#include <cutset/constants.h>
#include <cutset/shapes.h>

#include "frontends/onnx/converters.h"

namespace cutset::onnx {
namespace {

Results gather_of(Node& n) { return {gather(n.in(0), n.in(1), {.axis = n.number("axis", 0)})}; }

// `on` at the index along a new dimension `axis`, and `off` elsewhere; a negative index counts from the end.
Results one_hot_of(Node& n) {
  const int64_t depth = n.known_ints(1).at(0);
  if (depth < 1) invalid("the depth is " + std::to_string(depth));
  Tensor indices = n.in(0);
  if (indices.dtype() != i64) indices = cast(indices, {.dtype = i64});
  indices = where(less(indices, constant(indices, 0)), indices + depth, indices);
  const Tensor hot = one_hot(indices, {.depth = depth, .dtype = f32});
  const Tensor values = n.in(2);
  const auto value = [&](int64_t i) {
    return reshape(slice(values, {.axis = 0, .start = i, .length = 1}), {.shape = {}});
  };
  return {move_axis(where(greater(hot, constant(hot, 0)), value(1), value(0)), -1,
                    dimension(n.number("axis", -1), hot.type().rank()))};
}

}  // namespace

void add_indexing(Converters& table) { table.insert({{"Gather", gather_of}, {"OneHot", one_hot_of}}); }

}  // namespace cutset::onnx
