// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/training/training_position.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <type_traits>

#include "frontends/cpp/checks/failure.h"
#include "ir/core/number_text.h"

namespace cutset {
namespace {

// Checks that the file has all notes of a position. Looks for them in the order in which versions of Cutset
// began to write them.
void require_position(const std::string& path, const Notes& notes, const RunDescription& run,
                      const TrainerNames& names) {
  std::vector<std::string> all = {"train.epoch", "train.batches"};
  for (std::string& name : run.required()) all.push_back(std::move(name));
  all.emplace_back("train.first_step");
  const auto missing =
      std::ranges::find_if(all, [&](const std::string& name) { return !notes.contains(name); });
  if (missing == all.begin())
    raise(invalid_data("'" + path + "' has no position in the samples, so training cannot be resumed from it",
                       "give a file that " + names.writer + " wrote; " + names.initial +
                           " reads the variables of any file"));
  if (missing != all.end())
    raise(invalid_data("'" + path + "' was written by an older version of " + names.program +
                           ", whose checkpoints have no note '" + *missing +
                           "', so training cannot be resumed from it",
                       "begin a new run with the variables of the file by " + names.initial));
}

// Returns the note `name`, which the file `path` has, as a number: finite, or whole and not negative.
template <class T>
T number_of(const std::string& path, const Notes& notes, const char* name) {
  const std::string& text = notes.at(name);
  T value = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  const bool in_range = std::is_integral_v<T> ? value >= T{} : std::isfinite(static_cast<double>(value));
  if (parsed.ec != std::errc() || parsed.ptr != end || !in_range)
    raise(invalid_data("'" + path + "': its note '" + name + "' is '" + text + "', not a number",
                       "the file is damaged; give another checkpoint"));
  return value;
}

// Returns bytes as digits, so that a note may have any bytes.
std::string hexadecimal(const std::string& bytes) {
  std::string digits;
  for (const char c : bytes)
    for (const int shift : {4, 0}) digits += "0123456789abcdef"[static_cast<unsigned char>(c) >> shift & 15];
  return digits;
}
std::string bytes_of(const std::string& path, const char* name, const std::string& digits) {
  std::string bytes(digits.size() / 2, '\0');
  bool good = digits.size() % 2 == 0;
  for (size_t i = 0; good && i < bytes.size(); ++i) {
    unsigned byte = 0;
    const char* const at = digits.data() + 2 * i;
    const auto parsed = std::from_chars(at, at + 2, byte, 16);
    good = parsed.ec == std::errc() && parsed.ptr == at + 2;
    bytes[i] = static_cast<char>(byte);
  }
  if (!good)
    raise(invalid_data("'" + path + "': its note '" + name + "' does not hold bytes",
                       "the file is damaged; give another checkpoint"));
  return bytes;
}

// Adds the notes that a checkpoint has only if the run has early stopping, or a log.
void add_optional(Notes& notes, const TrainingPosition& p) {
  if (p.stopping.best) notes["train.stopping_best"] = shortest_text(*p.stopping.best);
  if (p.stopping.waited) notes["train.stopping_waited"] = std::to_string(p.stopping.waited);
  if (p.stopping.stopped) notes["train.stopped"] = "1";
  for (const auto& [name, place] :
       {std::pair("train.log_csv", &p.log.csv), std::pair("train.log_events", &p.log.events)})
    if (place->bytes > 0) {
      notes[std::string(name) + "_bytes"] = std::to_string(place->bytes);
      notes[std::string(name) + "_sum"] = std::to_string(place->sum);
      if (!place->pending.empty()) notes[std::string(name) + "_pending"] = hexadecimal(place->pending);
    }
}

void read_optional(const std::string& path, const Notes& notes, TrainingPosition& p) {
  const auto read = [&]<class T>(const char* name, T otherwise) {
    return notes.contains(name) ? number_of<T>(path, notes, name) : otherwise;
  };
  if (notes.contains("train.stopping_best")) p.stopping.best = read("train.stopping_best", 0.0);
  p.stopping.waited = read("train.stopping_waited", int64_t{0});
  p.stopping.stopped = notes.contains("train.stopped");
  const auto pending = [&](const char* name) {
    return notes.contains(name) ? bytes_of(path, name, notes.at(name)) : "";
  };
  p.log.csv = {read("train.log_csv_bytes", uint64_t{0}), read("train.log_csv_sum", uint32_t{0}),
               pending("train.log_csv_pending")};
  p.log.events = {read("train.log_events_bytes", uint64_t{0}), read("train.log_events_sum", uint32_t{0}),
                  pending("train.log_events_pending")};
}

}  // namespace

void save_checkpoint(const Session& session, const std::string& path, const TrainingPosition& p,
                     const RunDescription& run, const FirstInfinities& first, const TrainerNames& names) {
  if (const std::string what = first.first_new(session); !what.empty())
    raise(execution_failed("the variables are not saved to '" + path + "', which stays as it was: " + what,
                           "train again from an earlier checkpoint with a smaller " + names.learning_rate));
  Notes notes = {{"train.epoch", std::to_string(p.epoch)},
                 {"train.batches", std::to_string(p.batches)},
                 {"train.first_step", std::to_string(p.first_step)}};
  run.add_to(notes);
  if (p.evaluated) notes["train.best"] = shortest_text(p.best);
  if (p.evaluated_step >= 0) notes["train.evaluated_step"] = std::to_string(p.evaluated_step);
  add_optional(notes, p);
  session.save(path, notes);
}

TrainingPosition read_position(const std::string& path, const Notes& notes, const RunDescription& run,
                               const TrainerNames& names) {
  require_position(path, notes, run, names);
  TrainingPosition p;
  p.epoch = number_of<int64_t>(path, notes, "train.epoch");
  p.batches = number_of<int64_t>(path, notes, "train.batches");
  if (std::max(p.epoch, p.batches) > INT32_MAX)
    raise(invalid_data("'" + path + "' names an epoch or a batch that cannot be",
                       "the file is damaged; give another checkpoint"));
  p.first_step = number_of<uint64_t>(path, notes, "train.first_step");
  run.require_same(path, notes, names);
  if (notes.contains("train.best")) {
    p.best = number_of<double>(path, notes, "train.best");
    p.evaluated = true;
  }
  if (notes.contains("train.evaluated_step"))
    p.evaluated_step = number_of<int64_t>(path, notes, "train.evaluated_step");
  read_optional(path, notes, p);
  return p;
}

void check_step(const std::string& path, const TrainingPosition& read, int64_t per_epoch, uint64_t step,
                std::optional<uint64_t> named) {
  constexpr char kHint[] = "the file is damaged; give another checkpoint";
  // The steps of the first run and of the runs that continued it.
  int64_t steps = 0;
  const bool overflows = __builtin_mul_overflow(read.epoch, per_epoch, &steps) ||
                         __builtin_add_overflow(steps, read.batches, &steps) ||
                         read.first_step > INT64_MAX / 2 || steps > INT64_MAX / 2;
  const uint64_t expected = overflows ? 0 : read.first_step + static_cast<uint64_t>(steps);
  if (overflows || step != expected)
    raise(invalid_data("'" + path + "' contradicts itself: it has step " + std::to_string(step) +
                           ", and its position is " + std::to_string(read.epoch) + " epochs of " +
                           std::to_string(per_epoch) + " steps and " + std::to_string(read.batches) +
                           " more after step " + std::to_string(read.first_step),
                       kHint));
  if (read.evaluated_step > steps)
    raise(invalid_data("'" + path + "' contradicts itself: it names an evaluation after " +
                           std::to_string(read.evaluated_step) + " steps, and its run has made " +
                           std::to_string(steps),
                       kHint));
  if (named && *named != step)
    raise(invalid_data("'" + path + "' contradicts itself: it is named for step " + std::to_string(*named) +
                           " and has step " + std::to_string(step),
                       "give the file the name of its step, or give another checkpoint"));
}

}  // namespace cutset
