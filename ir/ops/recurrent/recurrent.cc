// SPDX-License-Identifier: Apache-2.0
// The rules of lstm, gru and rnn: infer, shard, cost and gradient (ir/core/op/op_info.h). Their backward ops
// are in recurrent_backward.cc.
//
// The backward ops need the products of the weight and the state before each step. The gradients compute them
// again, for all steps in one matrix product, so that the forward ops do not keep them. One large product
// takes less time than many small products.
#include "ir/ops/recurrent/recurrent_check.h"
#include "ir/ops/recurrent/recurrent_rules.h"

namespace cutset::rules {
namespace {

constexpr double kFlopsPerGate = 10;  // an estimate for a sigmoid or tanh and the operations on it

// Returns a rule that splits the batch. The `count` operands from `weights` on have no batch.
ShardingRule rows_rule(size_t operands, size_t weights, size_t count, size_t results) {
  ShardingRule rule;
  std::vector<int> in(operands, 0);
  std::fill_n(in.begin() + static_cast<ptrdiff_t>(weights), count, kAbsent);
  return rule.factor(std::move(in), std::vector<int>(results, 0));
}

// Returns the cost of the steps over x. Each step multiplies a state with the weight.
Cost cost_of(const Types& in, const Types& out, const TensorType& x, const TensorType& weight) {
  const auto rows = static_cast<double>(x.shape[0]) * static_cast<double>(x.shape[1]);
  return streaming_cost(in, out,
                        rows * (2 * static_cast<double>(weight.elements()) +
                                kFlopsPerGate * static_cast<double>(weight.shape[0])));
}

// Joins all dimensions of v except the last dimension.
GraphValue flat(GradientBuilder& b, GraphValue v) {
  return b("reshape", {v}, {{"shape", IntList{-1, b.type(v).shape.back()}}});
}
GraphValue product(GradientBuilder& b, GraphValue x, GraphValue y, bool transpose_x, bool transpose_y) {
  return b("matmul", {x, y}, {{"transpose_x", transpose_x}, {"transpose_y", transpose_y}});
}
GraphValue rows(GradientBuilder& b, GraphValue x, int64_t axis, int64_t start, int64_t length) {
  return b("slice", {x}, {{"axis", axis}, {"start", start}, {"length", length}});
}
// Reshapes [batch, hidden] to a sequence of one step.
GraphValue one_step(GradientBuilder& b, GraphValue v) {
  return b("reshape", {v}, {{"shape", IntList{0, 1, b.type(v).shape[1]}}});
}

// Returns the states before each step. `states` are the states after each step.
GraphValue previous(GradientBuilder& b, GraphValue states, GraphValue initial, bool reverse) {
  const int64_t steps = b.type(states).shape[1];
  const GraphValue first = one_step(b, initial);
  if (steps == 1) return first;
  const GraphValue others = rows(b, states, 1, reverse ? 1 : 0, steps - 1);
  return b("concat", reverse ? GraphValues{others, first} : GraphValues{first, others},
           {{"axis", int64_t{1}}});
}

// Returns the gradient of the states after each step, including `of_last`, the gradient of the result for the
// last state. Either gradient may be empty.
GraphValue with_last(GradientBuilder& b, GraphValue gradient, GraphValue of_last, GraphValue states,
                     bool reverse) {
  if (!gradient && !of_last) return b("full_like", {states}, {{"value", 0.0}});
  if (!of_last) return gradient;
  const int64_t others = b.type(states).shape[1] - 1;
  const GraphValue padded =
      b("pad", {one_step(b, of_last)}, {{"axis", int64_t{1}}, {reverse ? "after" : "before", others}});
  return gradient ? b("add", {gradient, padded}) : padded;
}

// Appends the operand after the required operands, if it is given.
GraphValues with_lengths(GraphValues operands, const Differentiated& op, size_t required) {
  if (op.operands.size() > required) operands.push_back(op.operands[required]);
  return operands;
}

}  // namespace

namespace lstm {
Result<Types> infer(const Attrs&, const Types& in) {
  CUTSET_ASSIGN(const RecurrentTypes t, recurrent_types(in[0], in[1], 4));
  CUTSET_TRY(require_type("C3", "initial state", in[2], t.state));
  CUTSET_TRY(require_type("C3", "initial cell", in[3], t.state));
  if (in.size() > 4) CUTSET_TRY(check_lengths(in[4], t));
  return Types{t.states, t.states, t.state, t.state};
}
ShardingRule shard(const Attrs&, const Types& in) { return rows_rule(in.size(), 1, 1, 4); }
Cost cost(const Attrs& a, const Types& in) { return cost_of(in, *infer(a, in), in[0], in[1]); }

GraphValues gradient(GradientBuilder& b, const Attrs& a, const Differentiated& op) {
  const GraphValue x = op.operands[0], weight = op.operands[1], states = op.results[0], cells = op.results[1];
  const GraphValue before = flat(b, previous(b, states, op.operands[2], a.reverse));
  const GraphValue products = b("reshape_like", {product(b, before, weight, false, true), x});
  const GraphValues g =
      b.op("lstm_backward",
           with_lengths({with_last(b, op.gradients[0], op.gradients[2], states, a.reverse),
                         with_last(b, op.gradients[1], op.gradients[3], cells, a.reverse), x, products,
                         previous(b, cells, op.operands[3], a.reverse), weight},
                        op, 4),
           op.attributes);
  if (g.empty()) return {};
  return {g[0], product(b, flat(b, g[0]), before, true, false), g[1], g[2]};
}
}  // namespace lstm

namespace lstm_backward {
Cost cost(const Attrs& a, const Types& in) { return cost_of(in, *infer(a, in), in[2], in[5]); }
ShardingRule shard(const Attrs&, const Types& in) { return rows_rule(in.size(), 5, 1, 3); }
}  // namespace lstm_backward

namespace gru {
Result<Types> infer(const Attrs&, const Types& in) {
  CUTSET_ASSIGN(const RecurrentTypes t, recurrent_types(in[0], in[1], 3));
  CUTSET_TRY(require_type("C2", "bias", in[2], {in[0].dtype, {t.hidden()}}));
  CUTSET_TRY(require_type("C3", "initial state", in[3], t.state));
  if (in.size() > 4) CUTSET_TRY(check_lengths(in[4], t));
  return Types{t.states, t.state};
}
ShardingRule shard(const Attrs&, const Types& in) { return rows_rule(in.size(), 1, 2, 2); }
Cost cost(const Attrs& a, const Types& in) { return cost_of(in, *infer(a, in), in[0], in[1]); }

GraphValues gradient(GradientBuilder& b, const Attrs& a, const Differentiated& op) {
  const GraphValue x = op.operands[0], weight = op.operands[1], bias = op.operands[2], states = op.results[0];
  const int64_t hidden = b.type(bias).shape[0];
  const GraphValue before = previous(b, states, op.operands[3], a.reverse);
  // The weight has a part for the gates r and z and a part for n. The part for n is multiplied with `read`.
  const GraphValue of_gates = rows(b, weight, 0, 0, 2 * hidden),
                   of_n = rows(b, weight, 0, 2 * hidden, hidden);
  const GraphValue gates = product(b, flat(b, before), of_gates, false, true);
  GraphValue read = flat(b, before);
  if (!a.linear_before_reset) {
    const GraphValue r =
        b("sigmoid", {b("add", {rows(b, flat(b, x), 1, 0, hidden), rows(b, gates, 1, 0, hidden)})});
    read = b("mul", {r, read});
  }
  const GraphValue n = b("add", {product(b, read, of_n, false, true), bias});
  const GraphValue products = b("reshape_like", {b("concat", {gates, n}, {{"axis", int64_t{1}}}), x});
  const GraphValues g = b.op("gru_backward",
                             with_lengths({with_last(b, op.gradients[0], op.gradients[1], states, a.reverse),
                                           x, products, before, weight},
                                          op, 4),
                             op.attributes);
  if (g.empty()) return {};
  const GraphValue for_gates =
                       product(b, rows(b, flat(b, g[0]), 1, 0, 2 * hidden), flat(b, before), true, false),
                   for_n = product(b, flat(b, g[1]), read, true, false);
  return {g[0], b("concat", {for_gates, for_n}, {{"axis", int64_t{0}}}), b.sum_to_size(g[1], bias), g[2]};
}
}  // namespace gru

namespace gru_backward {
Cost cost(const Attrs& a, const Types& in) { return cost_of(in, *infer(a, in), in[1], in[4]); }
ShardingRule shard(const Attrs&, const Types& in) { return rows_rule(in.size(), 4, 1, 3); }
}  // namespace gru_backward

namespace rnn {
Result<Types> infer(const Attrs&, const Types& in) {
  CUTSET_ASSIGN(const RecurrentTypes t, recurrent_types(in[0], in[1], 1));
  CUTSET_TRY(require_type("C3", "initial state", in[2], t.state));
  if (in.size() > 3) CUTSET_TRY(check_lengths(in[3], t));
  return Types{t.states, t.state};
}
ShardingRule shard(const Attrs&, const Types& in) { return rows_rule(in.size(), 1, 1, 2); }
Cost cost(const Attrs& a, const Types& in) { return cost_of(in, *infer(a, in), in[0], in[1]); }

GraphValues gradient(GradientBuilder& b, const Attrs& a, const Differentiated& op) {
  const GraphValue weight = op.operands[1], states = op.results[0];
  const GraphValues g =
      b.op("rnn_backward",
           with_lengths({with_last(b, op.gradients[0], op.gradients[1], states, a.reverse), states, weight},
                        op, 3),
           op.attributes);
  if (g.empty()) return {};
  const GraphValue before = flat(b, previous(b, states, op.operands[2], a.reverse));
  return {g[0], product(b, flat(b, g[0]), before, true, false), g[1]};
}
}  // namespace rnn

namespace rnn_backward {
Cost cost(const Attrs& a, const Types& in) { return cost_of(in, *infer(a, in), in[0], in[2]); }
ShardingRule shard(const Attrs&, const Types& in) { return rows_rule(in.size(), 2, 1, 2); }
}  // namespace rnn_backward

}  // namespace cutset::rules
