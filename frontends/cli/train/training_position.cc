#include "frontends/cli/train/training_position.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <type_traits>

#include "frontends/cpp/failure.h"
#include "runtime/execute/finite.h"

namespace cutset::cli {
namespace {

using Notes = std::map<std::string, std::string>;

// The note `name` of the file `path`.
const std::string& text_of(const std::string& path, const Notes& notes, const char* name) {
  const auto it = notes.find(name);
  if (it == notes.end())
    raise(invalid_data("'" + path + "' has no position in the samples, so training cannot be resumed from it",
                       "give a file that cutset train wrote; --init reads the variables of any file"));
  return it->second;
}

// The note as a number: a finite one, or a whole one that is not negative.
template <class T>
T number_of(const std::string& path, const Notes& notes, const char* name) {
  const std::string& text = text_of(path, notes, name);
  T value = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  const bool in_range = std::is_integral_v<T> ? value >= T{} : std::isfinite(static_cast<double>(value));
  if (parsed.ec != std::errc() || parsed.ptr != end || !in_range)
    raise(invalid_data("'" + path + "': its note '" + name + "' is '" + text + "', not a number",
                       "the file is damaged; give another checkpoint"));
  return value;
}

}  // namespace

void save_checkpoint(const Session& session, const std::string& path, const TrainingPosition& p) {
  for (const std::string& name : session.variables()) {
    const HostTensor value = session.variable(name);
    if (const std::string what = first_non_finite(value); !what.empty())
      raise(execution_failed(
          "the variables are not saved to '" + path + "', which stays as it was: '" + name + "' is " + what,
          "train again from an earlier checkpoint with a smaller --learning-rate"));
  }
  Notes notes = {{"train.epoch", std::to_string(p.epoch)}, {"train.batches", std::to_string(p.batches)},
                 {"train.batch", std::to_string(p.batch)}, {"train.samples", std::to_string(p.samples)},
                 {"train.seed", std::to_string(p.seed)},   {"train.source", p.source},
                 {"train.contents", p.contents},           {"train.learning_rate", p.rate}};
  if (p.evaluated) {
    char text[32];  // the shortest text that gives the same number again
    notes["train.best"] = std::string(text, std::to_chars(text, text + sizeof text, p.best).ptr);
  }
  session.save(path, notes);
}

TrainingPosition read_position(const std::string& path, const TrainingPosition& expected) {
  const Notes notes = read_notes(path);
  TrainingPosition p;
  p.epoch = number_of<int64_t>(path, notes, "train.epoch");
  p.batches = number_of<int64_t>(path, notes, "train.batches");
  if (std::max(p.epoch, p.batches) > INT32_MAX)
    raise(invalid_data("'" + path + "' names an epoch or a batch that cannot be",
                       "the file is damaged; give another checkpoint"));
  p.batch = number_of<int64_t>(path, notes, "train.batch");
  p.samples = number_of<int64_t>(path, notes, "train.samples");
  p.seed = number_of<uint64_t>(path, notes, "train.seed");
  const auto same = [&](const char* what, const std::string& was, const std::string& is, const std::string& hint) {
    if (was != is)
      raise(invalid_argument("'" + path + "' was made with " + what + " " + was + ", and this run has " + is, hint));
  };
  same("--batch", std::to_string(p.batch), std::to_string(expected.batch), "give --batch " + std::to_string(p.batch));
  same("--seed", std::to_string(p.seed), std::to_string(expected.seed), "give --seed " + std::to_string(p.seed));
  same("a number of samples per epoch of", std::to_string(p.samples), std::to_string(expected.samples),
       "give the samples and the order that the first run had");
  p.source = text_of(path, notes, "train.source"), p.contents = text_of(path, notes, "train.contents");
  p.rate = text_of(path, notes, "train.learning_rate");
  same("the samples", p.source, expected.source, "give the samples and the order that the first run had");
  const std::string begin_again = ", or begin a new run with the variables of the file by --init";
  same("data files of", p.contents, expected.contents,
       "the files have changed since then; give those of the first run" + begin_again);
  same("the learning rate", p.rate, expected.rate, "give the learning-rate options of the first run" + begin_again);
  if (notes.contains("train.best")) p.best = number_of<double>(path, notes, "train.best"), p.evaluated = true;
  return p;
}

}  // namespace cutset::cli
