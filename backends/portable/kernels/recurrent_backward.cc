// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/recurrent.h"
#include "ir/ops/recurrent/recurrent_attrs.h"

namespace cutset::portable {
namespace {

// A work-item computes one element of the gradients of step t. `behind` is the step that is computed after t
// in the forward op, or -1 at the last step. The gradient of the state after step t is a sum: the gradient of
// this state as a result, `kept`, and the products p (and q) of the weight and the gradients of step
// `behind`. A step that keeps its state has no products.
const char* kSource = R"(
#define STEP_OF_ROW                                                             \
  int i = ITEM;                                                                 \
  if (i >= n) return;                                                           \
  int row = i / hidden, j = i % hidden, step = row * steps + t;                 \
  int at = step * hidden + j;                                                   \
  bool has_products = behind >= 0 && !keeps(lengths, row, behind, steps);       \
  bool keep = keeps(lengths, row, t, steps);

KERNEL(sum_for_initial)(TENSOR(const float, kept), TENSOR(const float, p), TENSOR(const float, q),
                        TENSOR(const LENGTH, lengths), TENSOR(float, d), int two, int hidden, int steps, int t, int n) {
  BIND(const float, kept); BIND(const float, p); BIND(const float, q); BIND(const LENGTH, lengths); BIND(float, d);
  int i = ITEM;
  if (i >= n) return;
  float sum = kept[i];
  if (!keeps(lengths, i / hidden, t, steps)) sum += two ? p[i] + q[i] : p[i];
  d[i] = sum;
}
KERNEL(lstm_backward_step)(TENSOR(const float, g), TENSOR(const float, gc), TENSOR(const float, x),
                           TENSOR(const float, z), TENSOR(const float, old), TENSOR(const LENGTH, lengths),
                           TENSOR(const float, p), TENSOR(float, kept), TENSOR(float, dc), TENSOR(float, dx),
                           int hidden, int steps, int t, int behind, int n) {
  BIND(const float, g); BIND(const float, gc); BIND(const float, x); BIND(const float, z); BIND(const float, old);
  BIND(const LENGTH, lengths); BIND(const float, p); BIND(float, kept); BIND(float, dc); BIND(float, dx);
  STEP_OF_ROW
  float of_state = g[at], of_cell = gc[at];
  if (behind >= 0) { of_state += kept[i]; of_cell += dc[i]; }
  if (has_products) of_state += p[i];
  x += step * 4 * hidden + j; z += step * 4 * hidden + j; dx += step * 4 * hidden + j;
  if (keep) {
    kept[i] = of_state; dc[i] = of_cell;
    dx[0] = 0; dx[hidden] = 0; dx[2 * hidden] = 0; dx[3 * hidden] = 0;
    return;
  }
  float a = sigmoid(x[0] + z[0]), f = sigmoid(x[hidden] + z[hidden]);
  float c = tanh_of(x[2 * hidden] + z[2 * hidden]), o = sigmoid(x[3 * hidden] + z[3 * hidden]);
  float cell = tanh_of(f * old[at] + a * c);
  of_cell += of_state * o * (1 - cell * cell);
  dx[0] = of_cell * c * a * (1 - a);
  dx[hidden] = of_cell * old[at] * f * (1 - f);
  dx[2 * hidden] = of_cell * a * (1 - c * c);
  dx[3 * hidden] = of_state * cell * o * (1 - o);
  kept[i] = 0; dc[i] = of_cell * f;
}
KERNEL(gru_backward_step)(TENSOR(const float, g), TENSOR(const float, x), TENSOR(const float, z),
                          TENSOR(const float, old), TENSOR(const LENGTH, lengths), TENSOR(const float, p),
                          TENSOR(const float, q), TENSOR(float, kept), TENSOR(float, dx), TENSOR(float, dp), int linear,
                          int hidden, int steps, int t, int behind, int n) {
  BIND(const float, g); BIND(const float, x); BIND(const float, z); BIND(const float, old);
  BIND(const LENGTH, lengths); BIND(const float, p); BIND(const float, q); BIND(float, kept); BIND(float, dx);
  BIND(float, dp);
  STEP_OF_ROW
  float of_state = g[at];
  if (behind >= 0) of_state += kept[i];
  if (has_products) of_state += linear ? p[i] + q[i] : p[i];
  x += step * 3 * hidden + j; z += step * 3 * hidden + j; dx += step * 3 * hidden + j;
  if (keep) {
    kept[i] = of_state; dp[at] = 0;
    dx[0] = 0; dx[hidden] = 0; dx[2 * hidden] = 0;
    return;
  }
  float r = sigmoid(x[0] + z[0]), u = sigmoid(x[hidden] + z[hidden]), product = z[2 * hidden];
  float now = tanh_of(x[2 * hidden] + (linear ? r * product : product));
  float of_now = of_state * (1 - u) * (1 - now * now);
  dx[0] = linear ? of_now * product * r * (1 - r) : 0;
  dx[hidden] = of_state * (old[at] - now) * u * (1 - u);
  dx[2 * hidden] = of_now;
  dp[at] = linear ? of_now * r : of_now;
  kept[i] = of_state * u;
}
KERNEL(gru_backward_reset)(TENSOR(const float, x), TENSOR(const float, z), TENSOR(const float, old),
                           TENSOR(const LENGTH, lengths), TENSOR(const float, q), TENSOR(float, kept), TENSOR(float, dx),
                           int hidden, int steps, int t, int behind, int n) {
  BIND(const float, x); BIND(const float, z); BIND(const float, old); BIND(const LENGTH, lengths);
  BIND(const float, q); BIND(float, kept); BIND(float, dx);
  STEP_OF_ROW
  if (keep) return;
  float r = sigmoid(x[step * 3 * hidden + j] + z[step * 3 * hidden + j]);
  kept[i] += q[i] * r;
  dx[step * 3 * hidden + j] = q[i] * old[at] * r * (1 - r);
}
KERNEL(rnn_backward_step)(TENSOR(const float, g), TENSOR(const float, states), TENSOR(const LENGTH, lengths),
                          TENSOR(const float, p), TENSOR(float, kept), TENSOR(float, dx), int relu, int hidden, int steps,
                          int t, int behind, int n) {
  BIND(const float, g); BIND(const float, states); BIND(const LENGTH, lengths); BIND(const float, p);
  BIND(float, kept); BIND(float, dx);
  STEP_OF_ROW
  float of_state = g[at], y = states[at];
  if (behind >= 0) of_state += kept[i];
  if (has_products) of_state += p[i];
  kept[i] = keep ? of_state : 0;
  if (keep) dx[at] = 0;
  else if (relu) dx[at] = y > 0 ? of_state : y == y ? 0 : y;
  else dx[at] = of_state * (1 - y * y);
}
)";

// The launches of a backward op.
class Backward : public RecurrentLaunches {
 public:
  Backward(Launches& list, const Sequences& s, Memory weight)
      : RecurrentLaunches(list, s, kSource), weight_(weight) {}
  // Returns a block of scratch memory for one state per row.
  Memory take() { return list_.take(sizeof(float) * static_cast<uint64_t>(s_.elements())); }
  // Appends the products of the elements [from, from + count) of step t of `gradients`, which has `width`
  // elements per step, and of the rows of the weight from `row` on.
  void add_products(Memory gradients, int64_t t, int64_t width, int64_t from, int64_t count, int64_t row,
                    Memory to) {
    const int64_t hidden = s_.sizes.hidden;
    add_gemm(list_,
             {.m = s_.sizes.batch,
              .n = hidden,
              .k = count,
              .a_row = s_.sizes.steps * width,
              .a_column = 1,
              .y_row = hidden,
              .c_row = hidden,
              .a_offset = t * width + from,
              .y_offset = row * hidden},
             gradients, weight_, to);
  }
  // Calls f(t, behind) for each step from the last to the first. `behind` is the step that follows t, or -1.
  template <class F>
  void for_each_step(F f) const {
    for (int64_t k = s_.sizes.steps - 1; k >= 0; --k)
      f(s_.order.at(k), k + 1 < s_.sizes.steps ? s_.order.at(k + 1) : -1);
  }
  // Computes the gradient of the initial state. `q` are further products, or `p` if there are none.
  void add_initial(Memory kept, Memory p, Memory q, bool two, Memory to) {
    add_step("sum_for_initial", {kept, p, q, s_.lengths, to, two ? 1 : 0, s_.sizes.hidden, s_.sizes.steps,
                                 s_.order.at(0), s_.elements()});
  }

 private:
  Memory weight_;
};

struct LstmBackward : Recurrent {
  static void build(Launches& list, const abi::Problem& p) {
    const Sequences s(p, p.in_shape(0), 6, p.attributes<LstmBackwardAttrs>().reverse);
    if (s.elements() == 0) return;
    const int64_t hidden = s.sizes.hidden;
    Backward b(list, s, in(5));
    const Memory kept = b.take(), products = b.take();
    b.for_each_step([&](int64_t t, int64_t behind) {
      b.add_step("lstm_backward_step", {in(0), in(1), in(2), in(3), in(4), s.lengths, products, kept, out(2),
                                        out(0), hidden, s.sizes.steps, t, behind, s.elements()});
      b.add_products(out(0), t, 4 * hidden, 0, 4 * hidden, 0, products);
    });
    b.add_initial(kept, products, products, false, out(1));
  }
};

struct GruBackward : Recurrent {
  static void build(Launches& list, const abi::Problem& p) {
    const auto& a = p.attributes<GruBackwardAttrs>();
    const Sequences s(p, p.in_shape(0), 5, a.reverse);
    if (s.elements() == 0) return;
    const int64_t hidden = s.sizes.hidden;
    Backward b(list, s, in(4));
    const Memory kept = b.take(), of_gates = b.take(), of_n = b.take();
    b.for_each_step([&](int64_t t, int64_t behind) {
      b.add_step("gru_backward_step",
                 {in(0), in(1), in(2), in(3), s.lengths, of_gates, of_n, kept, out(0), out(1),
                  a.linear_before_reset ? 1 : 0, hidden, s.sizes.steps, t, behind, s.elements()});
      b.add_products(out(1), t, hidden, 0, hidden, 2 * hidden, of_n);
      if (!a.linear_before_reset)
        b.add_step("gru_backward_reset", {in(1), in(2), in(3), s.lengths, of_n, kept, out(0), hidden,
                                          s.sizes.steps, t, behind, s.elements()});
      b.add_products(out(0), t, 3 * hidden, 0, 2 * hidden, 0, of_gates);
    });
    b.add_initial(kept, of_gates, of_n, a.linear_before_reset, out(2));
  }
};

struct RnnBackward : Recurrent {
  static void build(Launches& list, const abi::Problem& p) {
    const auto& a = p.attributes<RnnBackwardAttrs>();
    const Sequences s(p, p.in_shape(0), 3, a.reverse);
    if (s.elements() == 0) return;
    const int64_t hidden = s.sizes.hidden;
    Backward b(list, s, in(2));
    const Memory kept = b.take(), products = b.take();
    b.for_each_step([&](int64_t t, int64_t behind) {
      b.add_step("rnn_backward_step", {in(0), in(1), s.lengths, products, kept, out(0),
                                       a.nonlinearity == CUTSET_RNN_BACKWARD_NONLINEARITY_RELU ? 1 : 0,
                                       hidden, s.sizes.steps, t, behind, s.elements()});
      b.add_products(out(0), t, hidden, 0, hidden, 0, products);
    });
    b.add_initial(kept, products, products, false, out(1));
  }
};

}  // namespace

void register_recurrent_backward(abi::KernelTable& kernels) {
  add_kernel<LstmBackward>(kernels, "lstm_backward");
  add_kernel<GruBackward>(kernels, "gru_backward");
  add_kernel<RnnBackward>(kernels, "rnn_backward");
}

}  // namespace cutset::portable
