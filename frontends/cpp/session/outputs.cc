// SPDX-License-Identifier: Apache-2.0
#include <cutset/outputs.h>

#include "ir/core/names.h"

namespace cutset {

bool Outputs::contains(const std::string& name) const { return tensors_.contains(name); }

void Outputs::emplace(const std::string& name, HostTensor tensor) {
  tensors_.insert_or_assign(name, std::move(tensor));
}

const HostTensor& Outputs::find(const OutputName& name) const {
  if (const auto it = tensors_.find(name.name); it != tensors_.end()) return it->second;
  std::vector<std::string> have;
  for (const auto& [n, tensor] : tensors_) have.push_back(n);
  throw Error(invalid_argument(
                  "there is no output '" + name.name + "'",
                  have.empty() ? "the function has no outputs"
                               : "the function returns " + quoted_list(have) + and_nearest(name.name, have)),
              name.source);
}

}  // namespace cutset
