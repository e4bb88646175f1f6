// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "backends/onednn/for_each_processor.h"
#include "backends/onednn/recurrent.h"
#include "backends/onednn/vector_math.h"
#include "ir/ops/recurrent/recurrent_attrs.h"

namespace cutset::onednn {
namespace {

// Computes the pointwise arithmetic of a step of one row. `dh` is the gradient of the state after the step.
// It is replaced by the gradient of the state before the step, without the part that a product with the
// weight adds. `z` are the products of the weight and the state before the step, and `dz` are the gradients
// that the weight is multiplied with. The parts of x, z, dx and dz are `h` elements apart.
CUTSET_FOR_EACH_PROCESSOR void lstm_row(const float* __restrict x, const float* __restrict z,
                                        const float* __restrict old, const float* __restrict gc,
                                        float* __restrict dh, float* __restrict dc, float* __restrict dx,
                                        float* __restrict dz, int64_t h) {
  for (int64_t j = 0; j < h; ++j) {
    const float i = fast_sigmoid(x[j] + z[j]), f = fast_sigmoid(x[h + j] + z[h + j]);
    const float g = fast_tanh(x[2 * h + j] + z[2 * h + j]), o = fast_sigmoid(x[3 * h + j] + z[3 * h + j]);
    const float cell = fast_tanh(f * old[j] + i * g);
    const float of_cell = dc[j] + gc[j] + dh[j] * o * (1 - cell * cell);
    dx[j] = dz[j] = of_cell * g * i * (1 - i);
    dx[h + j] = dz[h + j] = of_cell * old[j] * f * (1 - f);
    dx[2 * h + j] = dz[2 * h + j] = of_cell * i * (1 - g * g);
    dx[3 * h + j] = dz[3 * h + j] = dh[j] * cell * o * (1 - o);
    dc[j] = of_cell * f;
    dh[j] = 0;
  }
}
CUTSET_FOR_EACH_PROCESSOR void gru_row(const float* __restrict x, const float* __restrict z,
                                       const float* __restrict old, float* __restrict dh,
                                       float* __restrict dx, float* __restrict dz, float* __restrict dp,
                                       int64_t h, bool linear) {
  for (int64_t j = 0; j < h; ++j) {
    const float r = fast_sigmoid(x[j] + z[j]), u = fast_sigmoid(x[h + j] + z[h + j]), product = z[2 * h + j];
    const float now = fast_tanh(x[2 * h + j] + (linear ? r * product : product));
    const float of_now = dh[j] * (1 - u) * (1 - now * now);
    dx[j] = dz[j] = linear ? of_now * product * r * (1 - r) : 0;
    dx[h + j] = dz[h + j] = dh[j] * (old[j] - now) * u * (1 - u);
    dx[2 * h + j] = of_now;
    dp[j] = dz[2 * h + j] = linear ? of_now * r : of_now;
    dh[j] *= u;
  }
}
// `of_reset` is the gradient of r * state.
CUTSET_FOR_EACH_PROCESSOR void gru_reset_row(const float* __restrict x, const float* __restrict z,
                                             const float* __restrict old, const float* __restrict of_reset,
                                             float* __restrict dh, float* __restrict dx, float* __restrict dz,
                                             int64_t h) {
  for (int64_t j = 0; j < h; ++j) {
    const float r = fast_sigmoid(x[j] + z[j]);
    dh[j] += of_reset[j] * r;
    dx[j] = dz[j] = of_reset[j] * old[j] * r * (1 - r);
  }
}
CUTSET_FOR_EACH_PROCESSOR void rnn_row(const float* __restrict y, float* __restrict dh, float* __restrict dx,
                                       float* __restrict dz, int64_t h, bool relu) {
  for (int64_t j = 0; j < h; ++j) {
    dx[j] = dz[j] = relu ? (y[j] > 0 ? dh[j] : y[j] == y[j] ? 0 : y[j]) : dh[j] * (1 - y[j] * y[j]);
    dh[j] = 0;
  }
}
CUTSET_FOR_EACH_PROCESSOR void add_row(const float* __restrict x, float* __restrict sum, int64_t h) {
  for (int64_t j = 0; j < h; ++j) sum[j] += x[j];
}

// The blocks of a backward op: the gradient of the state of every row, the gradients that the weight is
// multiplied with, and their products.
class Backward : public RecurrentKernel {
 protected:
  Backward(const abi::Problem& p, size_t lengths_at, bool reverse, int64_t parts)
      : RecurrentKernel(p, p.in_shape(0), lengths_at, reverse),
        parts_(parts),
        dh_(take(s_.hidden)),
        dz_(take(parts * s_.hidden)),
        products_(take(s_.hidden)) {}
  Factor parts_of_weight(size_t weight_at, int64_t parts, int64_t first, int64_t count) const {
    return {weight_at, parts * s_.hidden, first * s_.hidden, count * s_.hidden, s_.hidden, false};
  }

  // Runs all steps, the last step first. step(row, index, dh, dz) computes the gradients of step `index` in
  // [batch, steps] from `dh`, the gradient of the state after the step. It replaces `dh` as lstm_row does.
  // keep(row, index) is called instead for a step that kept the state. `multiply(t)` computes the products of
  // a step. The gradient of the initial state is result `initial`.
  template <class Step, class Keep, class Multiply>
  void run_steps(cutset_queue queue, const abi::Operands& at, size_t initial, Step step, Keep keep,
                 Multiply multiply) {
    const int64_t h = s_.hidden;
    float *dh = memory(dh_, at), *dz = memory(dz_, at), *products = memory(products_, at);
    const float* gradient = in_at(at, 0);
    std::fill_n(dh, s_.batch * h, 0.0f);
    const auto add_products = [&](int64_t n, int64_t t) {
      if (!keeps(n, t)) add_row(products + n * h, dh + n * h, h);
    };
    for (int64_t k = s_.steps - 1; k >= 0; --k) {
      const int64_t t = order_.at(k);
      parallel_for(queue, s_.batch, [&](int64_t begin, int64_t end) {
        for (int64_t n = begin; n < end; ++n) {
          const int64_t index = n * s_.steps + t;
          if (k + 1 < s_.steps) add_products(n, order_.at(k + 1));
          add_row(gradient + index * h, dh + n * h, h);
          if (!keeps(n, t)) {
            step(n, index, dh + n * h, dz + n * parts_ * h);
            continue;
          }
          std::fill_n(out_at(at, 0) + index * parts_ * h, parts_ * h, 0.0f);
          std::fill_n(dz + n * parts_ * h, parts_ * h, 0.0f);
          keep(n, index);
        }
      });
      multiply(t);
    }
    for (int64_t n = 0; n < s_.batch; ++n) add_products(n, order_.at(0));
    std::copy_n(dh, s_.batch * h, out_at(at, initial));
  }

  int64_t parts_;
  Block dh_, dz_, products_;
};

class Lstm : public Backward {
 public:
  static std::string supports(const abi::Problem& p) { return check(p, 6); }
  explicit Lstm(const abi::Problem& p)
      : Backward(p, 6, p.attributes<LstmBackwardAttrs>().reverse, 4),
        product_(add_product({dz_, 0}, parts_of_weight(5, 4, 0, 4), {products_, 0})) {}

  void run(cutset_queue queue, const abi::Operands& at) {
    read_lengths(at);
    prepare(product_, queue, at);
    const int64_t h = s_.hidden;
    const float *gc = in_at(at, 1), *x = in_at(at, 2), *z = in_at(at, 3), *old = in_at(at, 4);
    float *dx = out_at(at, 0), *dc = out_at(at, 2);
    std::fill_n(dc, s_.batch * h, 0.0f);
    run_steps(
        queue, at, 1,
        [&](int64_t n, int64_t i, float* dh, float* dz) {
          lstm_row(x + i * 4 * h, z + i * 4 * h, old + i * h, gc + i * h, dh, dc + n * h, dx + i * 4 * h, dz,
                   h);
        },
        [&](int64_t n, int64_t i) { add_row(gc + i * h, dc + n * h, h); },
        [&](int64_t) { multiply(product_, queue, at); });
  }

 private:
  Product product_;
};

class Gru : public Backward {
 public:
  static std::string supports(const abi::Problem& p) { return check(p, 5); }
  explicit Gru(const abi::Problem& p)
      : Backward(p, 5, p.attributes<GruBackwardAttrs>().reverse, 3),
        linear_(p.attributes<GruBackwardAttrs>().linear_before_reset) {
    if (linear_) {
      product_ = add_product({dz_, 0}, parts_of_weight(4, 3, 0, 3), {products_, 0});
      return;
    }
    of_reset_ = take(s_.hidden);
    reset_ = add_product({dz_, 2 * s_.hidden}, parts_of_weight(4, 3, 2, 1), {of_reset_, 0});
    product_ = add_product({dz_, 0}, parts_of_weight(4, 3, 0, 2), {products_, 0});
  }

  void run(cutset_queue queue, const abi::Operands& at) {
    read_lengths(at);
    prepare(product_, queue, at);
    if (!linear_) prepare(reset_, queue, at);
    const int64_t h = s_.hidden;
    const float *x = in_at(at, 1), *z = in_at(at, 2), *old = in_at(at, 3);
    float *dx = out_at(at, 0), *dp = out_at(at, 1);
    const auto after_products = [&](int64_t t) {
      if (!linear_) {
        multiply(reset_, queue, at);
        parallel_for(queue, s_.batch, [&](int64_t begin, int64_t end) {
          for (int64_t n = begin; n < end; ++n)
            if (const int64_t i = n * s_.steps + t; !keeps(n, t))
              gru_reset_row(x + i * 3 * h, z + i * 3 * h, old + i * h, memory(of_reset_, at) + n * h,
                            memory(dh_, at) + n * h, dx + i * 3 * h, memory(dz_, at) + n * 3 * h, h);
        });
      }
      multiply(product_, queue, at);
    };
    run_steps(
        queue, at, 2,
        [&](int64_t, int64_t i, float* dh, float* dz) {
          gru_row(x + i * 3 * h, z + i * 3 * h, old + i * h, dh, dx + i * 3 * h, dz, dp + i * h, h, linear_);
        },
        [&](int64_t, int64_t i) { std::fill_n(dp + i * h, h, 0.0f); }, after_products);
  }

 private:
  bool linear_;
  Product product_, reset_;
  Block of_reset_;
};

class Rnn : public Backward {
 public:
  static std::string supports(const abi::Problem& p) { return check(p, 3); }
  explicit Rnn(const abi::Problem& p)
      : Backward(p, 3, p.attributes<RnnBackwardAttrs>().reverse, 1),
        relu_(p.attributes<RnnBackwardAttrs>().nonlinearity == CUTSET_RNN_BACKWARD_NONLINEARITY_RELU),
        product_(add_product({dz_, 0}, parts_of_weight(2, 1, 0, 1), {products_, 0})) {}

  void run(cutset_queue queue, const abi::Operands& at) {
    read_lengths(at);
    prepare(product_, queue, at);
    const int64_t h = s_.hidden;
    run_steps(
        queue, at, 1,
        [&](int64_t, int64_t i, float* dh, float* dz) {
          rnn_row(in_at(at, 1) + i * h, dh, out_at(at, 0) + i * h, dz, h, relu_);
        },
        [](int64_t, int64_t) {}, [&](int64_t) { multiply(product_, queue, at); });
  }

 private:
  bool relu_;
  Product product_;
};

}  // namespace

void register_recurrent_backward(abi::KernelTable& kernels) {
  add_kernel<RecurrentPlan<Lstm>>(kernels, "lstm_backward", "lstm_backward.onednn");
  add_kernel<RecurrentPlan<Gru>>(kernels, "gru_backward", "gru_backward.onednn");
  add_kernel<RecurrentPlan<Rnn>>(kernels, "rnn_backward", "rnn_backward.onednn");
}

}  // namespace cutset::onednn
