// The reference kernels of the elementwise ops: one loop, which is instantiated for each scalar expression.
#include <cmath>
#include <utility>

#include "ir/ops/elementwise/elementwise_bodies.h"
#include "ir/ops/elementwise/elementwise_rules.h"

namespace cutset {
namespace bodies {
using std::exp, std::log, std::sqrt, std::tanh;
#define BODY(op, arity, expression)                                                           \
  struct op##_body {                                                                          \
    template <class A, class B, class C>                                                      \
    auto operator()([[maybe_unused]] A a, [[maybe_unused]] B b, [[maybe_unused]] C c) const { \
      return expression;                                                                      \
    }                                                                                         \
  };
#include "ir/ops/elementwise/elementwise_bodies.inc"
#undef BODY
}  // namespace bodies

namespace {

// A is the element type of the first operand, T that of the other operands, and R that of the result.
template <class A, class T, class R, int kArity, class Body>
void loop(Body body, Views in, const TensorView& out) {
  const A* a = in[0].as<A>();
  const T* b = in[kArity > 1 ? 1 : 0].as<T>();
  const T* c = in[kArity > 2 ? 2 : 0].as<T>();
  R* y = out.as<R>();
  bool same = true;
  for (const TensorView& v : in) same &= std::equal(v.shape.begin(), v.shape.end(), out.shape.begin(), out.shape.end());
  if (same) {
    for (int64_t i = 0, n = out.elements(); i < n; ++i)
      y[i] = static_cast<R>(body(a[i], kArity > 1 ? b[i] : T{}, kArity > 2 ? c[i] : T{}));
    return;
  }
  Strides strides[3] = {broadcast_strides(in[0].shape, out.shape),
                        broadcast_strides(in[kArity > 1 ? 1 : 0].shape, out.shape),
                        broadcast_strides(in[kArity > 2 ? 2 : 0].shape, out.shape)};
  // Merges the innermost dimensions into one line, as long as each operand steps through it with a single stride. The
  // loop over a line is simple enough for the compiler to vectorise.
  int64_t line = 1;
  int outer = out.rank();
  int64_t step[3] = {};
  for (; outer > 0; --outer) {
    int64_t wanted[3];
    for (int k = 0; k < 3; ++k) wanted[k] = out.dim(outer - 1) == 1 ? step[k] * line : strides[k].at[outer - 1];
    if (line == 1)
      for (int k = 0; k < 3; ++k) step[k] = wanted[k];
    else if (wanted[0] != step[0] * line || wanted[1] != step[1] * line || wanted[2] != step[2] * line)
      break;
    line *= out.dim(outer - 1);
  }
  const auto y_of = [&](const A& x0, const T& x1, const T& x2) { return static_cast<R>(body(x0, x1, x2)); };
  for_each_element(out.shape.first(static_cast<size_t>(outer)), strides, [&](int64_t row, const int64_t (&at)[3]) {
    const A* x0 = a + at[0];
    const T *x1 = b + at[1], *x2 = c + at[2];
    R* to = y + row * line;
    if (step[0] == 1 && step[1] == 1 && step[2] == 1)
      for (int64_t i = 0; i < line; ++i) to[i] = y_of(x0[i], kArity > 1 ? x1[i] : T{}, kArity > 2 ? x2[i] : T{});
    else if (kArity == 2 && step[0] == 1 && step[1] == 0)
      for (int64_t i = 0; i < line; ++i) to[i] = y_of(x0[i], x1[0], T{});
    else if (kArity == 2 && step[0] == 0 && step[1] == 1)
      for (int64_t i = 0; i < line; ++i) to[i] = y_of(x0[0], x1[i], T{});
    else
      for (int64_t i = 0; i < line; ++i)
        to[i] = y_of(x0[i * step[0]], kArity > 1 ? x1[i * step[1]] : T{}, kArity > 2 ? x2[i * step[2]] : T{});
  });
}

template <int kArity, class Body>
Status run(Body body, Views in, Views out) {
  if constexpr (kArity == 1) {
    return dispatch_float(in[0].dtype, [&]<class T>(T) { loop<T, T, T, 1>(body, in, out[0]); });
  } else if constexpr (kArity == 3) {
    return dispatch_all(in[1].dtype, [&]<class T>(T) { loop<bool, T, T, 3>(body, in, out[0]); });
  } else {
    if (out[0].dtype == DType::i1)
      return dispatch_all(in[0].dtype, [&]<class T>(T) { loop<T, T, bool, 2>(body, in, out[0]); });
    return dispatch_all(in[0].dtype, [&]<class T>(T) { loop<T, T, T, 2>(body, in, out[0]); });
  }
}

constexpr ElementwiseBody kBodies[] = {
#define BODY(op, arity, expression) {#op, arity, #expression},
#include "ir/ops/elementwise/elementwise_bodies.inc"
#undef BODY
};

}  // namespace

std::span<const ElementwiseBody> elementwise_bodies() { return kBodies; }

namespace rules {
// No elementwise op has attributes, so one definition serves all ops.
#define BODY(op, arity, expression)                                                                        \
  namespace op {                                                                                           \
  Status reference(const Attrs&, Views in, Views out) { return run<arity>(bodies::op##_body{}, in, out); } \
  }
#include "ir/ops/elementwise/elementwise_bodies.inc"
#undef BODY
}  // namespace rules
}  // namespace cutset
