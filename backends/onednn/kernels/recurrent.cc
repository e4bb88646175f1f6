// SPDX-License-Identifier: Apache-2.0
#include "backends/onednn/recurrent.h"

#include <algorithm>

#include "backends/onednn/for_each_processor.h"
#include "backends/onednn/vector_math.h"
#include "ir/ops/recurrent/recurrent_attrs.h"

namespace cutset::onednn {
namespace {

// Computes the pointwise arithmetic of a step of one row. `z` are the products of the weight and the state
// before the step. The state is also written to `next`, for the product of the next step. The parts of x and
// z are `h` elements apart.
CUTSET_FOR_EACH_PROCESSOR void lstm_row(const float* __restrict x, const float* __restrict z,
                                        const float* __restrict old, float* __restrict cells,
                                        float* __restrict states, float* __restrict next, int64_t h) {
  for (int64_t j = 0; j < h; ++j) {
    const float i = fast_sigmoid(x[j] + z[j]), f = fast_sigmoid(x[h + j] + z[h + j]);
    const float g = fast_tanh(x[2 * h + j] + z[2 * h + j]), o = fast_sigmoid(x[3 * h + j] + z[3 * h + j]);
    const float cell = f * old[j] + i * g;
    cells[j] = cell;
    states[j] = next[j] = o * fast_tanh(cell);
  }
}
CUTSET_FOR_EACH_PROCESSOR void gru_reset_row(const float* __restrict x, const float* __restrict z,
                                             const float* __restrict state, float* __restrict reset,
                                             int64_t h) {
  for (int64_t j = 0; j < h; ++j) reset[j] = fast_sigmoid(x[j] + z[j]) * state[j];
}
// `state` is the state before the step, and is replaced by the state after it.
CUTSET_FOR_EACH_PROCESSOR void gru_row(const float* __restrict x, const float* __restrict z,
                                       const float* __restrict bias, float* __restrict states,
                                       float* __restrict state, int64_t h, bool linear) {
  for (int64_t j = 0; j < h; ++j) {
    const float product = z[2 * h + j] + bias[j], r = fast_sigmoid(x[j] + z[j]);
    const float now = fast_tanh(x[2 * h + j] + (linear ? r * product : product));
    const float u = fast_sigmoid(x[h + j] + z[h + j]);
    states[j] = state[j] = (1 - u) * now + u * state[j];
  }
}
CUTSET_FOR_EACH_PROCESSOR void rnn_row(const float* __restrict x, const float* __restrict z,
                                       float* __restrict states, float* __restrict state, int64_t h,
                                       bool relu) {
  if (relu)
    for (int64_t j = 0; j < h; ++j) {
      const float sum = x[j] + z[j];
      states[j] = state[j] = sum < 0 ? 0 : sum;
    }
  else
    for (int64_t j = 0; j < h; ++j) states[j] = state[j] = fast_tanh(x[j] + z[j]);
}

// The blocks of a forward op: the state of every row, and the products of the weight and the states.
class Forward : public RecurrentKernel {
 protected:
  Forward(const abi::Problem& p, size_t lengths_at, bool reverse, int64_t parts)
      : RecurrentKernel(p, p.out_shape(0), lengths_at, reverse),
        parts_(parts),
        state_(take(s_.hidden)),
        z_(take(parts * s_.hidden)) {}
  // Adds the products of the parts [first, first + count) of the weight.
  Product add_parts(const Block& from, int64_t first, int64_t count) {
    const int64_t h = s_.hidden;
    return add_product({from, 0}, {1, parts_ * h, first * h, h, count * h, true}, {z_, first * h});
  }

  // Runs all steps. `multiply(t)` computes the products of step t. step(row, t, at, x, z, state) computes the
  // state after the step and writes it to result 0 and to `state`; `at` is the index of the first element of
  // the step in [batch, steps, hidden].
  template <class Multiply, class Step>
  void run_steps(cutset_queue queue, const abi::Operands& at, size_t initial, size_t last, Multiply multiply,
                 Step step) {
    const int64_t h = s_.hidden, all = s_.batch * h;
    float *state = memory(state_, at), *z = memory(z_, at), *states = out_at(at, 0);
    const float* x = in_at(at, 0);
    std::copy_n(in_at(at, initial), all, state);
    for (int64_t k = 0; k < s_.steps; ++k) {
      const int64_t t = order_.at(k);
      multiply(t);
      parallel_for(queue, s_.batch, [&](int64_t begin, int64_t end) {
        for (int64_t n = begin; n < end; ++n) {
          const int64_t index = n * s_.steps + t;
          if (keeps(n, t)) std::copy_n(state + n * h, h, states + index * h);
          step(n, t, index * h, x + index * parts_ * h, z + n * parts_ * h, state + n * h);
        }
      });
    }
    std::copy_n(state, all, out_at(at, last));
  }

  int64_t parts_;
  Block state_, z_;
};

class Lstm : public Forward {
 public:
  static std::string supports(const abi::Problem& p) { return check(p, 4); }
  explicit Lstm(const abi::Problem& p)
      : Forward(p, 4, p.attributes<LstmAttrs>().reverse, 4), products_(add_parts(state_, 0, 4)) {}

  void run(cutset_queue queue, const abi::Operands& at) {
    read_lengths(at);
    prepare(products_, queue, at);
    const int64_t h = s_.hidden;
    float *states = out_at(at, 0), *cells = out_at(at, 1);
    run_steps(
        queue, at, 2, 2, [&](int64_t) { multiply(products_, queue, at); },
        [&](int64_t n, int64_t t, int64_t index, const float* x, const float* z, float* state) {
          const int64_t before = order_.before(t);
          const float* old = before < 0 ? in_at(at, 3) + n * h : cells + (n * s_.steps + before) * h;
          if (keeps(n, t))
            std::copy_n(old, h, cells + index);
          else
            lstm_row(x, z, old, cells + index, states + index, state, h);
        });
    const int64_t last = order_.at(s_.steps - 1);
    for (int64_t n = 0; n < s_.batch; ++n)
      std::copy_n(cells + (n * s_.steps + last) * h, h, out_at(at, 3) + n * h);
  }

 private:
  Product products_;
};

// If `linear_before_reset` is not set, the product of the third part reads r * state, which needs the
// products of the other parts.
class Gru : public Forward {
 public:
  static std::string supports(const abi::Problem& p) { return check(p, 4); }
  explicit Gru(const abi::Problem& p)
      : Forward(p, 4, p.attributes<GruAttrs>().reverse, 3),
        linear_(p.attributes<GruAttrs>().linear_before_reset) {
    products_ = add_parts(state_, 0, linear_ ? 3 : 2);
    if (linear_) return;
    reset_ = take(s_.hidden);
    of_reset_ = add_parts(reset_, 2, 1);
  }

  void run(cutset_queue queue, const abi::Operands& at) {
    read_lengths(at);
    prepare(products_, queue, at);
    if (!linear_) prepare(of_reset_, queue, at);
    const int64_t h = s_.hidden;
    float* states = out_at(at, 0);
    run_steps(
        queue, at, 3, 1,
        [&](int64_t t) {
          multiply(products_, queue, at);
          if (linear_) return;
          parallel_for(queue, s_.batch, [&](int64_t begin, int64_t end) {
            for (int64_t n = begin; n < end; ++n)
              gru_reset_row(in_at(at, 0) + (n * s_.steps + t) * 3 * h, memory(z_, at) + n * 3 * h,
                            memory(state_, at) + n * h, memory(reset_, at) + n * h, h);
          });
          multiply(of_reset_, queue, at);
        },
        [&](int64_t n, int64_t t, int64_t index, const float* x, const float* z, float* state) {
          if (!keeps(n, t)) gru_row(x, z, in_at(at, 2), states + index, state, h, linear_);
        });
  }

 private:
  bool linear_;
  Product products_, of_reset_;
  Block reset_;
};

class Rnn : public Forward {
 public:
  static std::string supports(const abi::Problem& p) { return check(p, 3); }
  explicit Rnn(const abi::Problem& p)
      : Forward(p, 3, p.attributes<RnnAttrs>().reverse, 1),
        relu_(p.attributes<RnnAttrs>().nonlinearity == CUTSET_RNN_NONLINEARITY_RELU),
        products_(add_parts(state_, 0, 1)) {}

  void run(cutset_queue queue, const abi::Operands& at) {
    read_lengths(at);
    prepare(products_, queue, at);
    float* states = out_at(at, 0);
    run_steps(
        queue, at, 2, 1, [&](int64_t) { multiply(products_, queue, at); },
        [&](int64_t n, int64_t t, int64_t index, const float* x, const float* z, float* state) {
          if (!keeps(n, t)) rnn_row(x, z, states + index, state, s_.hidden, relu_);
        });
  }

 private:
  bool relu_;
  Product products_;
};

}  // namespace

void register_recurrent(abi::KernelTable& kernels) {
  add_kernel<RecurrentPlan<Lstm>>(kernels, "lstm", "lstm.onednn");
  add_kernel<RecurrentPlan<Gru>>(kernels, "gru", "gru.onednn");
  add_kernel<RecurrentPlan<Rnn>>(kernels, "rnn", "rnn.onednn");
}

}  // namespace cutset::onednn
