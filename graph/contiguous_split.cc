#include "graph/contiguous_split.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cutset {

Result<ChainSplit> split_chain(const ChainProblem& p) {
  const size_t layers = p.seconds.size(), devices = layers ? p.seconds[0].size() : 0;
  if (!layers) return ChainSplit{};
  constexpr double kNever = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < layers; ++i)
    if (std::all_of(p.seconds[i].begin(), p.seconds[i].end(), [](double s) { return std::isinf(s); }))
      return unsupported("no device can run layer " + std::to_string(i));
  const size_t used = std::min(layers, devices);
  // Seconds of the layers before each layer, by device, and how many of those the device cannot run: a difference of
  // two sums would make infinity minus infinity of them.
  std::vector<std::vector<double>> before(devices, std::vector<double>(layers + 1, 0));
  std::vector<std::vector<size_t>> impossible(devices, std::vector<size_t>(layers + 1, 0));
  for (size_t d = 0; d < devices; ++d)
    for (size_t i = 0; i < layers; ++i) {
      const bool never = std::isinf(p.seconds[i][d]);
      before[d][i + 1] = before[d][i] + (never ? 0 : p.seconds[i][d]);
      impossible[d][i + 1] = impossible[d][i] + never;
    }
  // The load of `device` when it runs layers [from, to).
  auto load = [&](size_t device, size_t from, size_t to) {
    if (impossible[device][to] != impossible[device][from]) return kNever;
    double sum = before[device][to] - before[device][from];
    if (from > 0 && device > 0) sum += p.transfer[from - 1][device - 1];
    if (to < layers && device + 1 < devices) sum += p.transfer[to - 1][device];
    return sum;
  };
  // best[d][n]: the smallest bottleneck of the first n layers on devices 0..d-1, each with one or more.
  std::vector<std::vector<double>> best(used + 1, std::vector<double>(layers + 1, kNever));
  std::vector<std::vector<size_t>> cut(used + 1, std::vector<size_t>(layers + 1, 0));
  best[0][0] = 0;
  for (size_t d = 1; d <= used; ++d)
    for (size_t n = d; n <= layers; ++n)
      for (size_t from = d - 1; from < n; ++from) {
        const double value = std::max(best[d - 1][from], load(d - 1, from, n));
        if (value < best[d][n]) best[d][n] = value, cut[d][n] = from;
      }
  if (std::isinf(best[used][layers]))
    return unsupported("no contiguous split gives every device layers that it can run");
  ChainSplit split;
  split.bottleneck = best[used][layers];
  split.device.resize(layers);
  split.load.assign(devices, 0);
  for (size_t d = used, n = layers; d > 0; n = cut[d][n], --d) {
    for (size_t i = cut[d][n]; i < n; ++i) split.device[i] = static_cast<int>(d - 1);
    split.load[d - 1] = load(d - 1, cut[d][n], n);
  }
  return split;
}

}  // namespace cutset
