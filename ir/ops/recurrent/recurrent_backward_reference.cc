// SPDX-License-Identifier: Apache-2.0
// Backpropagation through time (Werbos, Proceedings of the IEEE 1990). The steps of a row are computed from
// the last to the first. Meanwhile, the result for the initial state holds the gradient of the state after
// the current step.
#include "ir/ops/recurrent/recurrent_rows.h"
#include "ir/ops/recurrent/recurrent_rules.h"

namespace cutset::rules {
namespace {

// Calls step(n, at) for each step of each row, or keep(n, at) if the step keeps the state. The last step of a
// row comes first. `at` is the index of the step in [batch, steps].
template <class Step, class Keep>
void run_back(const RecurrentSizes& s, Views lengths, bool reverse, Step step, Keep keep) {
  for (int64_t n = 0; n < s.batch; ++n) {
    const RecurrentSteps row = steps_of(s, n, lengths, reverse);
    for (int64_t k = s.steps - 1; k >= 0; --k)
      if (const int64_t t = row.at(k); row.keeps(t))
        keep(n, n * s.steps + t);
      else
        step(n, n * s.steps + t);
  }
}

}  // namespace

Status lstm_backward::reference(const Attrs& a, Views in, Views out) {
  const RecurrentSizes s(in[0].shape);
  const int64_t h = s.hidden;
  return dispatch_float(in[0].dtype, [&]<class T>(T) {
    T *for_states = out[1].as<T>(), *for_cells = out[2].as<T>();
    std::fill_n(for_states, s.batch * h, T{0});
    std::fill_n(for_cells, s.batch * h, T{0});
    run_back(
        s, in.subspan(6), a.reverse,
        [&](int64_t n, int64_t at) {
          const T *gh = in[0].as<T>() + at * h, *gc = in[1].as<T>() + at * h, *x = in[2].as<T>() + at * 4 * h,
                  *product = in[3].as<T>() + at * 4 * h, *old = in[4].as<T>() + at * h;
          T *dx = out[0].as<T>() + at * 4 * h, *dh = for_states + n * h, *dc = for_cells + n * h;
          for (int64_t j = 0; j < h; ++j) {
            const auto gate = [&](int64_t part) { return x[part * h + j] + product[part * h + j]; };
            const T i = sigmoid_of(gate(0)), f = sigmoid_of(gate(1)), g = std::tanh(gate(2)),
                    o = sigmoid_of(gate(3));
            const T cell = std::tanh(f * old[j] + i * g), of_state = dh[j] + gh[j];
            const T of_cell = dc[j] + gc[j] + of_state * o * (1 - cell * cell);
            dx[j] = of_cell * g * i * (1 - i);
            dx[h + j] = of_cell * old[j] * f * (1 - f);
            dx[2 * h + j] = of_cell * i * (1 - g * g);
            dx[3 * h + j] = of_state * cell * o * (1 - o);
            dc[j] = of_cell * f;
            dh[j] = 0;
          }
          add_product(dx, in[5].as<T>(), 4 * h, h, dh);
        },
        [&](int64_t n, int64_t at) {
          std::fill_n(out[0].as<T>() + at * 4 * h, 4 * h, T{0});
          for (int64_t j = 0; j < h; ++j) {
            for_states[n * h + j] += in[0].as<T>()[at * h + j];
            for_cells[n * h + j] += in[1].as<T>()[at * h + j];
          }
        });
  });
}

Status gru_backward::reference(const Attrs& a, Views in, Views out) {
  const RecurrentSizes s(in[0].shape);
  const int64_t h = s.hidden;
  return dispatch_float(in[0].dtype, [&]<class T>(T) {
    const T* w = in[4].as<T>();
    T* for_states = out[2].as<T>();
    std::fill_n(for_states, s.batch * h, T{0});
    run_back(
        s, in.subspan(5), a.reverse,
        [&](int64_t n, int64_t at) {
          const T *gh = in[0].as<T>() + at * h, *x = in[1].as<T>() + at * 3 * h,
                  *product = in[2].as<T>() + at * 3 * h, *old = in[3].as<T>() + at * h;
          T *dx = out[0].as<T>() + at * 3 * h, *dp = out[1].as<T>() + at * h, *dh = for_states + n * h;
          const auto gate = [&](int64_t part, int64_t j) {
            return sigmoid_of(x[part * h + j] + product[part * h + j]);
          };
          for (int64_t j = 0; j < h; ++j) {
            const T r = gate(0, j), z = gate(1, j), p = product[2 * h + j], of_state = dh[j] + gh[j];
            const T now = std::tanh(x[2 * h + j] + (a.linear_before_reset ? r * p : p));
            const T of_now = of_state * (1 - z) * (1 - now * now);
            dx[j] = a.linear_before_reset ? of_now * p * r * (1 - r) : 0;
            dx[h + j] = of_state * (old[j] - now) * z * (1 - z);
            dx[2 * h + j] = of_now;
            dp[j] = a.linear_before_reset ? of_now * r : of_now;
            dh[j] = of_state * z;
          }
          if (a.linear_before_reset) {
            add_product(dp, w + 2 * h * h, h, h, dh);
          } else {  // dx holds the gradient of r * state first
            add_product(dp, w + 2 * h * h, h, h, dx);
            for (int64_t j = 0; j < h; ++j) {
              const T r = gate(0, j), of_product = dx[j];
              dh[j] += of_product * r;
              dx[j] = of_product * old[j] * r * (1 - r);
            }
          }
          add_product(dx, w, 2 * h, h, dh);
        },
        [&](int64_t n, int64_t at) {
          std::fill_n(out[0].as<T>() + at * 3 * h, 3 * h, T{0});
          std::fill_n(out[1].as<T>() + at * h, h, T{0});
          for (int64_t j = 0; j < h; ++j) for_states[n * h + j] += in[0].as<T>()[at * h + j];
        });
  });
}

Status rnn_backward::reference(const Attrs& a, Views in, Views out) {
  const RecurrentSizes s(in[0].shape);
  const int64_t h = s.hidden;
  const bool tanh = a.nonlinearity == CUTSET_RNN_BACKWARD_NONLINEARITY_TANH;
  return dispatch_float(in[0].dtype, [&]<class T>(T) {
    T* for_states = out[1].as<T>();
    std::fill_n(for_states, s.batch * h, T{0});
    run_back(
        s, in.subspan(3), a.reverse,
        [&](int64_t n, int64_t at) {
          T *dx = out[0].as<T>() + at * h, *dh = for_states + n * h;
          for (int64_t j = 0; j < h; ++j) {
            const T y = in[1].as<T>()[at * h + j], of_state = dh[j] + in[0].as<T>()[at * h + j];
            dx[j] = tanh ? of_state * (1 - y * y) : y > 0 ? of_state : y == y ? 0 : y;  // NaN stays NaN
            dh[j] = 0;
          }
          add_product(dx, in[2].as<T>(), h, h, dh);
        },
        [&](int64_t n, int64_t at) {
          std::fill_n(out[0].as<T>() + at * h, h, T{0});
          for (int64_t j = 0; j < h; ++j) for_states[n * h + j] += in[0].as<T>()[at * h + j];
        });
  });
}

}  // namespace cutset::rules
