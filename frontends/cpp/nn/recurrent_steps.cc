// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/nn/recurrent_steps.h"

#include <cutset/constants.h>

namespace cutset {
namespace {

constexpr int64_t kMostSteps = 1024;  // a step has up to 30 ops

// Limits v to [-clip, clip], or returns v if there is no limit.
Tensor limited(const Recurrent& r, const Tensor& v, double clip) {
  return clip > 0 ? cutset::clip(v, r.number(-clip), r.number(clip), r.source) : v;
}
// Returns the limited parts of the sums of the two products.
std::vector<Tensor> parts_of(const Recurrent& r, const Tensor& sums, double clip) {
  const auto count = static_cast<size_t>(sums.shape()[1] / r.hidden());
  return split_with_sizes(limited(r, sums, clip),
                          {.axis = 1, .sizes = std::vector<int64_t>(count, r.hidden())}, r.source);
}
// Returns the result of the function of a gate or a candidate, by default an op.
Tensor activated(const Recurrent& r, const RecurrentActivation& activation,
                 Tensor (*otherwise)(const Tensor&, std::source_location), const Tensor& x) {
  if (!activation) return otherwise(x, r.source);
  const Tensor y = activation(x);
  if (!y.defined() || y.type() != x.type())
    refuse(x, r.function, "an activation that returns a tensor of the type of its operand", r.source);
  return y;
}
Tensor product(const Recurrent& r, const Tensor& state, const Tensor& weight) {
  return matmul(state, weight, {.transpose_y = true}, r.source);
}

// Runs step(x, state) for each step, where x is [batch, parts * hidden] and the step returns the next state.
template <class Step>
RecurrentResult run_steps(const Recurrent& r, Step step) {
  const std::source_location source = r.source;
  if (r.steps() > kMostSteps)
    refuse(
        r.projected, r.function, "at most 1024 steps", source,
        "leave out clip, input_forget, peepholes and activations, with which each step has ops of its own");
  const auto count = static_cast<size_t>(r.steps());
  const std::vector<Tensor> x =
      split_with_sizes(r.projected, {.axis = 1, .sizes = std::vector<int64_t>(count, 1)}, source);
  Tensor length;
  if (r.lengths.defined()) length = reshape(r.lengths, {.shape = {0, 1}}, source);
  RecurrentState now{r.state, r.cell};
  std::vector<Tensor> outputs(count);
  for (size_t k = 0; k < count; ++k) {
    const size_t t = r.reverse ? count - 1 - k : k;
    RecurrentState next = step(reshape(x[t], {.shape = {0, r.projected.shape()[2]}}, source), now);
    Tensor output = next.state;
    if (length.defined()) {
      const Tensor inside = less(constant(length, Number(static_cast<int64_t>(t), source)), length, source);
      output = cutset::where(inside, next.state, r.number(0), source);
      next.state = cutset::where(inside, next.state, now.state, source);
      if (now.cell.defined()) next.cell = cutset::where(inside, next.cell, now.cell, source);
    }
    outputs[t] = reshape(output, {.shape = {0, 1, r.hidden()}}, source);
    now = next;
  }
  return {concat(outputs, {.axis = 1}, source), now.state, now.cell};
}

}  // namespace

Tensor Recurrent::part(const Tensor& of, int64_t part, int64_t count) const {
  return ops::slice(of, {.axis = 0, .start = part * hidden(), .length = count * hidden()}, source);
}
Tensor Recurrent::number(double value) const { return constant(projected, Number(value, source)); }

RecurrentResult lstm_by_steps(const Recurrent& r, const LstmOptions& o) {
  const std::source_location source = r.source;
  std::vector<Tensor> peepholes;
  if (o.peepholes.defined()) {
    if (o.peepholes.type() != TensorType{r.projected.dtype(), {3 * r.hidden()}})
      refuse(r.projected, r.function,
             "peepholes with 3 * " + std::to_string(r.hidden()) + " elements, not " +
                 to_string(o.peepholes.type()),
             source);
    peepholes =
        split_with_sizes(o.peepholes, {.axis = 0, .sizes = std::vector<int64_t>(3, r.hidden())}, source);
  }
  return run_steps(r, [&](const Tensor& x, const RecurrentState& now) {
    std::vector<Tensor> part = parts_of(r, add(x, product(r, now.state, r.weight), source), 0);
    const auto gate = [&](size_t index, size_t peephole, const Tensor& cell) {
      const Tensor sum =
          peepholes.empty() ? part[index] : add(part[index], mul(peepholes[peephole], cell, source), source);
      return activated(r, o.gate, sigmoid, limited(r, sum, o.clip));
    };
    const Tensor i = gate(0, 0, now.cell);
    const Tensor f = o.input_forget ? sub(r.number(1), i, source) : gate(1, 1, now.cell);
    const Tensor g = activated(r, o.candidate, tanh, limited(r, part[2], o.clip));
    const Tensor cell = add(mul(f, now.cell, source), mul(i, g, source), source);
    return RecurrentState{mul(gate(3, 2, cell), activated(r, o.output, tanh, cell), source), cell};
  });
}

RecurrentResult gru_by_steps(const Recurrent& r, const GruOptions& o) {
  const std::source_location source = r.source;
  const Tensor of_gates = r.part(r.weight, 0, 2), of_n = r.part(r.weight, 2, 1);
  return run_steps(r, [&](const Tensor& x, const RecurrentState& now) {
    const Tensor state = now.state;
    const Tensor x_of_gates = ops::slice(x, {.axis = 1, .start = 0, .length = 2 * r.hidden()}, source),
                 x_of_n = ops::slice(x, {.axis = 1, .start = 2 * r.hidden()}, source);
    const std::vector<Tensor> part =
        parts_of(r, add(x_of_gates, product(r, state, of_gates), source), o.clip);
    const Tensor reset = activated(r, o.gate, sigmoid, part[0]), z = activated(r, o.gate, sigmoid, part[1]);
    const Tensor read = o.linear_before_reset ? state : mul(reset, state, source);
    const Tensor linear = add(product(r, read, of_n), r.bias, source);
    const Tensor sum = add(x_of_n, o.linear_before_reset ? mul(reset, linear, source) : linear, source);
    const Tensor n = activated(r, o.candidate, tanh, limited(r, sum, o.clip));
    return RecurrentState{add(mul(sub(r.number(1), z, source), n, source), mul(z, state, source), source),
                          {}};
  });
}

RecurrentResult rnn_by_steps(const Recurrent& r, const RnnOptions& o) {
  const std::source_location source = r.source;
  return run_steps(r, [&](const Tensor& x, const RecurrentState& now) {
    const Tensor sum = limited(r, add(x, product(r, now.state, r.weight), source), o.clip);
    return RecurrentState{
        activated(r, o.activation, o.nonlinearity == RnnNonlinearity::kTanh ? tanh : relu, sum), {}};
  });
}

}  // namespace cutset
