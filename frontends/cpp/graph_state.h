// What a Graph, its tensors and its scopes share.
#pragma once
#include <cutset/error.h>
#include <cutset/tensor.h>

#include <memory>
#include <source_location>
#include <string>

#include "frontends/cpp/bridge.h"

namespace cutset {

class GraphState {
 public:
  std::unique_ptr<GraphBuilder> builder;
  uint64_t seed = 0;
  std::vector<std::pair<std::string, TensorType>> inputs;
  int64_t variables = 0;  // drawn so far: the stream of the next
  std::string device, scope;

  OpOrigin origin(std::source_location where) const {
    return {where.file_name(), static_cast<int>(where.line()), scope, device};
  }
};

// The outermost layer: here a failure becomes the exception.
[[noreturn]] void raise(const Failure& failure);
template <class T>
T check(Result<T> result) {
  if (!result.ok()) raise(result.error());
  return *std::move(result);
}
inline void check(const Status& status) {
  if (!status.ok()) raise(status.error());
}

}  // namespace cutset
