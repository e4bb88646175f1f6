// SPDX-License-Identifier: Apache-2.0
// The kernels of a backend, by op and by name.
#pragma once
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime/abi/cutset_device.h"

namespace cutset {

class KernelTable {
 public:
  // The backend must outlive the table.
  explicit KernelTable(const cutset_backend& backend);
  // Returns the kernel with this name, or null.
  const cutset_kernel* find(std::string_view name) const;
  // Returns the kernels of the op, in the backend's order of preference.
  std::span<const cutset_kernel* const> of(std::string_view op) const;
  // Returns the kernels of the op of `first`, a kernel of the table, in the backend's order, beginning with
  // `first`.
  std::span<const cutset_kernel* const> from(const cutset_kernel* first) const;

 private:
  std::unordered_map<std::string_view, std::vector<const cutset_kernel*>> by_op_;
  std::unordered_map<std::string_view, const cutset_kernel*> by_name_;
};

// Whether the kernel is the reference kernel of its op (runtime/abi/reference_kernel.h).
bool is_reference(const cutset_kernel& kernel);
// Whether the kernel may refuse, when it is prepared, a problem that it supports.
bool may_refuse(const cutset_kernel& kernel);

}  // namespace cutset
