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

// Returns the labels as i64, for comparisons with indices of classes.
Tensor as_index(const Tensor& label);
// Returns which labels, of i64, are not the ignored label, as i1 in their shape.
Tensor counted_labels(const Tensor& label, int64_t ignore_index);

// Returns these outputs, which are f32 scalars:
// - "correct": the number of labels that are the likeliest class.
// - "correct_top5", with more than 10 classes: the number of labels among the five likeliest classes.
// `class_axis` is the dimension of the classes, 0 or above. `label` are integers in the shape of `logits`
// without this dimension. Labels with the value `ignore_index` do not count.
std::vector<std::pair<std::string, Tensor>> class_metrics(const Tensor& logits, const Tensor& label,
                                                          int64_t class_axis = 1,
                                                          std::optional<int64_t> ignore_index = std::nullopt);

}  // namespace cutset::models
