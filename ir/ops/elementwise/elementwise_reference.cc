// SPDX-License-Identifier: Apache-2.0
// The reference kernels of the elementwise ops: loops over one line, which are instantiated for each scalar
// expression.
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "ir/core/half.h"
#include "ir/ops/elementwise/elementwise_bodies.h"
#include "ir/ops/elementwise/elementwise_rules.h"

namespace cutset {
namespace bodies {
using std::acos, std::acosh, std::asin, std::asinh, std::atan, std::atan2, std::atanh, std::ceil, std::cos,
    std::cosh, std::erf, std::erfc, std::exp, std::expm1, std::floor, std::fmod, std::log, std::log1p,
    std::pow, std::rint, std::sin, std::sinh, std::sqrt, std::tan, std::tanh;

template <class T>
constexpr DType kTypeOf = std::is_same_v<T, bool>       ? DType::i1
                          : std::is_floating_point_v<T> ? DType::f32
                                                        : DType::i32;
template <class T, ElementTypes kTypes>
concept OneOf = includes(kTypes, kTypeOf<T>);

#define HELPER(name, types, ...)          \
  template <OneOf<ElementTypes::types> T> \
  inline T name(T a, T b) {               \
    __VA_ARGS__                           \
  }
#define BODY(op, arity, types, expression)                                                    \
  struct op##_body {                                                                          \
    template <class A, class B, class C>                                                      \
    auto operator()([[maybe_unused]] A a, [[maybe_unused]] B b, [[maybe_unused]] C c) const { \
      return expression;                                                                      \
    }                                                                                         \
  };
#include "ir/ops/elementwise/elementwise_bodies.inc"
#undef BODY
#undef HELPER
}  // namespace bodies

namespace {

bool have_shape_of(const TensorView& out, Views in) {
  return std::ranges::all_of(in, [&](const TensorView& v) { return std::ranges::equal(v.shape, out.shape); });
}

// A line of the result and its operands. Element i of operand k is i * step[k] elements after in[k].
struct Line {
  const void* in[3];
  int64_t step[3];
  void* out;
  int64_t elements;
};

// Computes one line. A is the element type of the first operand, T of the other operands, and R of the
// result. Each op has one such function per element type, so code that does not depend on the type is in
// `for_each_line`.
template <class A, class T, class R, int kArity, class Body>
void compute_line(const Line& line) {
  const A* a = static_cast<const A*>(line.in[0]);
  const T* b = static_cast<const T*>(line.in[1]);
  const T* c = static_cast<const T*>(line.in[2]);
  R* y = static_cast<R*>(line.out);
  const auto [step_a, step_b, step_c] = line.step;
  const int64_t n = line.elements;
  const auto y_of = [](const A& x0, const T& x1, const T& x2) { return static_cast<R>(Body{}(x0, x1, x2)); };
  if constexpr (kArity == 1) {  // its operand has the shape of the result
    for (int64_t i = 0; i < n; ++i) y[i] = y_of(a[i], T{}, T{});
  } else if (step_a == 1 && step_b == 1 && (kArity == 2 || step_c == 1)) {
    for (int64_t i = 0; i < n; ++i) y[i] = y_of(a[i], b[i], kArity > 2 ? c[i] : T{});
  } else if (kArity == 2 && step_a == 1 && step_b == 0) {
    for (int64_t i = 0; i < n; ++i) y[i] = y_of(a[i], b[0], T{});
  } else if (kArity == 2 && step_a == 0 && step_b == 1) {
    for (int64_t i = 0; i < n; ++i) y[i] = y_of(a[0], b[i], T{});
  } else {
    for (int64_t i = 0; i < n; ++i)
      y[i] = y_of(a[i * step_a], b[i * step_b], kArity > 2 ? c[i * step_c] : T{});
  }
}

// Divides the result into lines that are as long as possible, and calls `compute` for each line. A single
// operand has the shape of the result.
void for_each_line(Views in, const TensorView& out, void (*compute)(const Line&)) {
  const TensorView* operands[3] = {&in[0], &in[in.size() > 1 ? 1 : 0], &in[in.size() > 2 ? 2 : 0]};
  if (have_shape_of(out, in))
    return compute(
        {{operands[0]->data, operands[1]->data, operands[2]->data}, {1, 1, 1}, out.data, out.elements()});
  const Strides strides[3] = {broadcast_strides(operands[0]->shape, out.shape),
                              broadcast_strides(operands[1]->shape, out.shape),
                              broadcast_strides(operands[2]->shape, out.shape)};
  // Merges the innermost dimensions into one line, as long as each operand steps through it with a single
  // stride. The loop over a line is simple enough for the compiler to vectorise.
  Line line{.elements = 1};
  int outer = out.rank();
  for (; outer > 0; --outer) {
    int64_t wanted[3];
    for (int k = 0; k < 3; ++k)
      wanted[k] = out.dim(outer - 1) == 1 ? line.step[k] * line.elements : strides[k].at[outer - 1];
    bool fits = true;
    for (int k = 0; k < 3; ++k) fits &= wanted[k] == line.step[k] * line.elements;
    if (line.elements == 1)
      std::copy(wanted, wanted + 3, line.step);
    else if (!fits)
      break;
    line.elements *= out.dim(outer - 1);
  }
  const unsigned char* from[3];
  int64_t sizes[3];  // the sizes of the element types, in bytes
  for (int k = 0; k < 3; ++k) {
    from[k] = operands[k]->as<unsigned char>();
    sizes[k] = size_of(operands[k]->dtype);
  }
  unsigned char* const to = out.as<unsigned char>();
  const int64_t line_size = line.elements * size_of(out.dtype);
  for_each_element(out.shape.first(static_cast<size_t>(outer)), strides,
                   [&](int64_t row, const int64_t (&at)[3]) {
                     for (int k = 0; k < 3; ++k) line.in[k] = from[k] + at[k] * sizes[k];
                     line.out = to + row * line_size;
                     compute(line);
                   });
}

// Calls f with a value of the C++ type of `type`, if kTypes includes this type.
template <ElementTypes kTypes, class F>
Status dispatch(DType type, F&& f) {
  if (!includes(kTypes, type)) return unsupported(std::string("no reference kernel for ") + name_of(type));
  return dispatch_all(type, [&]<class T>(T value) {
    if constexpr (bodies::OneOf<T, kTypes>) f(value);
  });
}

// Computes a kernel of f32 on f16 or bf16, tile by tile. Each tile is converted to f32, and the results are
// rounded once. The results of a comparison have another type and are not rounded.
Status in_tiles(Status (*compute)(Views, Views), Views in, const TensorView& out) {
  constexpr int64_t kTile = 256;
  const DType type = in[0].dtype;
  float numbers[2][kTile], results[kTile];
  int64_t count = 0;  // the elements of the tile
  const std::span<const int64_t> shape{&count, 1};
  const TensorView tiles[2] = {{numbers[0], DType::f32, shape}, {numbers[1], DType::f32, shape}};
  Status status;
  // Computes the tile that ends before element `end`.
  const auto finish = [&](int64_t end) {
    void* to = out.as<unsigned char>() + (end - count) * size_of(out.dtype);
    const TensorView result =
        is_half(out.dtype) ? TensorView(results, DType::f32, shape) : TensorView(to, out.dtype, shape);
    if (Status s = compute(Views(tiles, in.size()), {&result, 1}); !s.ok()) status = std::move(s);
    if (is_half(out.dtype)) to_halves(results, static_cast<uint16_t*>(to), count, type);
    count = 0;
  };
  const int64_t n = out.elements();
  const bool same = have_shape_of(out, in);
  for (int64_t i = 0; same && i < n; i += kTile) {
    count = std::min(kTile, n - i);
    for (size_t k = 0; k < in.size(); ++k) from_halves(in[k].as<uint16_t>() + i, numbers[k], count, type);
    finish(i + count);
  }
  if (same) return status;
  const Strides strides[2] = {broadcast_strides(in[0].shape, out.shape),
                              broadcast_strides(in[in.size() - 1].shape, out.shape)};
  for_each_element(out.shape, strides, [&](int64_t i, const int64_t (&at)[2]) {
    for (size_t k = 0; k < in.size(); ++k) numbers[k][count] = from_half(in[k].as<uint16_t>()[at[k]], type);
    if (++count == kTile || i + 1 == n) finish(i + 1);
  });
  return status;
}

template <int kArity, ElementTypes kTypes, class Body>
Status run(Views in, Views out) {
  if constexpr (kArity < 3 && includes(kTypes, DType::f32))
    if (is_half(in[0].dtype))
      return in_tiles([](Views x, Views y) { return run<kArity, kTypes, Body>(x, y); }, in, out[0]);
  if constexpr (kArity == 1) {
    return dispatch<kTypes>(in[0].dtype,
                            [&]<class T>(T) { for_each_line(in, out[0], compute_line<T, T, T, 1, Body>); });
  } else if constexpr (kArity == 3) {
    dispatch_bits(in[1].dtype,
                  [&]<class T>(T) { for_each_line(in, out[0], compute_line<bool, T, T, 3, Body>); });
    return {};
  } else if constexpr (kTypes == ElementTypes::kAll) {  // a comparison
    return dispatch<kTypes>(
        in[0].dtype, [&]<class T>(T) { for_each_line(in, out[0], compute_line<T, T, bool, 2, Body>); });
  } else {
    return dispatch<kTypes>(in[0].dtype,
                            [&]<class T>(T) { for_each_line(in, out[0], compute_line<T, T, T, 2, Body>); });
  }
}

constexpr ElementwiseBody kBodies[] = {
#define HELPER(name, types, ...)
#define BODY(op, arity, types, expression) {#op, arity, #expression},
#include "ir/ops/elementwise/elementwise_bodies.inc"
#undef BODY
#undef HELPER
};
constexpr ElementwiseHelper kHelpers[] = {
#define HELPER(name, types, ...) {#name, ElementTypes::types, #__VA_ARGS__},
#define BODY(op, arity, types, expression)
#include "ir/ops/elementwise/elementwise_bodies.inc"
#undef BODY
#undef HELPER
};

}  // namespace

std::span<const ElementwiseBody> elementwise_bodies() { return kBodies; }
std::span<const ElementwiseHelper> elementwise_helpers() { return kHelpers; }

namespace rules {
// No elementwise op has attributes, so one definition serves all ops.
#define HELPER(name, types, ...)
#define BODY(op, arity, types, expression)                              \
  namespace op {                                                        \
  Status reference(const Attrs&, Views in, Views out) {                 \
    return run<arity, ElementTypes::types, bodies::op##_body>(in, out); \
  }                                                                     \
  }
#include "ir/ops/elementwise/elementwise_bodies.inc"
#undef BODY
#undef HELPER
}  // namespace rules
}  // namespace cutset
