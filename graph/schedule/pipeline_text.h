// SPDX-License-Identifier: Apache-2.0
// Reads an instance of the scheduling problem from a text. docs/schedules.md describes the format.
#pragma once
#include <string_view>

#include "graph/schedule/instance.h"
#include "ir/core/result.h"

namespace cutset {

// Returns the instance that `text` describes, or an error of code kInvalidData. The pipeline has been
// checked. Complexity: O(n) for n bytes.
Result<PipelineInstance> parse_pipeline(std::string_view text);

}  // namespace cutset
