// SPDX-License-Identifier: Apache-2.0
// One direction of one layer, with the ops lstm, gru and rnn.
#include <cutset/constants.h>
#include <cutset/recurrent.h>

#include <cmath>

#include "frontends/cpp/functional/compose_in_f32.h"
#include "frontends/cpp/nn/recurrent_steps.h"

namespace cutset {
namespace {

using Where = std::source_location;

void check_operands(const Tensor& x, const RecurrentWeights& w, const Tensor& lengths,
                    const RecurrentState& initial, int64_t parts, const char* function, Where source) {
  require_tensor(w.input, function, source);
  require_tensor(w.hidden, function, source);
  if (x.type().rank() != 3 || !is_float(x.dtype()) || x.shape()[1] < 1 || x.shape()[2] < 1)
    refuse(x, function, "[batch, steps, features] with one step or more and a floating-point type", source);
  const int64_t hidden = w.hidden.type().rank() == 2 ? w.hidden.shape()[1] : 0;
  if (hidden < 1 || hidden > INT64_MAX / parts)
    refuse(
        x, function,
        "a hidden weight [" + std::to_string(parts) + " * hidden, hidden], not " + to_string(w.hidden.type()),
        source);
  const auto require = [&](const char* what, const Tensor& t, const Shape& shape) {
    if (t.defined() && t.type() != TensorType{x.dtype(), shape})
      refuse(x, function,
             std::string(what) + " of " + to_string(TensorType{x.dtype(), shape}) + ", not " +
                 to_string(t.type()),
             source);
  };
  require("a hidden weight", w.hidden, {parts * hidden, hidden});
  require("an input weight", w.input, {parts * hidden, x.shape()[2]});
  require("an input bias", w.input_bias, {parts * hidden});
  require("a hidden bias", w.hidden_bias, {parts * hidden});
  require("an initial state", initial.state, {x.shape()[0], hidden});
  require("an initial cell", initial.cell, {x.shape()[0], hidden});
  if (lengths.defined() &&
      ((lengths.dtype() != i32 && lengths.dtype() != i64) || lengths.shape() != Shape{x.shape()[0]}))
    refuse(x, function,
           "lengths of " + to_string(TensorType{i32, {x.shape()[0]}}) + " or i64, not " +
               to_string(lengths.type()),
           source);
}

// Multiplies x by the input weight, and adds the bias unless it is empty. The rows of all sequences are one
// matrix, whose product is fast, and the gradient of the weight needs no sum over the batch. A second product
// is read for its type only, so that no attribute holds the number of steps.
Tensor project(const Tensor& x, const Tensor& weight, const Tensor& bias, Where source) {
  const Tensor rows = reshape(x, {.shape = {-1, x.shape()[2]}}, source);
  Tensor y = matmul(rows, weight, {.transpose_y = true}, source);
  if (bias.defined()) y = add(y, bias, source);
  return ops::reshape_like(y, matmul(x, weight, {.transpose_y = true}, source), source);
}

// Returns the sum of two biases. Either may be empty.
Tensor sum_of(const Tensor& x, const Tensor& y, Where source) {
  return x.defined() && y.defined() ? add(x, y, source) : x.defined() ? x : y;
}

// Returns zeros [batch, hidden]. full_like reads only the type of the result of the other ops.
Tensor no_state(const Tensor& projected, int64_t hidden, Where source) {
  const Tensor rows = ops::reduce_sum(projected, {.axes = {1}}, source);
  return ops::full_like(ops::slice(rows, {.axis = 1, .start = 0, .length = hidden}, source), {.value = 0},
                        source);
}

// Returns the operands of a function, as yet without a cell and without a bias of the products with the
// state.
Recurrent prepare(const char* function, const Tensor& x, const RecurrentWeights& w, const Tensor& input_bias,
                  const Tensor& lengths, const RecurrentState& initial, bool reverse, Where source) {
  Recurrent r{
      function, project(x, w.input, input_bias, source), w.hidden, {}, lengths, initial.state, {}, reverse,
      source};
  if (!r.state.defined()) r.state = no_state(r.projected, r.hidden(), source);
  return r;
}

// Returns the states after each step. The output of a row is 0 after its length, where its state does not
// change.
Tensor output_of(const Recurrent& r, const Tensor& states) {
  if (!r.lengths.defined()) return states;
  const Where source = r.source;
  const Tensor column = ops::slice(r.projected, {.axis = 2, .start = 0, .length = 1}, source);
  const Tensor ones =
      ops::full_like(cast(column, {.dtype = r.lengths.dtype()}, source), {.value = 1}, source);
  const Tensor position = cumsum(ones, {.axis = 1, .exclusive = true}, source);
  const Tensor inside = less(position, reshape(r.lengths, {.shape = {0, 1, 1}}, source), source);
  return cutset::where(inside, states, r.number(0), source);
}

void check_clip(const Tensor& x, const char* function, double clip, Where source) {
  if (!(clip >= 0)) refuse(x, function, "a clip of 0 or more, not " + std::to_string(clip), source);
}

}  // namespace

template <class F>
static RecurrentWeights with_each(RecurrentWeights w, F f) {
  for (Tensor* x : {&w.input, &w.hidden, &w.input_bias, &w.hidden_bias}) *x = with_each(*x, f);
  return w;
}
template <class F>
static RecurrentState with_each(RecurrentState s, F f) {
  s.state = with_each(s.state, f);
  s.cell = with_each(s.cell, f);
  return s;
}
template <class F>
static LstmOptions with_each(LstmOptions o, F f) {
  o.peepholes = with_each(o.peepholes, f);
  return o;
}
template <class F>
static RecurrentResult with_each(RecurrentResult r, F f) {
  for (Tensor* x : {&r.output, &r.state, &r.cell}) *x = with_each(*x, f);
  return r;
}

RecurrentResult lstm(const Tensor& x, const RecurrentWeights& w, const Tensor& lengths,
                     const RecurrentState& initial, const LstmOptions& o, Where source) {
  const auto again = [x = kept(x), w = kept(w), lengths = kept(lengths), initial = kept(initial), o = kept(o),
                      source](const Counterpart& now) {
    return lstm(now(x), now(w), now(lengths), now(initial), now(o), source);
  };
  const auto build = [&](const Tensor& x, const RecurrentWeights& w, const RecurrentState& initial,
                         const LstmOptions& o) {
    check_operands(x, w, lengths, initial, 4, "lstm", source);
    check_clip(x, "lstm", o.clip, source);
    Recurrent r = prepare("lstm", x, w, sum_of(w.input_bias, w.hidden_bias, source), lengths, initial,
                          o.reverse, source);
    r.cell = initial.cell.defined() ? initial.cell : no_state(r.projected, r.hidden(), source);
    if (o.clip > 0 || o.input_forget || o.peepholes.defined() || o.gate || o.candidate || o.output)
      return lstm_by_steps(r, o);
    const auto [states, cells, state, cell] =
        ops::lstm(r.projected, r.weight, r.state, r.cell, lengths, {.reverse = o.reverse}, source);
    return RecurrentResult{output_of(r, states), state, cell};
  };
  // A call with a function of the user is not kept, because the function may refer to objects that no longer
  // exist. The number of steps is then fixed.
  if (o.gate || o.candidate || o.output)
    return compose_in_f32(x, "lstm", source, std::tie(x, w, initial, o), build);
  return compose_in_f32(x, "lstm", source, again, std::tie(x, w, initial, o), build);
}

RecurrentResult gru(const Tensor& x, const RecurrentWeights& w, const Tensor& lengths,
                    const RecurrentState& initial, const GruOptions& o, Where source) {
  const auto again = [x = kept(x), w = kept(w), lengths = kept(lengths), initial = kept(initial), o,
                      source](const Counterpart& now) {
    return gru(now(x), now(w), now(lengths), now(initial), o, source);
  };
  const auto build = [&](const Tensor& x, const RecurrentWeights& w, const RecurrentState& initial) {
    check_operands(x, w, lengths, initial, 3, "gru", source);
    check_clip(x, "gru", o.clip, source);
    const int64_t hidden = w.hidden.shape()[1];
    // The biases of r and z are added to x. The bias of n is added to the product with the state, which r may
    // multiply.
    Tensor of_n, bias = w.input_bias;
    if (w.hidden_bias.defined()) {
      const Tensor of_gates =
          ops::slice(w.hidden_bias, {.axis = 0, .start = 0, .length = 2 * hidden}, source);
      bias = sum_of(bias, ops::pad(of_gates, {.axis = 0, .after = hidden}, source), source);
      of_n = ops::slice(w.hidden_bias, {.axis = 0, .start = 2 * hidden}, source);
    } else {
      const Tensor row = ops::slice(w.hidden, {.axis = 0, .start = 0, .length = 1}, source);
      of_n = ops::full_like(reshape(row, {.shape = {-1}}, source), {.value = 0}, source);
    }
    Recurrent r = prepare("gru", x, w, bias, lengths, initial, o.reverse, source);
    r.bias = of_n;
    if (o.clip > 0 || o.gate || o.candidate) return gru_by_steps(r, o);
    const auto [states, state] =
        ops::gru(r.projected, r.weight, of_n, r.state, lengths,
                 {.reverse = o.reverse, .linear_before_reset = o.linear_before_reset}, source);
    return RecurrentResult{output_of(r, states), state, {}};
  };
  if (o.gate || o.candidate) return compose_in_f32(x, "gru", source, std::tie(x, w, initial), build);
  return compose_in_f32(x, "gru", source, again, std::tie(x, w, initial), build);
}

RecurrentResult rnn(const Tensor& x, const RecurrentWeights& w, const Tensor& lengths,
                    const RecurrentState& initial, const RnnOptions& o, Where source) {
  const auto again = [x = kept(x), w = kept(w), lengths = kept(lengths), initial = kept(initial), o,
                      source](const Counterpart& now) {
    return rnn(now(x), now(w), now(lengths), now(initial), o, source);
  };
  const auto build = [&](const Tensor& x, const RecurrentWeights& w, const RecurrentState& initial) {
    check_operands(x, w, lengths, initial, 1, "rnn", source);
    check_clip(x, "rnn", o.clip, source);
    const Recurrent r = prepare("rnn", x, w, sum_of(w.input_bias, w.hidden_bias, source), lengths, initial,
                                o.reverse, source);
    if (o.clip > 0 || o.activation) return rnn_by_steps(r, o);
    const auto [states, state] = ops::rnn(r.projected, r.weight, r.state, lengths,
                                          {.reverse = o.reverse, .nonlinearity = o.nonlinearity}, source);
    return RecurrentResult{output_of(r, states), state, {}};
  };
  if (o.activation) return compose_in_f32(x, "rnn", source, std::tie(x, w, initial), build);
  return compose_in_f32(x, "rnn", source, again, std::tie(x, w, initial), build);
}

}  // namespace cutset
