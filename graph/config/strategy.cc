// SPDX-License-Identifier: Apache-2.0
#include "graph/config/strategy.h"

#include <iterator>

#include "graph/partition/shard_names.h"
#include "graph/schedule/generators.h"
#include "ir/core/number_text.h"

namespace cutset {
namespace {

// Returns "?" for a value outside of the enumeration, so that compile() refuses it.
const char* shard_text(Data::Shard shard) {
  const auto level = static_cast<size_t>(shard);
  return level < std::size(kShardNames) ? kShardNames[level] : "?";
}

std::string text_of(const Data& data) {
  std::string text = "data(" + std::to_string(data.replicas);
  for (size_t i = 0; i < data.shares.size(); ++i)
    text += (i ? ":" : ", shares=") + shortest_text(data.shares[i]);
  if (data.shard != Data::Shard::kNothing) text += ", shard=" + std::string(shard_text(data.shard));
  return text + ")";
}

// Returns the name of a schedule with '?' in the place of each character that no name has, such as a bracket,
// which would end the term.
std::string schedule_text(std::string name) {
  for (char& c : name)
    if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') && c != '-' && c != '_')
      c = '?';
  return name;
}

// Whether `list` is 0, 1, ..., devices * chunks - 1. The product is not computed, because it may overflow.
bool is_all_stages(const std::vector<int64_t>& list, int64_t devices, int64_t chunks) {
  const auto size = static_cast<int64_t>(list.size());
  if (chunks < 1 || size == 0 || size % chunks != 0 || size / chunks != devices) return false;
  for (size_t i = 0; i < list.size(); ++i)
    if (list[i] != static_cast<int64_t>(i)) return false;
  return true;
}

std::string text_of(const Pipeline& pipeline) {
  std::string text = "pipeline(" + std::to_string(pipeline.devices) +
                     ", micro_batches=" + std::to_string(pipeline.micro_batches);
  if (pipeline.devices != 1 || pipeline.schedule != Pipeline().schedule)
    text += ", schedule=" + schedule_text(pipeline.schedule);
  const ScheduleGenerator* schedule = find_schedule_generator(pipeline.schedule);
  const bool only_one = pipeline.chunks == 1 && schedule && schedule->least_chunks == 1;
  if (pipeline.chunks != 0 && !only_one) text += ", chunks=" + std::to_string(pipeline.chunks);
  std::string stages;
  if (is_all_stages(pipeline.recompute, pipeline.devices, pipeline.chunks))
    stages = "true";
  else
    for (int64_t stage : pipeline.recompute) stages += (stages.empty() ? "" : ":") + std::to_string(stage);
  if (!stages.empty()) text += ", recompute=" + stages;
  return text + ")";
}

}  // namespace

Strategy::Strategy(const Data& term) : text_(text_of(term)) {}
Strategy::Strategy(const Pipeline& term) : text_(text_of(term)) {}
Strategy::Strategy(const Model&) : text_("model") {}
Strategy::Strategy(const TensorParallel& term) : text_("tensor(" + std::to_string(term.devices) + ")") {}
Strategy::Strategy(const OneDevice&) : text_("one_device") {}

Strategy operator*(const Strategy& x, const Strategy& y) {
  if (x.text().empty() || y.text().empty()) return x.text().empty() ? y : x;
  return Strategy(x.text() + " * " + y.text());
}

}  // namespace cutset
