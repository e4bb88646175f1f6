// SPDX-License-Identifier: Apache-2.0
// Windows for signals. Each window is a sum of cosines.
#pragma once
#include <cutset/signal_windows.h>

#include <cstdint>
#include <source_location>
#include <vector>

namespace cutset {

// Returns the sum of factors[k] cos(2 pi i k / period) over k, for each element i of the window. Throws as
// the windows of <cutset/signal_windows.h> do.
Tensor cosine_window(Graph& graph, int64_t size, const SignalWindowOptions& o,
                     const std::vector<double>& factors, std::source_location source);

}  // namespace cutset
