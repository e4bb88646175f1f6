// SPDX-License-Identifier: Apache-2.0
// Keeps the call of a function that appends several ops in the graph.
#pragma once
#include "frontends/cpp/graph/kept_call.h"
#include "frontends/cpp/graph/undo.h"

namespace cutset {

// Lives while the function builds. The destructor removes all ops that were built, unless keep() was called.
// A call inside of another call is not kept, because the outer call makes it again.
class RecordCall {
 public:
  RecordCall(std::shared_ptr<GraphState> graph, std::source_location source);
  ~RecordCall();
  RecordCall(const RecordCall&) = delete;

  // Keeps the call and the ops that it has built, and returns the results of the call. If a result is the
  // same value as an operand or as another result, a view replaces it, because for other shapes the two may
  // be different values.
  template <class Results>
  Results keep(Results results, decltype(KeptCall::again) again) {
    if (outermost_) {
      results = with_each(std::move(results), [&](const Tensor& t) { return result(t); });
      add(std::move(again));
    }
    undo_.keep();
    return results;
  }

 private:
  // Returns `t`, or a view of it, as a further result.
  Tensor result(const Tensor& t);
  void add(decltype(KeptCall::again) again);

  std::shared_ptr<GraphState> graph_;
  Undo undo_;
  std::source_location source_;
  bool outermost_;
  KeptCall call_;
};

}  // namespace cutset
