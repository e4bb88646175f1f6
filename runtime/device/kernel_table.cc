// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/kernel_table.h"

#include <algorithm>
#include <cstddef>
#include <string>

namespace cutset {

KernelTable::KernelTable(const cutset_backend& backend) {
  for (const cutset_kernel* kernel : std::span(backend.kernels, backend.kernel_count)) {
    by_op_[kernel->op].push_back(kernel);
    by_name_.try_emplace(kernel->name, kernel);
  }
}

const cutset_kernel* KernelTable::find(std::string_view name) const {
  const auto kernel = by_name_.find(name);
  return kernel == by_name_.end() ? nullptr : kernel->second;
}

std::span<const cutset_kernel* const> KernelTable::of(std::string_view op) const {
  const auto kernels = by_op_.find(op);
  if (kernels == by_op_.end()) return {};
  return kernels->second;
}

std::span<const cutset_kernel* const> KernelTable::from(const cutset_kernel* first) const {
  const auto kernels = of(first->op);
  return kernels.subspan(static_cast<size_t>(std::ranges::find(kernels, first) - kernels.begin()));
}

bool is_reference(const cutset_kernel& kernel) {
  return kernel.name == std::string(kernel.op) + ".reference";
}

bool may_refuse(const cutset_kernel& kernel) {
  return kernel.size > offsetof(cutset_kernel, may_refuse) && kernel.may_refuse != 0;
}

}  // namespace cutset
