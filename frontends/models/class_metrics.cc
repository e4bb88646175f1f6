// SPDX-License-Identifier: Apache-2.0
#include "frontends/models/class_metrics.h"

#include <cutset/constants.h>
#include <cutset/indexing.h>
#include <cutset/layers.h>
#include <cutset/reductions.h>
#include <cutset/shapes.h>

namespace cutset::models {

Tensor as_index(const Tensor& label) { return label.dtype() == i64 ? label : cast(label, {.dtype = i64}); }

Tensor counted_labels(const Tensor& label, int64_t ignore_index) {
  return not_equal(label, constant(label, ignore_index));
}

std::vector<std::pair<std::string, Tensor>> class_metrics(const Tensor& logits, const Tensor& label,
                                                          int64_t class_axis,
                                                          std::optional<int64_t> ignore_index) {
  constexpr int64_t kTop = 5;
  const Tensor index = as_index(label);
  const Tensor counted =
      ignore_index ? cast(counted_labels(index, *ignore_index), {.dtype = f32}) : Tensor();  // 1 or 0
  // Returns the number of flags that are set. `beside` has the factors of the flags, and may be empty.
  const auto number_of = [](const Tensor& flags, const Tensor& beside) {
    const Tensor numbers = cast(flags, {.dtype = f32});
    return sum(beside.defined() ? mul(numbers, beside) : numbers);
  };
  const Tensor best = argmax(logits, {.axis = class_axis});
  std::vector<std::pair<std::string, Tensor>> outputs = {{"correct", number_of(equal(best, index), counted)}};
  if (logits.shape()[static_cast<size_t>(class_axis)] >
      2 * kTop) {  // with fewer classes, chance alone is right in half of the cases
    const Tensor likeliest = top_k(logits, {.k = kTop, .axis = class_axis})[1];
    outputs.emplace_back("correct_top5",
                         number_of(equal(likeliest, unsqueeze(index, {class_axis})),
                                   counted.defined() ? unsqueeze(counted, {class_axis}) : Tensor()));
  }
  return outputs;
}

}  // namespace cutset::models
