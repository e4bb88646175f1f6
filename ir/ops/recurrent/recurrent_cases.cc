// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "ir/ops/recurrent/recurrent_rules.h"

namespace cutset::rules {
namespace {

// The sizes of sequences, and the options of their steps.
struct Problem {
  std::string name;
  int64_t batch, steps, hidden;
  bool reverse = false;
  std::optional<DType> lengths = {};  // some lengths are below 0 or above the number of steps
  DType type = f32;
};
std::vector<Problem> fixed_problems() {
  return {{"sequences", 3, 5, 4},
          {"backwards", 2, 4, 5, true},
          {"lengths", 6, 4, 3, false, i32},
          {"lengths backwards", 6, 3, 3, true, i64},
          {"one step", 3, 1, 6},
          {"one step backwards", 2, 1, 3, true, i32},
          {"one unit", 4, 3, 1},
          {"one row", 1, 9, 2, false, i64},
          {"wide", 5, 3, 40},
          {"more rows than units", 37, 2, 3, true},
          {"many steps", 2, 70, 8},
          {"no rows", 0, 3, 2, false, i32},
          {"f64", 2, 3, 4, true, i32, f64}};
}
Problem random_problem(PhiloxSequence& r) {
  const auto size = [&] { return 1 + static_cast<int64_t>(r.below(5)); };
  Problem p{"random", size(), size(), size(), r.below(2) != 0};
  if (r.below(2)) p.lengths = r.below(2) ? i32 : i64;
  return p;
}

// Return operands of the types that follow from `p`. States are from -1 to 1, like results of a tanh.
Operand sequence(const Problem& p, int64_t parts) { return {{p.type, {p.batch, p.steps, parts * p.hidden}}}; }
Operand states(const Problem& p) { return {{p.type, {p.batch, p.steps, p.hidden}}, uniform(-1, 1)}; }
Operand state(const Problem& p) { return {{p.type, {p.batch, p.hidden}}, uniform(-1, 1)}; }
Operand weight(const Problem& p, int64_t parts) {
  return {{p.type, {parts * p.hidden, p.hidden}}, uniform(-0.5, 0.5)};
}

Case of(const Problem& p, std::vector<Operand> operands) {
  Case c{p.name,
         {{"reverse", p.reverse}},
         std::move(operands),
         2e-5,
         2e-5,
         "sums and exponentials in f32, over the steps"};
  if (p.lengths) c.operands.push_back({{*p.lengths, {p.batch}}, integers(-1, p.steps + 2), false});
  return c;
}

Case lstm_of(const Problem& p) { return of(p, {sequence(p, 4), weight(p, 4), state(p), state(p)}); }
Case lstm_backward_of(const Problem& p) {
  return of(p, {states(p), states(p), sequence(p, 4), sequence(p, 4), states(p), weight(p, 4)});
}
template <bool kLinearBeforeReset>
Case with_form(Case c) {
  c.attributes.emplace_back("linear_before_reset", kLinearBeforeReset);
  if (!kLinearBeforeReset) c.name += ", reset first";
  return c;
}
Case gru_of(const Problem& p) {
  return of(p, {sequence(p, 3), weight(p, 3), {{p.type, {p.hidden}}}, state(p)});
}
Case gru_backward_of(const Problem& p) {
  return of(p, {states(p), sequence(p, 3), sequence(p, 3), states(p), weight(p, 3)});
}
template <bool kRelu>
Case with_function(Case c) {
  c.attributes.emplace_back("nonlinearity", std::string(kRelu ? "relu" : "tanh"));
  if (kRelu) c.name += ", relu";
  return c;
}
Case rnn_of(const Problem& p) { return of(p, {sequence(p, 1), weight(p, 1), state(p)}); }
Case rnn_backward_of(const Problem& p) { return of(p, {states(p), states(p), weight(p, 1)}); }

template <Case (*make)(const Problem&)>
OpCases all() {
  OpCases list;
  for (const Problem& p : fixed_problems()) list.fixed.push_back(make(p));
  list.random = [](PhiloxSequence& r) { return make(random_problem(r)); };
  return list;
}
// Returns each case in two forms, which `first` and `second` make.
template <Case (*make)(const Problem&), Case (*first)(Case), Case (*second)(Case)>
OpCases both() {
  OpCases list;
  for (const Problem& p : fixed_problems()) {
    list.fixed.push_back(first(make(p)));
    list.fixed.push_back(second(make(p)));
  }
  list.random = [](PhiloxSequence& r) {
    const bool is_first = r.below(2) != 0;
    const Case c = make(random_problem(r));
    return is_first ? first(c) : second(c);
  };
  return list;
}

}  // namespace

OpCases lstm::cases() { return selecting(sharded(all<lstm_of>(), "lengths", "0 - 0 0 0 > 0 0 0 0")); }
OpCases lstm_backward::cases() {
  return selecting(sharded(all<lstm_backward_of>(), "lengths", "0 0 0 0 0 - 0 > 0 0 0"));
}
OpCases gru::cases() {
  return selecting(sharded(both<gru_of, with_form<true>, with_form<false>>(), "sequences", "0 - - 0 > 0 0"));
}
OpCases gru_backward::cases() {
  return selecting(
      sharded(both<gru_backward_of, with_form<true>, with_form<false>>(), "sequences", "0 0 0 0 - > 0 0 0"));
}
OpCases rnn::cases() {
  return selecting(
      sharded(both<rnn_of, with_function<false>, with_function<true>>(), "sequences", "0 - 0 > 0 0"));
}
OpCases rnn_backward::cases() {
  return selecting(sharded(both<rnn_backward_of, with_function<false>, with_function<true>>(), "sequences",
                           "0 0 - > 0 0"));
}

}  // namespace cutset::rules
