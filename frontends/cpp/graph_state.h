// What a Graph, its tensors and its scopes share.
#pragma once
#include <cutset/error.h>
#include <cutset/tensor.h>

#include <memory>
#include <source_location>
#include <string>

#include "frontends/cpp/bridge.h"
#include "frontends/cpp/label_classes.h"

namespace cutset {

class GraphState {
 public:
  std::unique_ptr<GraphBuilder> builder;
  uint64_t seed = 0;
  std::vector<std::pair<std::string, TensorType>> inputs;
  LabelClasses labels;
  int64_t variables = 0;  // drawn so far: the stream of the next
  std::string device, scope;

  OpOrigin origin(std::source_location where) const {
    return {where.file_name(), static_cast<int>(where.line()), scope, device};
  }
};

// The outermost layer: here a failure becomes the exception.
[[noreturn]] inline void raise(const Failure& failure) { throw Error(failure); }
template <class T>
T check(Result<T> result) {
  if (!result.ok()) raise(result.error());
  return *std::move(result);
}
inline void check(const Status& status) {
  if (!status.ok()) raise(status.error());
}
// As above; a failure that names no line of the user's gets `where`, the line of the call.
[[noreturn]] inline void raise(const Failure& failure, std::source_location where) { throw Error(failure, where); }
template <class T>
T check(Result<T> result, std::source_location where) {
  if (!result.ok()) raise(result.error(), where);
  return *std::move(result);
}
inline void check(const Status& status, std::source_location where) {
  if (!status.ok()) raise(status.error(), where);
}

}  // namespace cutset
