// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/import/values/scope.h"

namespace cutset::onnx {

std::optional<int> Scope::find(const std::string& name) const {
  for (const Scope* scope = this; scope; scope = scope->outer_)
    if (const auto found = scope->ids_.find(name); found != scope->ids_.end()) return found->second;
  return std::nullopt;
}

}  // namespace cutset::onnx
