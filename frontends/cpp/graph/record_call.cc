// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/graph/record_call.h"

#include <cutset/ops.h>

#include <algorithm>

#include "frontends/cpp/graph/graph_state.h"

namespace cutset {

RecordCall::RecordCall(std::shared_ptr<GraphState> graph, std::source_location source)
    : graph_(std::move(graph)),
      undo_(graph_),
      source_(source),
      outermost_(!graph_->in_call && !graph_->importing()) {
  if (!outermost_) return;
  graph_->in_call = true;
  call_.part.first = static_cast<int>(graph_->builder->mark().values);
  call_.layer = graph_->names.joined();
  call_.device = graph_->devices.innermost();
  call_.variables = graph_->variables;
}

RecordCall::~RecordCall() {
  if (outermost_) graph_->in_call = false;
}

Tensor RecordCall::result(const Tensor& t) {
  std::vector<int>& results = call_.part.results;
  const bool is_new =
      t.value() >= call_.part.first && std::find(results.begin(), results.end(), t.value()) == results.end();
  const Tensor own = is_new ? t : reshape(t, {.shape = Shape(t.shape().size(), 0)}, source_);
  results.push_back(own.value());
  return own;
}

void RecordCall::add(decltype(KeptCall::again) again) {
  call_.part.end = static_cast<int>(graph_->builder->mark().values);
  call_.again = std::move(again);
  graph_->calls.push_back(std::move(call_));
}

}  // namespace cutset
