#include "frontends/cli/train/training_position.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <type_traits>

#include "frontends/cli/train/learning_rate_options.h"
#include "frontends/cpp/failure.h"
#include "ir/core/number_text.h"

namespace cutset::cli {
namespace {

using Notes = std::map<std::string, std::string>;

// The notes of a position, in the order in which the versions of Cutset have begun to write them.
constexpr const char* kPosition[] = {"train.epoch",     "train.batches", "train.batch",         "train.samples",
                                     "train.seed",      "train.source",  "train.learning_rate", "train.optimizer",
                                     "train.loss",      "train.frozen",  "train.network",       "train.all_samples",
                                     "train.first_step"};

// Checks that the file has all notes of a position.
void require_position(const std::string& path, const Notes& notes) {
  const auto missing = std::ranges::find_if(kPosition, [&](const char* name) { return !notes.contains(name); });
  if (missing == std::begin(kPosition))
    raise(invalid_data("'" + path + "' has no position in the samples, so training cannot be resumed from it",
                       "give a file that cutset train wrote; --init reads the variables of any file"));
  if (missing != std::end(kPosition))
    raise(invalid_data("'" + path + "' was written by an older version of cutset, whose checkpoints have no note '" +
                           *missing + "', so training cannot be resumed from it",
                       "begin a new run with the variables of the file by --init"));
}

// The note `name`, which the file `path` has, as a number: a finite one, or a whole one that is not negative.
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

const std::string kBeginAgain = ", or begin a new run with the variables of the file by --init";

void require_same(const std::string& path, const char* what, const std::string& was, const std::string& is,
                  const std::string& hint) {
  if (was != is)
    raise(invalid_argument("'" + path + "' was made with " + what + " " + was + ", and this run has " + is, hint));
}

}  // namespace

std::string description(const std::string& name, const Optimizer& optimizer) {
  std::string text = name;
  for (const Optimizer::Scalar& s : optimizer.scalars())
    if (s.name != "learning_rate") text += ", " + s.name + " " + shortest_text(s.value);
  return text;
}

void save_checkpoint(const Session& session, const std::string& path, const TrainingPosition& p,
                     const FirstInfinities& first) {
  if (const std::string what = first.first_new(session); !what.empty())
    raise(execution_failed("the variables are not saved to '" + path + "', which stays as it was: " + what,
                           "train again from an earlier checkpoint with a smaller --learning-rate"));
  Notes notes = {{"train.epoch", std::to_string(p.epoch)},
                 {"train.batches", std::to_string(p.batches)},
                 {"train.batch", std::to_string(p.batch)},
                 {"train.samples", std::to_string(p.samples)},
                 {"train.seed", std::to_string(p.seed)},
                 {"train.source", p.source},
                 {"train.all_samples", p.contents},
                 {"train.first_step", std::to_string(p.first_step)},
                 {"train.learning_rate", p.rate},
                 {"train.optimizer", p.optimizer},
                 {"train.loss", p.loss},
                 {"train.frozen", p.frozen},
                 {"train.network", p.network}};
  if (p.evaluated) notes["train.best"] = shortest_text(p.best);
  if (p.evaluated_step >= 0) notes["train.evaluated_step"] = std::to_string(p.evaluated_step);
  session.save(path, notes);
}

TrainingPosition read_position(const std::string& path, const TrainingPosition& expected) {
  const Notes notes = read_notes(path);
  require_position(path, notes);
  TrainingPosition p;
  p.epoch = number_of<int64_t>(path, notes, "train.epoch");
  p.batches = number_of<int64_t>(path, notes, "train.batches");
  if (std::max(p.epoch, p.batches) > INT32_MAX)
    raise(invalid_data("'" + path + "' names an epoch or a batch that cannot be",
                       "the file is damaged; give another checkpoint"));
  p.batch = number_of<int64_t>(path, notes, "train.batch");
  p.samples = number_of<int64_t>(path, notes, "train.samples");
  p.seed = number_of<uint64_t>(path, notes, "train.seed");
  p.first_step = number_of<uint64_t>(path, notes, "train.first_step");
  const auto same = [&](const char* what, const std::string& was, const std::string& is, const std::string& hint) {
    require_same(path, what, was, is, hint);
  };
  same("--batch", std::to_string(p.batch), std::to_string(expected.batch), "give --batch " + std::to_string(p.batch));
  same("--seed", std::to_string(p.seed), std::to_string(expected.seed), "give --seed " + std::to_string(p.seed));
  same("a number of samples per epoch of", std::to_string(p.samples), std::to_string(expected.samples),
       "give the samples, the order and the --size that the first run had; the number of samples of a text depends on "
       "the length of the sequences");
  p.source = notes.at("train.source"), p.contents = notes.at("train.all_samples");
  p.rate = notes.at("train.learning_rate"), p.optimizer = notes.at("train.optimizer");
  p.loss = notes.at("train.loss"), p.frozen = notes.at("train.frozen");
  p.network = notes.at("train.network");
  same("the samples", p.source, expected.source, "give the samples and the order that the first run had");
  same("data files of", p.contents, expected.contents,
       "the files have changed since then; give those of the first run" + kBeginAgain);
  same("the loss", p.loss, expected.loss, "give --loss, --result and --class-axis as in the first run" + kBeginAgain);
  same("the optimizer", p.optimizer, expected.optimizer,
       "give --optimizer, --momentum and --weight-decay as in the first run" + kBeginAgain);
  same("frozen variables:", p.frozen, expected.frozen,
       "give --freeze or --freeze-except as in the first run" + kBeginAgain);
  const char* const last = ", with --steps or --epochs, because its rates depend on the last step";
  same("the learning rate", p.rate, expected.rate,
       std::string("give the learning-rate options of the first run") + (depends_on_last_step(p.rate) ? last : "") +
           kBeginAgain);
  if (notes.contains("train.best")) p.best = number_of<double>(path, notes, "train.best"), p.evaluated = true;
  if (notes.contains("train.evaluated_step"))
    p.evaluated_step = number_of<int64_t>(path, notes, "train.evaluated_step");
  return p;
}

void check_step(const std::string& path, const TrainingPosition& read, int64_t per_epoch, uint64_t step,
                std::optional<uint64_t> named) {
  constexpr char kHint[] = "the file is damaged; give another checkpoint";
  // The steps of the first run and of those that continued it.
  int64_t made = 0;
  const bool overflows = __builtin_mul_overflow(read.epoch, per_epoch, &made) ||
                         __builtin_add_overflow(made, read.batches, &made) || read.first_step > INT64_MAX / 2 ||
                         made > INT64_MAX / 2;
  const uint64_t expected = overflows ? 0 : read.first_step + static_cast<uint64_t>(made);
  if (overflows || step != expected)
    raise(invalid_data("'" + path + "' contradicts itself: it has step " + std::to_string(step) +
                           ", and its position is " + std::to_string(read.epoch) + " epochs of " +
                           std::to_string(per_epoch) + " steps and " + std::to_string(read.batches) +
                           " more behind step " + std::to_string(read.first_step),
                       kHint));
  if (read.evaluated_step > made)
    raise(invalid_data("'" + path + "' contradicts itself: it names an evaluation after " +
                           std::to_string(read.evaluated_step) + " steps, and its run has made " + std::to_string(made),
                       kHint));
  if (named && *named != step)
    raise(invalid_data("'" + path + "' contradicts itself: it is named for step " + std::to_string(*named) +
                           " and has step " + std::to_string(step),
                       "give the file the name of its step, or give another checkpoint"));
}

void check_network(const std::string& path, const TrainingPosition& read, const TrainingPosition& expected) {
  require_same(path, "a network of", read.network, expected.network,
               "give the model, --size, --dropout and --dtype of the first run" + kBeginAgain);
}

}  // namespace cutset::cli
