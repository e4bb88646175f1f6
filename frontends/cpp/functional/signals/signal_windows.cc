// SPDX-License-Identifier: Apache-2.0
#include <cutset/signal_windows.h>

#include "frontends/cpp/functional/signals/cosine_window.h"

namespace cutset {

Tensor hann_window(Graph& graph, int64_t size, const SignalWindowOptions& o, std::source_location source) {
  return cosine_window(graph, size, o, {0.5, -0.5}, source);
}
Tensor hamming_window(Graph& graph, int64_t size, const SignalWindowOptions& o, std::source_location source) {
  return cosine_window(graph, size, o, {0.54, -0.46}, source);
}
Tensor blackman_window(Graph& graph, int64_t size, const SignalWindowOptions& o,
                       std::source_location source) {
  return cosine_window(graph, size, o, {0.42, -0.5, 0.08}, source);
}

}  // namespace cutset
