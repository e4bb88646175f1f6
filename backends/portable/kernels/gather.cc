#include "backends/portable/launches.h"
#include "ir/ops/gather/gather_attrs.h"
#include "ir/ops/gather/gather_shape.h"

namespace cutset::portable {
namespace {

// Data is [outer, length, inner]; the gathered tensor is [outer, indices, inner]. INDEX is the type of the indices.
const char* kSource = R"(
FUNCTION int row_of(INDEX index, int length) {
  INDEX row = index < 0 ? index + length : index;
  return row >= 0 && row < length ? (int)row : -1;
}
KERNEL(gather)(TENSOR(const float, data), TENSOR(const INDEX, ids), TENSOR(float, y), int length, int inner,
               int indices, int n) {
  BIND(const float, data); BIND(const INDEX, ids); BIND(float, y);
  int i = ITEM;
  if (i >= n) return;
  int row = row_of(ids[i / inner % indices], length);
  y[i] = row < 0 ? NAN : data[(i / inner / indices * length + row) * inner + i % inner];
}
KERNEL(clear)(TENSOR(float, d), int n) {
  BIND(float, d);
  if (ITEM < n) d[ITEM] = 0;
}
// A work-item owns a column of data, and adds the gradients in the order of the indices.
KERNEL(gather_backward)(TENSOR(const float, g), TENSOR(const INDEX, ids), TENSOR(float, d), int length, int inner,
                        int indices, int columns) {
  BIND(const float, g); BIND(const INDEX, ids); BIND(float, d);
  int c = ITEM;
  if (c >= columns) return;
  g += c / inner * indices * inner + c % inner;
  d += c / inner * length * inner + c % inner;
  for (int i = 0; i < indices; i++) {
    int row = row_of(ids[i], length);
    if (row >= 0) d[row * inner] += g[i * inner];
  }
}
)";

std::string source(DType index) { return std::string("#define INDEX ") + c_type(index) + kSource; }

std::string only_f32(DType type) {
  return type == DType::f32 ? "" : std::string("the kernel supports only f32, not ") + name_of(type);
}

struct Gather {
  static std::string supports(const abi::Problem& p) { return only_f32(p.in_type(0)); }
  static void build(Launches& list, const abi::Problem& p) {
    const GatherShape s = *gather_shape(p.in_shape(0), p.in_shape(1), p.attributes<GatherAttrs>().axis);
    const int64_t n = elements(p.out_shape(0));
    list.add_flat(source(p.in_type(1)), "gather", n, {in(0), in(1), out(0), s.length, s.inner, s.indices, n});
  }
};

struct GatherBackward {
  static std::string supports(const abi::Problem& p) { return only_f32(p.in_type(0)); }
  static void build(Launches& list, const abi::Problem& p) {
    const GatherShape s = *gather_shape(p.in_shape(2), p.in_shape(1), p.attributes<GatherBackwardAttrs>().axis);
    const int64_t n = elements(p.out_shape(0)), columns = n ? s.outer * s.inner : 0;
    list.add_flat(source(p.in_type(1)), "clear", n, {out(0), n});
    list.add_flat(source(p.in_type(1)), "gather_backward", columns,
                  {in(0), in(1), out(0), s.length, s.inner, s.indices, columns});
  }
};

}  // namespace

void register_gather(abi::KernelTable& kernels) {
  add_kernel<Gather>(kernels, "gather");
  add_kernel<GatherBackward>(kernels, "gather_backward");
}

}  // namespace cutset::portable
