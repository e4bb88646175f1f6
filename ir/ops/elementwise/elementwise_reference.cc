// One loop over the bodies; no blocking, no threads.
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

// A = type of the first operand, T = of the others, R = of the result.
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
  const Strides strides[3] = {broadcast_strides(in[0].shape, out.shape),
                              broadcast_strides(in[kArity > 1 ? 1 : 0].shape, out.shape),
                              broadcast_strides(in[kArity > 2 ? 2 : 0].shape, out.shape)};
  for_each_element(out.shape, strides, [&](int64_t i, const int64_t (&at)[3]) {
    y[i] = static_cast<R>(body(a[at[0]], kArity > 1 ? b[at[1]] : T{}, kArity > 2 ? c[at[2]] : T{}));
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

namespace ops {
// The attribute structs of the families are empty, so one definition serves them all.
#define BODY(op, arity, expression)                                                                        \
  namespace op {                                                                                           \
  Status reference(const Attrs&, Views in, Views out) { return run<arity>(bodies::op##_body{}, in, out); } \
  }
#include "ir/ops/elementwise/elementwise_bodies.inc"
#undef BODY
}  // namespace ops
}  // namespace cutset
