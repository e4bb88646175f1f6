#include "backends/portable/gather.h"

#include "backends/portable/type_group.h"

namespace cutset::portable {

bool StridedLoop::flat() const {
  for (const Strides& s : strides)
    if (rank > 1 || (rank == 1 && s.at[0] != 1)) return false;
  return true;
}

StridedLoop strided_loop(std::span<const int64_t> shape, std::span<const Strides> operands) {
  StridedLoop loop;
  loop.strides.resize(operands.size());
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) continue;
    bool one_dimension = loop.rank > 0;
    for (size_t i = 0; one_dimension && i < operands.size(); ++i)
      one_dimension = loop.strides[i].at[loop.rank - 1] == operands[i].at[d] * shape[d];
    if (one_dimension)
      loop.sizes[loop.rank - 1] *= shape[d];
    else
      loop.sizes[loop.rank++] = shape[d];
    for (size_t i = 0; i < operands.size(); ++i) loop.strides[i].at[loop.rank - 1] = operands[i].at[d];
  }
  return loop;
}

Argument::Vector eight(const int64_t* from, int rank, int fill) {
  Argument::Vector v;
  for (int i = 0; i < 8; ++i) v.at[i] = i < 8 - rank ? fill : static_cast<int32_t>(from[i - (8 - rank)]);
  return v;
}

// An integer division is slow on a GPU, so the function has one for each dimension but the first, and no others.
std::string offset_function(int rank) {
  std::string text = "FUNCTION int offset_of(int rest, int8 shape, int8 stride) {\n  int at = 0;\n";
  for (int d = 7; d > 8 - rank; --d) {
    const std::string n = std::to_string(d);
    text += "  at += rest % shape.s" + n + " * stride.s" + n + "; rest /= shape.s" + n + ";\n";
  }
  return text + "  return at + rest * stride.s" + std::to_string(rank > 0 ? 8 - rank : 7) + ";\n}\n";
}

namespace {

const char* kGather = R"((TENSOR(const T, x), TENSOR(T, y), int8 shape, int8 stride, int n) {
  BIND(const T, x); BIND(T, y);
  int i = ITEM;
  if (i < n) y[i] = x[offset_of(i, shape, stride)];
}
)";

}  // namespace

void add_gather(Launches& list, std::span<const int64_t> shape, const Strides& strides, int64_t bytes, Argument x,
                Argument y) {
  const StridedLoop loop = strided_loop(shape, {&strides, 1});
  const int64_t n = elements(shape);
  list.add_flat(offset_function(loop.rank) + moving_kernels("gather", kGather),
                kernel_name("gather", moved_type(bytes)), n,
                {x, y, eight(loop.sizes, loop.rank, 1), eight(loop.strides[0].at, loop.rank, 0), n});
}

}  // namespace cutset::portable
