// SPDX-License-Identifier: Apache-2.0
// The frame of public functions that append several ops.
#pragma once
#include "frontends/cpp/graph/append.h"
#include "frontends/cpp/graph/record_call.h"
#include "frontends/cpp/graph/undo.h"

namespace cutset {

// Appends ops to the graph of x by `build`, and returns its result. If `build` throws, the graph stays as it
// was. `function` is the name of the public function; x is its first operand. An empty x throws an Error with
// the line `source`.
template <class Build>
auto compose(const Tensor& x, const char* function, std::source_location source, Build build) {
  require_tensor(x, function, source);
  Undo undo(x.graph());
  auto y = build();
  undo.keep();
  return y;
}

// Composes a function whose ops depend on the sizes of its operands. For a program with other shapes, `again`
// makes the same call with the counterparts of the operands, so that the program gets the ops for these
// shapes:
//   const auto again = [x = kept(x), axes, where](const Counterpart& now) {
//     return flip(now(x), axes, where);
//   };
template <class Again, class Build>
auto compose(const Tensor& x, const char* function, std::source_location source, Again again, Build build) {
  require_tensor(x, function, source);
  RecordCall call(x.graph(), source);
  return call.keep(build(), [again = std::move(again)](const Counterpart& now) {
    std::vector<Tensor> results;
    with_each(again(now), [&](const Tensor& t) {
      results.push_back(t);
      return t;
    });
    return results;
  });
}

// Throws an Error that says what `function` needs of x: "tile of 2x3xf32 needs one repeat per dimension".
[[noreturn]] inline void refuse(const Tensor& x, const char* function, const std::string& needs,
                                std::source_location source, const std::string& hint = "") {
  throw Error(ErrorCode::kInvalidArgument,
              std::string(function) + " of " + to_string(x.type()) + " needs " + needs,
              Error::line_of(source), hint);
}

// Returns `axis` as a dimension from 0 on. Throws an Error if a tensor of rank `rank` has no such dimension.
// The error names the type of x.
inline int64_t axis_of(const Tensor& x, const char* function, int64_t axis, int64_t rank,
                       std::source_location source) {
  if (axis < -rank || axis >= rank)
    refuse(x, function,
           "an axis from " + std::to_string(-rank) + " to " + std::to_string(rank - 1) + ", not " +
               std::to_string(axis),
           source);
  return axis < 0 ? axis + rank : axis;
}
inline int64_t axis_of(const Tensor& x, const char* function, int64_t axis, std::source_location source) {
  return axis_of(x, function, axis, x.type().rank(), source);
}

}  // namespace cutset
