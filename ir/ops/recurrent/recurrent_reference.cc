// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/recurrent/recurrent_rows.h"
#include "ir/ops/recurrent/recurrent_rules.h"

namespace cutset::rules {
namespace {

// Computes the steps of every row of the batch. `step(n, t, previous, x, before, state)` writes `state`, the
// state after step t. `previous` is the index of the step before step t, `x` points to the elements of step
// t, and `before` is the state before step t. If the state is copied, `keep(n, t, previous)` is called
// instead.
template <class T, class Step, class Keep>
void run_steps(const RecurrentSizes& s, Views in, Views lengths, TensorView initial, Views out, size_t last,
               bool reverse, Step step, Keep keep) {
  const int64_t width = in[0].dim(2);
  for (int64_t n = 0; n < s.batch; ++n) {
    const RecurrentSteps row = steps_of(s, n, lengths, reverse);
    const T* before = initial.as<T>() + n * s.hidden;
    for (int64_t k = 0; k < s.steps; ++k) {
      const int64_t t = row.at(k);
      T* state = out[0].as<T>() + (n * s.steps + t) * s.hidden;
      if (row.keeps(t)) {
        std::copy_n(before, s.hidden, state);
        keep(n, t, row.before(t));
      } else
        step(n, t, row.before(t), in[0].as<T>() + (n * s.steps + t) * width, before, state);
      before = state;
    }
    std::copy_n(before, s.hidden, out[last].as<T>() + n * s.hidden);
  }
}

}  // namespace

Status lstm::reference(const Attrs& a, Views in, Views out) {
  const RecurrentSizes s(out[0].shape);
  const int64_t h = s.hidden;
  return dispatch_float(in[0].dtype, [&]<class T>(T) {
    const T* w = in[1].as<T>();
    const auto cell_at = [&](int64_t n, int64_t t) {
      return t < 0 ? in[3].as<T>() + n * h : out[1].as<T>() + (n * s.steps + t) * h;
    };
    run_steps<T>(
        s, in, in.subspan(4), in[2], out, 2, a.reverse,
        [&](int64_t n, int64_t t, int64_t previous, const T* x, const T* before, T* state) {
          const T* old = cell_at(n, previous);
          T* cell = cell_at(n, t);
          for (int64_t j = 0; j < h; ++j) {
            const auto gate = [&](int64_t part) {
              return x[part * h + j] + dot(w + (part * h + j) * h, before, h);
            };
            const T i = sigmoid_of(gate(0)), f = sigmoid_of(gate(1)), g = std::tanh(gate(2)),
                    o = sigmoid_of(gate(3));
            cell[j] = f * old[j] + i * g;
            state[j] = o * std::tanh(cell[j]);
          }
        },
        [&](int64_t n, int64_t t, int64_t previous) { std::copy_n(cell_at(n, previous), h, cell_at(n, t)); });
    for (int64_t n = 0; n < s.batch; ++n)
      std::copy_n(cell_at(n, a.reverse ? 0 : s.steps - 1), h, out[3].as<T>() + n * h);
  });
}

// If the gate n reads r * state, the result for the last state holds this product while the steps of its row
// are computed.
Status gru::reference(const Attrs& a, Views in, Views out) {
  const RecurrentSizes s(out[0].shape);
  const int64_t h = s.hidden;
  return dispatch_float(in[0].dtype, [&]<class T>(T) {
    const T *w = in[1].as<T>(), *bias = in[2].as<T>();
    run_steps<T>(
        s, in, in.subspan(4), in[3], out, 1, a.reverse,
        [&](int64_t n, int64_t, int64_t, const T* x, const T* before, T* state) {
          T* reset = out[1].as<T>() + n * h;
          const auto gate = [&](int64_t part, int64_t j) {
            return sigmoid_of(x[part * h + j] + dot(w + (part * h + j) * h, before, h));
          };
          if (!a.linear_before_reset)
            for (int64_t j = 0; j < h; ++j) reset[j] = gate(0, j) * before[j];
          for (int64_t j = 0; j < h; ++j) {
            const T product = dot(w + (2 * h + j) * h, a.linear_before_reset ? before : reset, h) + bias[j];
            const T now = std::tanh(x[2 * h + j] + (a.linear_before_reset ? gate(0, j) * product : product));
            const T z = gate(1, j);
            state[j] = (1 - z) * now + z * before[j];
          }
        },
        [](int64_t, int64_t, int64_t) {});
  });
}

Status rnn::reference(const Attrs& a, Views in, Views out) {
  const RecurrentSizes s(out[0].shape);
  const int64_t h = s.hidden;
  return dispatch_float(in[0].dtype, [&]<class T>(T) {
    const T* w = in[1].as<T>();
    run_steps<T>(
        s, in, in.subspan(3), in[2], out, 1, a.reverse,
        [&](int64_t, int64_t, int64_t, const T* x, const T* before, T* state) {
          for (int64_t j = 0; j < h; ++j) {
            const T sum = x[j] + dot(w + j * h, before, h);
            state[j] = a.nonlinearity == CUTSET_RNN_NONLINEARITY_TANH ? std::tanh(sum) : sum < 0 ? 0 : sum;
          }
        },
        [](int64_t, int64_t, int64_t) {});
  });
}

}  // namespace cutset::rules
