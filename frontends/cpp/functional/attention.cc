// SPDX-License-Identifier: Apache-2.0
#include <cutset/attention.h>
#include <cutset/constants.h>
#include <cutset/shapes.h>

#include <algorithm>
#include <cmath>

#include "frontends/cpp/functional/arange.h"
#include "frontends/cpp/functional/compose_in_f32.h"

namespace cutset {
namespace {

using Where = std::source_location;

void check_operands(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions& o,
                    Where source) {
  require_tensor(k, "attention", source);
  require_tensor(v, "attention", source);
  const auto require = [&](bool holds, const char* needs) {
    if (!holds)
      refuse(q, "attention",
             std::string(needs) + ", with keys of " + to_string(k.type()) + " and values of " +
                 to_string(v.type()),
             source);
  };
  require(q.type().rank() == 4 && k.type().rank() == 4 && v.type().rank() == 4, "operands of rank 4");
  require(k.shape()[0] == q.shape()[0] && v.shape()[0] == q.shape()[0], "one batch size");
  require(k.shape()[1] == v.shape()[1] && k.shape()[2] == v.shape()[2], "as many values as keys");
  require(k.shape()[1] > 0 && q.shape()[1] % k.shape()[1] == 0,
          "a number of heads that the key heads divide");
  require(k.shape()[3] == q.shape()[3] && q.shape()[3] > 0, "queries and keys of one size");
  constexpr int64_t kLimit = int64_t{1} << 48;  // sums of positions do not overflow
  if (std::max({o.left_window, o.right_window, o.offset}) > kLimit ||
      std::min({o.left_window, o.right_window}) < -1 || o.offset < -kLimit || !(o.softcap >= 0))
    refuse(q, "attention",
           "windows from -1 to 2^48, an offset from -2^48 to 2^48, and a softcap that is not negative",
           source);
}

// Returns the heads in groups that share a key head: [batch, key heads, heads / key heads, rows, columns].
Tensor grouped(const Tensor& x, int64_t key_heads, Where source) {
  const Shape& s = x.shape();
  return reshape(x, {.shape = {0, key_heads, s[1] / key_heads, s[2], s[3]}}, source);
}

// Returns matrix products in which several left operands share one right operand.
Tensor product(const Tensor& x, const Tensor& y, bool transposed, Where source) {
  const int64_t heads = x.shape()[1], key_heads = y.shape()[1];
  if (heads == key_heads) return matmul(x, y, {.transpose_y = transposed}, source);
  const Tensor z =
      matmul(grouped(x, key_heads, source), unsqueeze(y, {2}, source), {.transpose_y = transposed}, source);
  return reshape(z, {.shape = {0, heads, z.shape()[3], z.shape()[4]}}, source);
}

// Returns which keys each query sees by their positions; empty if it sees all.
Tensor visible(const Tensor& scores, const Tensor& lengths, const AttentionOptions& o, Where source) {
  const int64_t queries = scores.shape()[2], keys = scores.shape()[3];
  if (!lengths.defined() && !o.causal && o.left_window < 0 && o.right_window < 0) return {};
  const Tensor key = arange_of(scores.graph(), keys, DType::i64, source);
  Tensor query = unsqueeze(arange_of(scores.graph(), queries, DType::i64, source), {1}, source), end;
  const auto number = [&](int64_t n) { return constant(key, Number(n, source)); };
  if (lengths.defined()) {
    const Tensor wide =
        lengths.dtype() == DType::i64 ? lengths : cast(lengths, {.dtype = DType::i64}, source);
    end = reshape(wide, {.shape = {-1, 1, 1, 1}}, source);
    query = add(query, sub(end, number(queries), source), source);
  } else if (o.offset) {
    query = add(query, number(o.offset), source);
  }
  Tensor seen;
  const auto also = [&](const Tensor& condition) {
    seen = seen.defined() ? bitwise_and(seen, condition, source) : condition;
  };
  if (o.causal) also(less_equal(key, query, source));
  if (o.left_window >= 0) also(greater_equal(key, sub(query, number(o.left_window), source), source));
  if (o.right_window >= 0) also(less_equal(key, add(query, number(o.right_window), source), source));
  if (lengths.defined()) also(less(key, end, source));
  return seen;
}

// Whether each query sees a key for all values of the elements: there are no mask and no lengths, and windows
// and offsets leave a key to the first and to the last query.
bool each_sees_a_key(const Tensor& scores, const Tensor& mask, const Tensor& lengths,
                     const AttentionOptions& o) {
  if (mask.defined() || lengths.defined()) return false;
  const int64_t last_query = scores.shape()[2] - 1, last_key = scores.shape()[3] - 1;
  const int64_t right = o.causal ? 0 : o.right_window;
  return last_key >= 0 && (right < 0 || o.offset + right >= 0) &&
         (o.left_window < 0 || last_query + o.offset - o.left_window <= last_key);
}

}  // namespace

template <class F>
static AttentionResult with_each(AttentionResult r, F f) {
  for (Tensor* x : {&r.output, &r.scores, &r.capped, &r.masked, &r.probabilities}) *x = with_each(*x, f);
  return r;
}

AttentionResult attention(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask,
                          const Tensor& lengths, const AttentionOptions& o, Where source) {
  const auto again = [q = kept(query), k = kept(key), v = kept(value), mask = kept(mask),
                      lengths = kept(lengths), o, source](const Counterpart& now) {
    return attention(now(q), now(k), now(v), now(mask), now(lengths), o, source);
  };
  const auto build = [&](const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask) {
    check_operands(query, key, value, o, source);
    AttentionResult r;
    const double scale = o.scale.value_or(1 / std::sqrt(static_cast<double>(query.shape()[3])));
    // Both factors of a product are scaled, so that a large product does not overflow before it is scaled.
    const Tensor root = constant(query, Number(std::sqrt(std::fabs(scale)), source));
    const Tensor left = mul(query, scale < 0 ? neg(root, source) : root, source);
    r.scores = product(left, mul(key, root, source), true, source);
    const Tensor cap = constant(query, Number(o.softcap, source));
    r.capped = o.softcap > 0 ? mul(tanh(div(r.scores, cap, source), source), cap, source) : r.scores;
    Tensor seen = visible(r.scores, lengths, o, source);
    r.masked = r.capped;
    if (mask.defined() && mask.dtype() == DType::i1)
      seen = seen.defined() ? bitwise_and(seen, mask, source) : mask;
    else if (mask.defined())
      r.masked = add(r.masked, mask, source);
    const Tensor nothing = constant(query, Number(-HUGE_VAL, source)),
                 zero = constant(query, Number(0, source));
    if (seen.defined()) r.masked = cutset::where(seen, r.masked, nothing, source);
    if (r.masked.shape() != r.scores.shape())
      refuse(query, "attention", "a mask that broadcasts to " + to_string(r.scores.type()), source);
    // The softmax of a row of -infinity is NaN, so the row of a query that sees no key is replaced, and its
    // result is 0.
    Tensor row, finite = r.masked;
    if ((mask.defined() || seen.defined()) && !each_sees_a_key(r.scores, mask, lengths, o)) {
      row =
          cutset::equal(ops::reduce_max(r.masked, {.axes = {3}, .keepdims = true}, source), nothing, source);
      finite = cutset::where(row, zero, r.masked, source);
    }
    const DType type = o.softmax_type.value_or(query.dtype());
    if (type != query.dtype()) finite = cast(finite, {.dtype = type}, source);
    r.probabilities = softmax(finite, {.axis = 3}, source);
    if (type != query.dtype()) r.probabilities = cast(r.probabilities, {.dtype = query.dtype()}, source);
    if (row.defined()) r.probabilities = cutset::where(row, zero, r.probabilities, source);
    r.output = product(r.probabilities, value, false, source);
    return r;
  };
  return compose_in_f32(query, "attention", source, again, std::tie(query, key, value, mask), build);
}

Tensor multi_head_attention(const Tensor& query, const Tensor& key, const Tensor& value, int64_t heads,
                            const Tensor& mask, const AttentionOptions& options, Where source) {
  return compose(query, "multi_head_attention", source, [&] {
    const auto divided = [&](const Tensor& x) {
      require_tensor(x, "multi_head_attention", source);
      if (x.type().rank() != 3 || heads < 1 || x.shape()[2] % heads)
        refuse(x, "multi_head_attention",
               "[batch, positions, width] with a width that the " + std::to_string(heads) + " heads divide",
               source);
      return ops::transpose(reshape(x, {0, 0, heads, x.shape()[2] / heads}, source), {0, 2, 1, 3}, source);
    };
    const Tensor joined =
        attention(divided(query), divided(key), divided(value), mask, {}, options, source).output;
    return reshape(ops::transpose(joined, {0, 2, 1, 3}, source), {0, 0, value.shape()[2]}, source);
  });
}

}  // namespace cutset
