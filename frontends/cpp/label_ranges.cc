#include <cutset/label_ranges.h>

#include <algorithm>

#include "frontends/cpp/failure.h"
#include "frontends/cpp/graph_state.h"
#include "ir/core/number_text.h"

namespace cutset::data {
namespace {

// The numbers from `lowest` to `highest`.
struct Range {
  int64_t lowest = 0, highest = 0;
};

void check_range(const std::string& name, const HostTensor& values, const Range& range, const BatchPosition& position) {
  const auto samples = static_cast<int64_t>(position.samples.size());
  if (is_float(values.dtype()) || samples == 0) return;
  const int64_t per_sample = std::max<int64_t>(1, values.elements() / samples);
  for (int64_t i = 0; i < values.elements(); ++i) {
    const double value = values.at(i);
    if (value >= static_cast<double>(range.lowest) && value <= static_cast<double>(range.highest)) continue;
    const int64_t sample = position.samples[static_cast<size_t>(std::min(i / per_sample, samples - 1))];
    const bool negative_label = range.lowest == 0 && value < 0;
    raise(invalid_data("sample " + std::to_string(sample) + " has " + shortest_text(value) + " in '" + name +
                           "', and the model takes numbers from " + std::to_string(range.lowest) + " to " +
                           std::to_string(range.highest) + " there",
                       std::string("samples are counted from 0; correct the sample") +
                           (negative_label ? ", because the model ignores no label, not even -100"
                                           : ", or give a model with more classes or a larger vocabulary; those of a "
                                             "built-in model can be chosen")));
  }
}

}  // namespace

Dataset::Transform check_label_ranges(const Graph& graph) {
  std::map<std::string, Range> ranges;
  const LabelClasses& labels = graph.state()->labels;
  for (const auto& [name, classes] : labels.classes()) ranges[name] = {labels.lowest(name), classes - 1};
  return [ranges = std::move(ranges)](Batch batch, const BatchPosition& position) {
    for (const auto& [name, range] : ranges)
      if (const auto found = batch.find(name); found != batch.end()) check_range(name, found->second, range, position);
    return batch;
  };
}

}  // namespace cutset::data
