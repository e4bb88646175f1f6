#include "frontends/models/class_metrics.h"

#include <cutset/layers.h>
#include <cutset/shapes.h>

namespace cutset::models {

std::vector<std::pair<std::string, Tensor>> class_metrics(const Tensor& logits, const Tensor& label,
                                                          int64_t class_axis) {
  constexpr int64_t kTop = 5;
  const Tensor wanted = label.dtype() == i64 ? label : cast(label, {.dtype = i64});
  const auto number_of = [](const Tensor& flags) { return sum(cast(flags, {.dtype = f32})); };
  const Tensor best = argmax(logits, {.axis = class_axis});
  std::vector<std::pair<std::string, Tensor>> outputs = {{"correct", number_of(equal(best, wanted))}};
  if (logits.shape()[static_cast<size_t>(class_axis)] >
      2 * kTop) {  // with fewer classes, chance alone is right in half of the cases
    const Tensor likeliest = top_k(logits, {.k = kTop, .axis = class_axis})[1];
    outputs.emplace_back("correct_top5", number_of(equal(likeliest, unsqueeze(wanted, {class_axis}))));
  }
  return outputs;
}

}  // namespace cutset::models
