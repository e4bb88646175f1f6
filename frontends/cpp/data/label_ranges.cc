// SPDX-License-Identifier: Apache-2.0
#include <cutset/label_ranges.h>

#include <algorithm>
#include <optional>
#include <set>

#include "frontends/cpp/checks/failure.h"
#include "frontends/cpp/graph/graph_state.h"
#include "ir/core/number_text.h"

namespace cutset::data {
namespace {

// The numbers from `lowest` to `highest`, and the numbers in `padding`.
struct Range {
  int64_t lowest = 0, highest = 0;
  std::set<int64_t> padding = {};
  std::optional<int> batch_dimension = 0;

  bool holds(double value) const {
    if (value >= static_cast<double>(lowest) && value <= static_cast<double>(highest)) return true;
    return std::ranges::any_of(padding, [&](int64_t p) { return value == static_cast<double>(p); });
  }
};

// Returns the place in a batch of `samples` samples to which element i of a tensor belongs. It is the index
// of the element along the batch dimension. If the tensor has no batch, each sample has an equal share of the
// elements.
int64_t sample_of(int64_t i, const Shape& shape, std::optional<int> batch_dimension, int64_t samples) {
  int64_t elements = 1, inner = 1;
  for (const int64_t d : shape) elements *= d;
  int64_t rows = elements;
  if (batch_dimension && *batch_dimension < static_cast<int>(shape.size()) &&
      shape[static_cast<size_t>(*batch_dimension)] % samples == 0) {
    rows = shape[static_cast<size_t>(*batch_dimension)];
    for (size_t d = static_cast<size_t>(*batch_dimension) + 1; d < shape.size(); ++d) inner *= shape[d];
  }
  const int64_t per_sample = std::max<int64_t>(1, rows / samples);
  return std::min(i / inner % rows / per_sample, samples - 1);
}

void check_range(const std::string& name, const HostTensor& values, const Range& range,
                 const BatchPosition& position) {
  const auto samples = static_cast<int64_t>(position.samples.size());
  if (is_float(values.dtype()) || samples == 0) return;
  for (int64_t i = 0; i < values.elements(); ++i) {
    const double value = values.at(i);
    if (range.holds(value)) continue;
    const int64_t place = sample_of(i, values.shape(), range.batch_dimension, samples);
    const int64_t sample = position.samples[static_cast<size_t>(place)];
    const bool negative_label = range.lowest == 0 && value < 0;
    const std::string ignores = range.padding.empty()
                                    ? "no label, not even -100"
                                    : "only the label " + std::to_string(*range.padding.begin());
    raise(invalid_data(
        "sample " + std::to_string(sample) + " has " + shortest_text(value) + " in '" + name +
            "', and the model takes numbers from " + std::to_string(range.lowest) + " to " +
            std::to_string(range.highest) + " there",
        std::string("samples are counted from 0; correct the sample") +
            (negative_label ? ", because the model ignores " + ignores
                            : ", or give a model with more classes or a larger vocabulary; the sizes of "
                              "a built-in model can be chosen")));
  }
}

}  // namespace

Dataset::Transform check_label_ranges(const Graph& graph) {
  std::map<std::string, Range> ranges;
  const LabelClasses& labels = graph.state()->labels;
  for (const auto& [name, classes] : labels.classes())
    ranges[name] = {labels.lowest(name), classes - 1, labels.padding(name), labels.batch_dimension(name)};
  return [ranges = std::move(ranges)](Batch batch, const BatchPosition& position) {
    for (const auto& [name, range] : ranges)
      if (const auto found = batch.find(name); found != batch.end())
        check_range(name, found->second, range, position);
    return batch;
  };
}

}  // namespace cutset::data
