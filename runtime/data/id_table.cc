// SPDX-License-Identifier: Apache-2.0
#include "runtime/data/id_table.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "runtime/data/named_datasets.h"
#include "runtime/files/files.h"
#include "runtime/files/uninitialized.h"

namespace cutset {

Result<std::shared_ptr<const IdTable>> read_id_table(const std::string& path, const IdLimits& limits) {
  CUTSET_ASSIGN(const std::string text, read_file(path));
  auto table = std::make_shared<IdTable>();
  int64_t number = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    ++number;
    auto bad = [&](const std::string& why) {
      return invalid_data("'" + path + "', line " + std::to_string(number) + ": " + why,
                          "a line has a label and ids, separated by blanks, tabs or commas");
    };
    constexpr std::string_view kSeparators = " \t,\r";
    const size_t before = table->ids.size();
    bool labelled = false;
    for (size_t at = line.find_first_not_of(kSeparators); at != std::string_view::npos;) {
      const std::string_view word = line.substr(at, line.find_first_of(kSeparators, at) - at);
      const int64_t count = labelled ? limits.id_count : limits.label_count;
      int64_t value = -1;
      const auto parsed = std::from_chars(word.data(), word.data() + word.size(), value);
      if (parsed.ec == std::errc::invalid_argument || parsed.ptr != word.data() + word.size())
        return bad("'" + std::string(word.substr(0, 40)) + "' is not a whole number");
      if (parsed.ec != std::errc() || value < 0 || value >= count)
        return bad(std::string(labelled ? "the id " : "the label ") + std::string(word.substr(0, 40)) +
                   " is not in the range from 0 to " + std::to_string(count - 1));
      if (labelled && static_cast<int64_t>(table->ids.size() - before) == limits.length)
        return bad("the list has more than " + std::to_string(limits.length) + " ids");
      (labelled ? table->ids : table->labels).push_back(static_cast<int32_t>(value));
      labelled = true;
      at = line.find_first_not_of(kSeparators, at + word.size());
    }
    if (!labelled) continue;
    if (const auto ids = static_cast<int64_t>(table->ids.size() - before); limits.full && ids < limits.length)
      return invalid_data(
          "'" + path + "', line " + std::to_string(number) + ": the list has " + std::to_string(ids) +
              " ids, a sample has " + std::to_string(limits.length) + ", and no padding is given",
          "give IdTableOptions::padding, or --padding-id: a number that the model does not take for an id");
    table->ends.push_back(table->ids.size());
  }
  if (table->labels.empty()) return invalid_data("'" + path + "' has no sample");
  return std::shared_ptr<const IdTable>(table);
}

IdBatch make_batch(const IdTable& table, int64_t length, int32_t padding,
                   const std::vector<int64_t>& samples) {
  const int64_t n = static_cast<int64_t>(samples.size());
  IdBatch batch{uninitialized({i32, {n, length}}), uninitialized({i32, {n}})};
  int32_t *to = batch.ids.as<int32_t>().data(), *label = batch.label.as<int32_t>().data();
  for (int64_t sample : samples) {
    const size_t s = static_cast<size_t>(sample), begin = s ? table.ends[s - 1] : 0, end = table.ends[s];
    const auto first = table.ids.begin();
    int32_t* padded = std::copy(first + static_cast<int64_t>(begin), first + static_cast<int64_t>(end), to);
    to += length;
    std::fill(padded, to, padding);
    *label++ = table.labels[s];
  }
  return batch;
}

Result<Samples> read_id_samples(const std::string& path, const IdLimits& limits,
                                std::optional<int32_t> padding) {
  CUTSET_TRY(check_count("length of a list of ids", limits.length));
  CUTSET_TRY(check_count("number of ids", limits.id_count));
  CUTSET_TRY(check_count("number of labels", limits.label_count));
  CUTSET_ASSIGN(auto table,
                read_id_table(path, {limits.length, limits.id_count, limits.label_count, !padding}));
  const int64_t size = table->size();
  return Samples{size, [table = std::move(table), length = limits.length,
                        padding = padding.value_or(0)](const std::vector<int64_t>& numbers) {
                   IdBatch batch = make_batch(*table, length, padding, numbers);
                   std::map<std::string, HostTensor> tensors;
                   tensors.emplace("history", std::move(batch.ids));
                   tensors.emplace("label", std::move(batch.label));
                   return tensors;
                 }};
}

static const RegisterDataset registered_id_table({
    .name = "id-table",
    .inputs = {{"history", 2, "ids", true}, {"label", 1, "a label per list of ids", true}},
    .open =
        [](const DatasetRequest& r) {
          return read_id_samples(r.path,
                                 {.length = r.size_of("history", 1),
                                  .id_count = r.range_of("history"),
                                  .label_count = r.range_of("label")},
                                 r.padding);
        },
    .has_test_file = true,
    .padded = "history",
    .example = "3 1 4\n1,5\n9\n",
});

}  // namespace cutset
