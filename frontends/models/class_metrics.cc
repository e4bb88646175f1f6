#include "frontends/models/class_metrics.h"

#include <cutset/layers.h>

namespace cutset::models {

std::vector<std::pair<std::string, Tensor>> class_metrics(const Tensor& logits, const Tensor& label) {
  constexpr int64_t kTop = 5;
  const Tensor wanted = label.dtype() == i64 ? label : cast(label, {.dtype = i64});
  const auto number_of = [](const Tensor& flags) { return sum(cast(flags, {.dtype = f32})); };
  std::vector<std::pair<std::string, Tensor>> outputs = {{"correct", number_of(equal(argmax(logits), wanted))}};
  if (logits.shape()[1] > 2 * kTop) {  // with fewer classes, chance alone is right in half of the cases
    const Tensor likeliest = top_k(logits, {.k = kTop})[1];
    outputs.emplace_back("correct_top5", number_of(equal(likeliest, reshape(wanted, {.shape = {-1, 1}}))));
  }
  return outputs;
}

}  // namespace cutset::models
