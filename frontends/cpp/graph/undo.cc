// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/graph/undo.h"

namespace cutset {

Undo::Undo(std::shared_ptr<GraphState> graph)
    : graph_(std::move(graph)), mark_(graph_->builder->mark()), variables_(graph_->variables) {}
Undo::~Undo() {
  if (!graph_) return;
  try {
    graph_->builder->rewind(mark_);
    graph_->variables = variables_;
    std::erase_if(graph_->variables_by_name,
                  [&](const auto& v) { return v.second.id >= static_cast<int>(mark_.values); });
    std::erase_if(graph_->calls,
                  [&](const KeptCall& c) { return c.part.first >= static_cast<int>(mark_.values); });
  } catch (const Error&) {  // another thread uses the graph; the earlier exception is reported
  }
}

}  // namespace cutset
