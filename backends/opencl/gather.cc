#include "backends/opencl/gather.h"

namespace cutset::opencl {

Launches::Argument::Vector eight(const int64_t* from, int rank, int fill) {
  Launches::Argument::Vector v;
  for (int i = 0; i < 8; ++i) v.at[i] = i < 8 - rank ? fill : static_cast<cl_int>(from[i - (8 - rank)]);
  return v;
}

const char* const kOffset = R"(
int offset_of(int rest, int8 shape, int8 stride) {
  int at = rest % shape.s7 * stride.s7; rest /= shape.s7;
  at += rest % shape.s6 * stride.s6; rest /= shape.s6;
  at += rest % shape.s5 * stride.s5; rest /= shape.s5;
  at += rest % shape.s4 * stride.s4; rest /= shape.s4;
  at += rest % shape.s3 * stride.s3; rest /= shape.s3;
  at += rest % shape.s2 * stride.s2; rest /= shape.s2;
  at += rest % shape.s1 * stride.s1; rest /= shape.s1;
  return at + rest * stride.s0;
}
)";

namespace {

const char* kGather = R"(
__kernel void gather(TENSOR(const T, x), TENSOR(T, y), int8 shape, int8 stride, int n) {
  BIND(const T, x); BIND(T, y);
  int i = get_global_id(0);
  if (i < n) y[i] = x[offset_of(i, shape, stride)];
}
)";
// The elements along the innermost reduced dimension form a line and are `step` elements apart. Each line is reduced
// separately, and then the results of the lines are reduced.
const char* kReduce = R"(
__kernel void reduce(TENSOR(const float, x), TENSOR(float, y), int8 kept, int8 kept_stride, int8 lines,
                     int8 line_stride, int line_count, int length, int step, int n) {
  BIND(const float, x); BIND(float, y);
  int i = get_global_id(0);
  if (i >= n) return;
  x += offset_of(i, kept, kept_stride);
  float total = FIRST;
  for (int l = 0; l < line_count; l++) {
    __global const float* line = x + offset_of(l, lines, line_stride);
    float part = FIRST;
    for (int k = 0; k < length; k++) { float v = line[k * step]; part = JOIN(part, v); }
    total = JOIN(total, part);
  }
  y[i] = total;
}
)";

}  // namespace

void add_gather(Launches& list, std::span<const int64_t> shape, const Strides& strides, int64_t bytes,
                Launches::Argument x, Launches::Argument y) {
  const int rank = static_cast<int>(shape.size());
  const int64_t n = elements(shape);
  list.add(std::string("#define T ") + bits_type(bytes) + kOffset + kGather, "gather", {n},
           {x, y, eight(shape.data(), rank, 1), eight(strides.at, rank, 0), n}, kFlat);
}

void add_reduction(Launches& list, Reduction what, const ReductionShape& s, Launches::Argument x,
                   Launches::Argument y) {
  const int inner = s.reduced_rank - 1;
  const int64_t length = inner < 0 ? 1 : s.reduced[inner], step = inner < 0 ? 0 : s.reduced_strides.at[inner];
  const int64_t lines = length ? s.reduced_elements / length : 0;
  const char* join = what == Reduction::kSum
                         ? "#define FIRST 0\n#define JOIN(a, b) ((a) + (b))\n"
                         : "#define FIRST -INFINITY\n#define JOIN(a, b) ((b) > (a) || (b) != (b) ? (b) : (a))\n";
  list.add(std::string(join) + kOffset + kReduce, "reduce", {s.kept_elements},
           {x, y, eight(s.kept, s.kept_rank, 1), eight(s.kept_strides.at, s.kept_rank, 0),
            eight(s.reduced, std::max(inner, 0), 1), eight(s.reduced_strides.at, std::max(inner, 0), 0), lines, length,
            step, s.kept_elements});
}

}  // namespace cutset::opencl
