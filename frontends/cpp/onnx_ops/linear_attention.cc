// SPDX-License-Identifier: Apache-2.0
#include <cutset/constants.h>
#include <cutset/onnx_ops/linear_attention.h>
#include <cutset/ops.h>
#include <cutset/shapes.h>

#include <cmath>

#include "frontends/cpp/functional/compose.h"

namespace cutset::onnx_ops {
namespace {

using Where = std::source_location;

constexpr int64_t kMaxSteps = 512;  // the graph grows with the number of steps

void check_operands(const Tensor& q, const Tensor& k, const Tensor& v, const LinearAttentionOptions& o,
                    Where source) {
  require_tensor(k, "linear_attention", source);
  require_tensor(v, "linear_attention", source);
  const auto require = [&](bool holds, const std::string& needs) {
    if (!holds)
      refuse(q, "linear_attention",
             needs + ", with keys of " + to_string(k.type()) + " and values of " + to_string(v.type()),
             source);
  };
  require(q.type().rank() == 4 && k.type().rank() == 4 && v.type().rank() == 4, "operands of rank 4");
  const Shape &a = q.shape(), &b = k.shape(), &c = v.shape();
  require(is_float(q.dtype()) && is_float(k.dtype()) && is_float(v.dtype()), "floating-point types");
  require(a[0] == b[0] && a[0] == c[0] && a[2] == b[2] && a[2] == c[2],
          "one batch size and one number of steps");
  require(b[1] == c[1] && b[1] > 0 && a[1] > 0 && a[1] % b[1] == 0,
          "as many values as keys, and key heads that divide the heads");
  require(a[3] == b[3] && a[3] > 0, "queries and keys of one size");
  require(a[2] > 0 && a[2] <= kMaxSteps, "from 1 to 512 steps");
  const auto fits = [&](const Tensor& t, const char* name, const Shape& shape, const Shape& other) {
    const bool holds = !t.defined() || (is_float(t.dtype()) && (t.shape() == shape || t.shape() == other));
    require(holds,
            std::string(name) + " of the shape " + to_string(shape) + " and not of " + to_string(t.type()));
  };
  fits(o.state, "a state", {a[0], b[1], a[3], c[3]}, {a[0], b[1], a[3], c[3]});
  fits(o.decay, "a decay", {a[0], b[1], a[2], a[3]}, {a[0], b[1], a[2], 1});
  fits(o.beta, "a beta", {a[0], b[1], a[2], 1}, {a[0], 1, a[2], 1});
}

}  // namespace

template <class F>
static LinearAttentionOptions with_each(LinearAttentionOptions o, F f) {
  for (Tensor* x : {&o.state, &o.decay, &o.beta}) *x = with_each(*x, f);
  return o;
}
template <class F>
static LinearAttentionResult with_each(LinearAttentionResult r, F f) {
  r.output = with_each(r.output, f);
  r.state = with_each(r.state, f);
  return r;
}

LinearAttentionResult linear_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                       const LinearAttentionOptions& o, Where source) {
  const auto again = [q = kept(query), k = kept(key), v = kept(value), o = kept(o),
                      source](const Counterpart& now) {
    return linear_attention(now(q), now(k), now(v), now(o), source);
  };
  return compose(query, "linear_attention", source, again, [&] {
    check_operands(query, key, value, o, source);
    const DType type = query.dtype() == DType::f64 ? DType::f64 : DType::f32;
    const auto converted = [&](const Tensor& x, DType to) {
      return x.dtype() == to ? x : cast(x, {.dtype = to}, source);
    };
    const auto wide = [&](const Tensor& x) { return converted(x, type); };
    const auto columns = [&](const Tensor& x) { return transpose(x, {.permutation = {0, 1, 3, 2}}, source); };
    const auto row = [&](const Tensor& x, int64_t i) {
      return ops::slice(x, {.axis = 2, .start = i, .length = 1}, source);
    };
    const auto column = [&](const Tensor& x, int64_t i) {
      return ops::slice(x, {.axis = 3, .start = i, .length = 1}, source);
    };
    const int64_t heads = query.shape()[1], key_heads = key.shape()[1], size = query.shape()[3];
    const double scale = o.scale.value_or(1 / std::sqrt(static_cast<double>(size)));
    const Tensor q = ops::scale(wide(query), {.factor = scale}, source);
    const Tensor k = wide(key), v = wide(value), keys = columns(k),
                 beta = o.beta.defined() ? wide(o.beta) : Tensor();
    const Tensor factors = o.decay.defined() ? columns(exp(wide(o.decay), source)) : Tensor();
    Tensor state = o.state.defined() ? wide(o.state) : Tensor();  // empty: 0
    std::vector<Tensor> outputs;
    for (int64_t i = 0; i < query.shape()[2]; ++i) {
      Tensor added = row(v, i);
      if (state.defined() && factors.defined()) state = mul(state, column(factors, i), source);
      if (state.defined() && beta.defined()) added = sub(added, matmul(row(k, i), state, {}, source), source);
      if (beta.defined()) added = mul(added, row(beta, i), source);
      const Tensor product = mul(column(keys, i), added, source);
      state = state.defined() ? add(state, product, source) : product;
      const Tensor grouped = reshape(row(q, i), {.shape = {0, key_heads, heads / key_heads, size}}, source);
      const Tensor read = matmul(grouped, state, {}, source);
      outputs.push_back(reshape(read, {.shape = {0, heads, 1, value.shape()[3]}}, source));
    }
    LinearAttentionResult r;
    r.output = converted(concat(outputs, {.axis = 2}, source), query.dtype());
    r.state = converted(state, o.state.defined() ? o.state.dtype() : query.dtype());
    return r;
  });
}

}  // namespace cutset::onnx_ops
