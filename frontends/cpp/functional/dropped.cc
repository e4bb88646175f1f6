// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/functional/dropped.h"

#include <cutset/constants.h>
#include <cutset/graph.h>

#include "frontends/cpp/graph/graph_state.h"
#include "ir/core/half.h"
#include "ir/core/hash.h"

namespace cutset {

Tensor dropped(const Tensor& x, const std::string& what, double probability, const std::string& stream,
               std::source_location source) {
  if (!(probability >= 0 && probability < 1))
    raise({ErrorCode::kInvalidArgument, what + " has a probability of " + std::to_string(probability),
           Error::line_of(source), "set probability to a number from 0 to below 1"});
  // Streams of layers are above the streams of variables, which count from 1.
  const auto number = static_cast<int64_t>((hash_of(stream) >> 2) | (uint64_t{1} << 61));
  Graph g(x.graph());
  const Tensor like = is_half(x.dtype()) ? cast(x, f32, source) : x;  // 16 bits would change the probability
  const Tensor drawn = random_uniform(
      like, g.step(source), {.seed = static_cast<int64_t>(g.state()->seed), .stream = number}, source);
  const Tensor mask = greater_equal(drawn, probability, source);
  const Tensor scaled = ops::scale(x, 1 / (1 - probability), source);
  return g.when_training(cutset::where(mask, scaled, 0, source), x, source);
}

}  // namespace cutset
