// SPDX-License-Identifier: Apache-2.0
#include "passes/inspect/dot_op_graph.h"

#include <algorithm>
#include <deque>

namespace cutset::passes {

DotOpGraph::DotOpGraph(const DotBuilder& drawing) : drawing_(drawing) {
  for (const DotEdge& e : drawing.graph().edges)
    if (!e.invisible) {
      before_[e.to].push_back(e.from);
      after_[e.from].push_back(e.to);
    }
  std::deque<std::string> work;
  for (const auto& [node, part] : drawing.parts()) {
    if (part.kind == DotPart::Kind::kOutput && !part.gradient) work.push_back(node);
    scopes_ = std::max(scopes_, 1 + static_cast<size_t>(std::ranges::count(part.layer, '/')));
  }
  for (; !work.empty(); work.pop_front())
    for (const std::string& node : neighbours(work.front(), before_))
      if (needed_.insert(node).second) work.push_back(node);
}

const DotPart& DotOpGraph::part(const std::string& node) const {
  static const DotPart none{.kind = DotPart::Kind::kDetail};
  const auto found = drawing_.parts().find(node);
  return found == drawing_.parts().end() ? none : found->second;
}

const std::vector<std::string>& DotOpGraph::neighbours(const std::string& node, const Neighbours& of) {
  static const std::vector<std::string> none;
  const auto found = of.find(node);
  return found == of.end() ? none : found->second;
}

DotOpGraph::Pass DotOpGraph::pass_of(const std::string& node) const {
  const std::string& role = part(node).role;
  if (role == "update") return Pass::kUpdate;
  if (role == "accumulate") {
    for (const std::string& added : neighbours(node, before_))
      if (part(added).role != "accumulate" && pass_of(added) == Pass::kForward) return Pass::kForward;
    return Pass::kUpdate;
  }
  if (role == "micro_batch") return needed_.contains(node) ? Pass::kForward : Pass::kBackward;
  return role.starts_with("backward") ? Pass::kBackward : Pass::kForward;
}

}  // namespace cutset::passes
