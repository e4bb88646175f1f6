// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/recurrent.h"

#include "ir/ops/recurrent/recurrent_attrs.h"

namespace cutset::portable {
namespace {

// A work-item computes one element of the state after step t from the products z of the weight and the state
// before the step. The state before the step begins at `old_at`, and its rows are `old_row` elements apart.
const char* kSource = R"(
#define STEP_OF_ROW                                                  \
  int i = ITEM;                                                      \
  if (i >= n) return;                                                \
  int row = i / hidden, j = i % hidden, step = row * steps + t;      \
  int at = step * hidden + j, old = row * old_row + old_at + j;

KERNEL(transpose)(TENSOR(const float, from), TENSOR(float, to), int rows, int columns, int n) {
  BIND(const float, from); BIND(float, to);
  int i = ITEM;
  if (i < n) to[i] = from[i % rows * columns + i / rows];
}
KERNEL(last_step)(TENSOR(const float, states), TENSOR(float, last), int hidden, int steps, int t, int n) {
  BIND(const float, states); BIND(float, last);
  int i = ITEM;
  if (i < n) last[i] = states[(i / hidden * steps + t) * hidden + i % hidden];
}
KERNEL(lstm_step)(TENSOR(const float, x), TENSOR(const float, z), TENSOR(const float, before),
                  TENSOR(const float, cells_before), TENSOR(const LENGTH, lengths), TENSOR(float, states),
                  TENSOR(float, cells), int old_row, int old_at, int hidden, int steps, int t, int n) {
  BIND(const float, x); BIND(const float, z); BIND(const float, before); BIND(const float, cells_before);
  BIND(const LENGTH, lengths); BIND(float, states); BIND(float, cells);
  STEP_OF_ROW
  if (keeps(lengths, row, t, steps)) {
    states[at] = before[old]; cells[at] = cells_before[old];
    return;
  }
  x += step * 4 * hidden + j; z += row * 4 * hidden + j;
  float a = sigmoid(x[0] + z[0]), f = sigmoid(x[hidden] + z[hidden]);
  float g = tanh_of(x[2 * hidden] + z[2 * hidden]), o = sigmoid(x[3 * hidden] + z[3 * hidden]);
  float cell = f * cells_before[old] + a * g;
  cells[at] = cell;
  states[at] = o * tanh_of(cell);
}
KERNEL(gru_reset)(TENSOR(const float, x), TENSOR(const float, z), TENSOR(const float, before), TENSOR(float, reset),
                  int old_row, int old_at, int hidden, int steps, int t, int n) {
  BIND(const float, x); BIND(const float, z); BIND(const float, before); BIND(float, reset);
  STEP_OF_ROW
  reset[i] = sigmoid(x[step * 3 * hidden + j] + z[row * 3 * hidden + j]) * before[old];
}
KERNEL(gru_step)(TENSOR(const float, x), TENSOR(const float, z), TENSOR(const float, bias), TENSOR(const float, before),
                 TENSOR(const LENGTH, lengths), TENSOR(float, states), int linear, int old_row, int old_at, int hidden,
                 int steps, int t, int n) {
  BIND(const float, x); BIND(const float, z); BIND(const float, bias); BIND(const float, before);
  BIND(const LENGTH, lengths); BIND(float, states);
  STEP_OF_ROW
  if (keeps(lengths, row, t, steps)) {
    states[at] = before[old];
    return;
  }
  x += step * 3 * hidden + j; z += row * 3 * hidden + j;
  float product = z[2 * hidden] + bias[j], u = sigmoid(x[hidden] + z[hidden]);
  if (linear) product *= sigmoid(x[0] + z[0]);
  float now = tanh_of(x[2 * hidden] + product);
  states[at] = (1 - u) * now + u * before[old];
}
KERNEL(rnn_step)(TENSOR(const float, x), TENSOR(const float, z), TENSOR(const float, before),
                 TENSOR(const LENGTH, lengths), TENSOR(float, states), int relu, int old_row, int old_at, int hidden,
                 int steps, int t, int n) {
  BIND(const float, x); BIND(const float, z); BIND(const float, before); BIND(const LENGTH, lengths);
  BIND(float, states);
  STEP_OF_ROW
  float sum = x[at] + z[i], next = relu ? (sum < 0 ? 0 : sum) : tanh_of(sum);
  states[at] = keeps(lengths, row, t, steps) ? before[old] : next;
}
)";

// The launches of a forward op.
class Forward : public RecurrentLaunches {
 public:
  Forward(Launches& list, const Sequences& s, int64_t parts)
      : RecurrentLaunches(list, s, kSource),
        width_(parts * s.sizes.hidden),
        z_(list.take(sizeof(float) * static_cast<uint64_t>(s.sizes.batch * width_))) {
    // The rows of the right factor of a product must be contiguous.
    const int64_t n = width_ * s.sizes.hidden;
    turned_ = list.take(sizeof(float) * static_cast<uint64_t>(n));
    list.add_flat(source_, "transpose", n, {in(1), turned_, width_, s.sizes.hidden, n});
  }
  // Returns the memory of the products of the weight and a state.
  Memory z() const { return z_; }
  // Appends the product that computes columns [first, first + count) of z() from `state`.
  void add_products(const StateMatrix& state, int64_t first, int64_t count) {
    add_gemm(list_,
             {.m = s_.sizes.batch,
              .n = count,
              .k = s_.sizes.hidden,
              .a_row = state.row,
              .a_column = 1,
              .y_row = width_,
              .c_row = width_,
              .a_offset = state.first,
              .y_offset = first,
              .c_offset = first},
             state.memory, turned_, z_);
  }
  // Copies the state after the last step.
  void add_last(Memory states, Memory last) {
    const int64_t t = s_.order.at(s_.sizes.steps - 1);
    add_step("last_step", {states, last, s_.sizes.hidden, s_.sizes.steps, t, s_.elements()});
  }

 private:
  int64_t width_;
  Memory z_, turned_{};
};

struct Lstm : Recurrent {
  static void build(Launches& list, const abi::Problem& p) {
    const Sequences s(p, p.out_shape(0), 4, p.attributes<LstmAttrs>().reverse);
    if (s.elements() == 0) return;
    Forward f(list, s, 4);
    for (int64_t k = 0; k < s.sizes.steps; ++k) {
      const int64_t t = s.order.at(k);
      const StateMatrix state = before_step(s, t, in(2), out(0)), cell = before_step(s, t, in(3), out(1));
      f.add_products(state, 0, 4 * s.sizes.hidden);
      f.add_step("lstm_step", {in(0), f.z(), state.memory, cell.memory, s.lengths, out(0), out(1), state.row,
                               state.first, s.sizes.hidden, s.sizes.steps, t, s.elements()});
    }
    f.add_last(out(0), out(2));
    f.add_last(out(1), out(3));
  }
};

struct Gru : Recurrent {
  static void build(Launches& list, const abi::Problem& p) {
    const bool linear = p.attributes<GruAttrs>().linear_before_reset;
    const Sequences s(p, p.out_shape(0), 4, p.attributes<GruAttrs>().reverse);
    if (s.elements() == 0) return;
    const int64_t hidden = s.sizes.hidden;
    Forward f(list, s, 3);
    const StateMatrix reset{list.take(linear ? 0 : sizeof(float) * static_cast<uint64_t>(s.elements())),
                            hidden, 0};
    for (int64_t k = 0; k < s.sizes.steps; ++k) {
      const int64_t t = s.order.at(k);
      const StateMatrix state = before_step(s, t, in(3), out(0));
      f.add_products(state, 0, linear ? 3 * hidden : 2 * hidden);
      if (!linear) {
        f.add_step("gru_reset", {in(0), f.z(), state.memory, reset.memory, state.row, state.first, hidden,
                                 s.sizes.steps, t, s.elements()});
        f.add_products(reset, 2 * hidden, hidden);
      }
      f.add_step("gru_step", {in(0), f.z(), in(2), state.memory, s.lengths, out(0), linear ? 1 : 0, state.row,
                              state.first, hidden, s.sizes.steps, t, s.elements()});
    }
    f.add_last(out(0), out(1));
  }
};

struct Rnn : Recurrent {
  static void build(Launches& list, const abi::Problem& p) {
    const auto& a = p.attributes<RnnAttrs>();
    const Sequences s(p, p.out_shape(0), 3, a.reverse);
    if (s.elements() == 0) return;
    Forward f(list, s, 1);
    for (int64_t k = 0; k < s.sizes.steps; ++k) {
      const int64_t t = s.order.at(k);
      const StateMatrix state = before_step(s, t, in(2), out(0));
      f.add_products(state, 0, s.sizes.hidden);
      f.add_step("rnn_step", {in(0), f.z(), state.memory, s.lengths, out(0),
                              a.nonlinearity == CUTSET_RNN_NONLINEARITY_RELU ? 1 : 0, state.row, state.first,
                              s.sizes.hidden, s.sizes.steps, t, s.elements()});
    }
    f.add_last(out(0), out(1));
  }
};

}  // namespace

void register_recurrent(abi::KernelTable& kernels) {
  add_kernel<Lstm>(kernels, "lstm");
  add_kernel<Gru>(kernels, "gru");
  add_kernel<Rnn>(kernels, "rnn");
}

}  // namespace cutset::portable
