#include "backends/portable/gather.h"

namespace cutset::portable {

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

const char* kGather = R"(
KERNEL(gather)(TENSOR(const T, x), TENSOR(T, y), int8 shape, int8 stride, int n) {
  BIND(const T, x); BIND(T, y);
  int i = ITEM;
  if (i < n) y[i] = x[offset_of(i, shape, stride)];
}
)";

}  // namespace

void add_gather(Launches& list, std::span<const int64_t> shape, const Strides& strides, int64_t bytes, Argument x,
                Argument y) {
  const int rank = static_cast<int>(shape.size());
  const int64_t n = elements(shape);
  list.add_flat(std::string("#define T ") + bits_type(bytes) + "\n" + offset_function(rank) + kGather, "gather", n,
                {x, y, eight(shape.data(), rank, 1), eight(strides.at, rank, 0), n});
}

}  // namespace cutset::portable
