// SPDX-License-Identifier: Apache-2.0
#include "graph/partition/apportion.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cutset {

std::vector<int64_t> apportion(int64_t total, const std::vector<double>& shares) {
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  std::vector<int64_t> whole;
  std::vector<double> rest;
  int64_t left = total;
  for (double share : shares) {
    const double exact = static_cast<double>(total) * share / sum;
    whole.push_back(static_cast<int64_t>(exact));
    rest.push_back(exact - std::floor(exact));
    left -= whole.back();
  }
  for (; left > 0; --left) {
    const auto most = std::max_element(rest.begin(), rest.end());
    ++whole[static_cast<size_t>(most - rest.begin())];
    *most -= 1;
  }
  return whole;
}

}  // namespace cutset
