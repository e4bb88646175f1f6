// SPDX-License-Identifier: Apache-2.0
// The metrics of classifiers, which the function "evaluate" returns.
#pragma once
#include <cutset/graph.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cutset::models {

// The labels as i64, for comparisons with indices of classes.
Tensor as_index(const Tensor& label);
// Which labels, of i64, are not the ignored one: i1 in their shape.
Tensor counted_labels(const Tensor& label, int64_t ignore_index);

// Returns the outputs "correct", the number of labels that are the likeliest class, and, with more than 10
// classes, "correct_top5", the number of labels among the five likeliest ones; both are f32 scalars.
// `class_axis` is the dimension of the classes, 0 or above. `label` are integers in the shape of `logits`
// without this dimension. Labels with the value `ignore_index` do not count.
std::vector<std::pair<std::string, Tensor>> class_metrics(const Tensor& logits, const Tensor& label,
                                                          int64_t class_axis = 1,
                                                          std::optional<int64_t> ignore_index = std::nullopt);

}  // namespace cutset::models
