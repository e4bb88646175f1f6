// SPDX-License-Identifier: Apache-2.0
#include "ir/core/copy_elements.h"
#include "ir/ops/detach/detach_rules.h"

namespace cutset::rules::detach {

Status reference(const Attrs&, Views in, Views out) { return copy_elements(in, out); }

}  // namespace cutset::rules::detach
