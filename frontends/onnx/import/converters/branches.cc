// SPDX-License-Identifier: Apache-2.0
// If. A graph has no control flow, so branches are selected while the graph is built or by `source` (decision
// 48).
#include "frontends/onnx/import/converters.h"
#include "frontends/onnx/import/values/control_values.h"
#include "ir/core/number_text.h"

namespace cutset::onnx {
namespace {

Body branch_of(Node& n, const char* name) {
  Body branch(n, name);
  branch.require_inputs(0);
  if (branch.outputs() < n.results())
    invalid(std::string(name) + " of " + n.shown_name() + " has " +
            counted(static_cast<size_t>(branch.outputs()), "output") + ", but the node has " +
            counted(static_cast<size_t>(n.results()), "result"));
  return branch;
}

// If the condition is known, only its branch is converted. Otherwise the program computes both branches, and
// the condition selects the results.
Results if_of(Node& n) {
  const Value& condition = n.value(0);
  check_condition(condition, "the condition of " + n.shown_name());
  Body yes = branch_of(n, "then_branch"), no = branch_of(n, "else_branch");
  if (const auto branch = known_condition(n, condition))
    return (*branch ? yes.convert({}, "then_branch") : no.convert({}, "else_branch")).value_or(Results());
  const auto either = [&](Body& branch, const char* label, bool kept_if) {
    const MayBeDropped dropped(n.bodies(), condition, kept_if);
    return branch.convert({}, label);
  };
  const std::optional<Values> then = either(yes, "then_branch", true),
                              otherwise = either(no, "else_branch", false);
  if (!then || !otherwise) return {};
  Results results;
  for (int i = 0; i < n.results(); ++i) {
    const auto at = static_cast<size_t>(i);
    results.push_back(n.wants(i) ? select(n, condition, (*then)[at], (*otherwise)[at],
                                          "the result " + n.shown_result(i) + " of " + n.shown_name())
                                 : Value());
  }
  return results;
}

}  // namespace

static void add_branches(Converters& table) { table.insert({{"If", if_of}}); }

static const ConverterFamily kBranchesConverters(add_branches);

}  // namespace cutset::onnx
