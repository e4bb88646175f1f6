// SPDX-License-Identifier: Apache-2.0
// Loop, unrolled over its trip count or until its condition is false (decision 48).
#include <algorithm>

#include "frontends/onnx/import/converters.h"
#include "frontends/onnx/import/model/limits.h"
#include "frontends/onnx/import/values/control_values.h"
#include "ir/core/number_text.h"

namespace cutset::onnx {
namespace {

class Loop {
 public:
  explicit Loop(Node& n) : n_(n), body_(n, "body"), carried_count_(std::max(n.operands() - 2, 0)) {
    body_.require_inputs(carried_count_ + 2);
    if (body_.outputs() < carried_count_ + 1 || n.results() > body_.outputs() - 1)
      invalid("body of " + n.shown_name() + " has " +
              counted(static_cast<size_t>(body_.outputs()), "output") + "; it needs a condition, " +
              counted(static_cast<size_t>(carried_count_), "carried value") + ", and what the node collects");
    for (int i = 0; i < carried_count_; ++i) values_.push_back(n.tensor_or_sequence(i + 2));
    collected_.resize(static_cast<size_t>(body_.outputs() - 1 - carried_count_));
    if (n.has(0) && (n.type(0).dtype != DType::i64 || n.type(0).elements() != 1))
      invalid("the trip count of " + n.shown_name() + " has the type " + to_string(n.type(0)) +
              ", but must be one i64");
    if (n.has(1)) {
      check_condition(n.value(1), "the condition of " + n.shown_name());
      meet(n.value(1));
    } else if (!n.has(0)) {
      invalid(n.shown_name() + " has neither a trip count nor a condition, so it does not end");
    }
    if (n.has(0) && !ended_) trips_ = trip_count();
  }

  Results run() {
    for (int64_t i = 0; !ended_ && (!trips_ || i < *trips_); ++i) {
      if (active_) check_unknown();
      if (!iterate(i)) return {};
    }
    Results results = values_;
    for (size_t k = 0; k < collected_.size() && static_cast<int>(results.size()) < n_.results(); ++k) {
      const int result = static_cast<int>(results.size());
      results.push_back(n_.wants(result) ? collected(k, result) : Value());
    }
    return results;
  }

 private:
  int64_t trip_count() {
    if (n_.known_or_null(0)) return n_.known_number(0);
    unsupported("the trip count of " + n_.shown_name() +
                " is computed when the program runs, and a loop is unrolled; make it a constant, or give the "
                "elements of the "
                "inputs that it follows from, in ImportOptions::known or with --known");
  }

  // Applies a condition to the next iteration. If the condition is known and false, the loop ends. An unknown
  // condition is joined with the other unknown conditions.
  void meet(const Value& condition) {
    const auto truth = known_condition(n_, condition);
    if (truth)
      ended_ = !*truth;
    else
      active_ = active_ ? both(n_, active_, condition) : condition;
  }

  // Throws if the loop has an unknown condition and no usable trip count, or a collected result, whose length
  // would depend on the condition. For a loop that only its condition ends, exporters write the largest
  // integer as the trip count.
  void check_unknown() const {
    const std::string computed = "the condition of " + n_.shown_name() + " is computed when the program runs";
    if (!trips_ || *trips_ > kMostUnrolled)
      unsupported(computed + ", and " +
                  (trips_ ? "the trip count is " + std::to_string(*trips_) : "there is no trip count") +
                  "; give the loop a trip count" +
                  (trips_ ? " of at most " + std::to_string(kMostUnrolled) : std::string()) +
                  ", or make the condition known with ImportOptions::known or --known");
    for (size_t k = 0; k < collected_.size(); ++k)
      if (const int result = carried_count_ + static_cast<int>(k); n_.wants(result))
        unsupported(computed + ", so the length of " + n_.shown_result(result) +
                    " is unknown; carry a tensor of fixed length instead, or make the condition known with "
                    "ImportOptions::known or --known");
  }

  // Converts the body once. Returns false if its nodes could not be converted. The body gets a condition that
  // is true, because it is true in every iteration whose results are kept.
  bool iterate(int64_t i) {
    Values inputs = {HostTensor(body_.is_list(0) ? Shape{1} : Shape{}, {i}), truth(body_.is_list(1))};
    inputs.insert(inputs.end(), values_.begin(), values_.end());
    const std::optional<Values> outputs = convert(inputs, i);
    if (!outputs) return false;
    const Value& condition = (*outputs)[0];
    check_condition(condition, "the condition that body of " + n_.shown_name() + " computes");
    for (int k = 0; k < carried_count_; ++k) {
      Value& carried = values_[static_cast<size_t>(k)];
      const Value& next = (*outputs)[static_cast<size_t>(k) + 1];
      carried = active_ ? select(n_, active_, next, carried,
                                 "the carried value " + n_.shown_result(k) + " of " + n_.shown_name())
                        : next;
    }
    for (size_t k = 0; k < collected_.size(); ++k)
      collected_[k].push_back((*outputs)[static_cast<size_t>(carried_count_) + 1 + k]);
    // If the node has no condition, ONNX ignores the conditions that the body computes. The condition of the
    // last iteration decides nothing.
    if (n_.has(1) && (!trips_ || i + 1 < *trips_)) meet(condition);
    return true;
  }

  std::optional<Values> convert(const Values& inputs, int64_t i) {
    std::optional<MayBeDropped> dropped;
    if (active_) dropped.emplace(n_.bodies(), active_, true);
    return body_.convert(inputs, std::to_string(i));
  }

  static HostTensor truth(bool is_list) {
    HostTensor yes({DType::i1, is_list ? Shape{1} : Shape{}});
    yes.set(0, 1);
    return yes;
  }

  Value collected(size_t k, int result) {
    const std::string what = "the result " + n_.shown_result(result) + " of " + n_.shown_name();
    if (!collected_[k].empty()) return join(n_, collected_[k], 0, what);
    TensorType type = body_.declared_output(carried_count_ + 1 + static_cast<int>(k));
    type.shape.insert(type.shape.begin(), 0);
    return zeros(n_, type, what);
  }

  Node& n_;
  Body body_;
  int carried_count_;              // the number of carried values
  Values values_;                  // the carried values
  std::vector<Values> collected_;  // per collected result, its value in each iteration
  std::optional<int64_t> trips_;   // nothing: the condition ends the loop
  Value active_;        // the conjunction of all unknown conditions; does not exist if all are known
  bool ended_ = false;  // whether a known condition ended the loop
};

Results loop_of(Node& n) { return Loop(n).run(); }

}  // namespace

static void add_loops(Converters& table) { table.insert({{"Loop", loop_of}}); }

static const ConverterFamily kLoopsConverters(add_loops);

}  // namespace cutset::onnx
