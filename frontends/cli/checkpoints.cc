#include "frontends/cli/checkpoints.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <type_traits>

#include "frontends/cli/options.h"
#include "frontends/cli/terminal.h"
#include "frontends/cpp/failure.h"
#include "runtime/execute/finite.h"

namespace cutset::cli {
namespace {

namespace fs = std::filesystem;

constexpr char kBest[] = "/best.safetensors";
constexpr int64_t kKeep = 3;  // the default of --keep
constexpr char kPrefix[] = "step-", kSuffix[] = ".safetensors";

// The checkpoints in a folder by their steps.
std::map<uint64_t, std::string> checkpoints_in(const std::string& folder) {
  std::map<uint64_t, std::string> found;
  std::error_code failed;
  for (fs::directory_iterator it(folder, failed), end; !failed && it != end; it.increment(failed)) {
    const std::string name = it->path().filename().string();
    if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) continue;
    const char *begin = name.data() + sizeof kPrefix - 1, *last = name.data() + name.size() - (sizeof kSuffix - 1);
    uint64_t step = 0;
    const auto parsed = std::from_chars(begin, last, step);
    if (parsed.ec == std::errc() && parsed.ptr == last) found.emplace(step, it->path().string());
  }
  if (failed) raise(unavailable("the folder '" + folder + "' cannot be read: " + failed.message()));
  return found;
}

template <class T>
T number_of(const std::string& path, const std::map<std::string, std::string>& notes, const char* name) {
  const auto it = notes.find(name);
  if (it == notes.end())
    raise(invalid_data("'" + path + "' has no position in the samples, so training cannot be resumed from it",
                       "give a file that cutset train wrote; --init reads the variables of any file"));
  T value = 0;
  const char* const end = it->second.data() + it->second.size();
  const auto parsed = std::from_chars(it->second.data(), end, value);
  const bool in_range = std::is_integral_v<T> ? value >= T{} : std::isfinite(static_cast<double>(value));
  if (parsed.ec != std::errc() || parsed.ptr != end || !in_range)
    raise(invalid_data("'" + path + "': its note '" + name + "' is '" + it->second + "', not a number",
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
  std::map<std::string, std::string> notes = {
      {"train.epoch", std::to_string(p.epoch)}, {"train.batches", std::to_string(p.batches)},
      {"train.batch", std::to_string(p.batch)}, {"train.samples", std::to_string(p.samples)},
      {"train.seed", std::to_string(p.seed)},   {"train.source", p.source}};
  if (p.evaluated) {
    char text[32];  // the shortest text that gives the same number again
    notes["train.best"] = std::string(text, std::to_chars(text, text + sizeof text, p.best).ptr);
  }
  session.save(path, notes);
}

TrainingPosition read_position(const std::string& path, const TrainingPosition& expected) {
  const auto notes = read_notes(path);
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
  if (const auto source = notes.find("train.source"); source != notes.end()) p.source = source->second;
  same("the samples", p.source, expected.source, "give the samples and the order that the first run had");
  if (notes.contains("train.best")) p.best = number_of<double>(path, notes, "train.best"), p.evaluated = true;
  return p;
}

std::string checkpoint_of(const std::string& path) {
  std::error_code failed;
  if (!fs::is_directory(path, failed)) return path;
  const auto found = checkpoints_in(path);
  if (found.empty() && fs::exists(path + kBest, failed)) return path + kBest;
  if (found.empty())
    raise(invalid_argument("the folder '" + path + "' has no checkpoint",
                           std::string("its checkpoints are named ") + kPrefix + "N" + kSuffix));
  return found.rbegin()->second;
}

void CheckpointOptions::add_to(CLI::App& app) {
  app.add_option(
         "--checkpoint-dir", folder,
         "folder for checkpoints, each named step-N.safetensors, and for best.safetensors, which had the best top-1 "
         "accuracy (or loss) of all evaluations; one is written at the end, and when SIGINT or SIGTERM stops training")
      ->check(path_name());
  app.add_option(
         "--checkpoint-every", every,
         "steps between checkpoints; default: one is written after each epoch, unless --checkpoint-minutes is given")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  app.add_option("--checkpoint-minutes", minutes, "minutes between checkpoints")->check(number_between(0.001, 1e6));
  app.add_option("--keep", keep,
                 "the number of checkpoints that stay in the folder; older ones are removed; default: 3")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 20));
  app.add_option(
         "--resume", resume,
         "a checkpoint, or a folder whose newest checkpoint is taken: continue the run that wrote it; the results are "
         "bitwise those of a run that did not stop if the other options are the same; the devices and the strategy may "
         "be "
         "others; with several --devices, each run continues from its own numbered folder, or all from one file")
      ->check(path_name());
}

Checkpoints::Checkpoints(const CheckpointOptions& options, uint64_t first_step, Clock clock)
    : options_(options), clock_(std::move(clock)), written_(clock_()), last_step_(first_step) {
  if (options_.folder.empty()) return;
  const auto found = checkpoints_in(options_.folder);
  std::error_code failed;
  const fs::path from =
      fs::is_directory(options_.resume, failed) ? fs::path(options_.resume) : fs::path(options_.resume).parent_path();
  const bool own = !options_.resume.empty() &&
                   fs::equivalent(from.empty() ? fs::path(".") : from, fs::path(options_.folder), failed);
  if (!own && (!found.empty() || has_best()))
    raise(invalid_argument("the folder '" + options_.folder + "' has the checkpoints of another run",
                           "continue that run with --resume '" + options_.folder + "', or give another folder"));
  if (!found.empty() && found.rbegin()->first > first_step)
    raise(invalid_argument("the folder '" + options_.folder + "' has a checkpoint of step " +
                               std::to_string(found.rbegin()->first) + ", and this run begins at step " +
                               std::to_string(first_step),
                           "give another folder, or remove the later checkpoints"));
}

bool Checkpoints::has_best() const {
  std::error_code failed;
  return !options_.folder.empty() && fs::exists(options_.folder + kBest, failed);
}

void Checkpoints::after_step(const Session& session, const TrainingPosition& position, bool last) {
  if (options_.folder.empty()) return;
  const uint64_t step = session.step();
  const bool by_epochs = !options_.every && options_.minutes == 0;
  const bool due = (by_epochs && position.batches == 0) ||
                   (options_.every && step % static_cast<uint64_t>(options_.every) == 0) ||
                   (options_.minutes > 0 && clock_() - written_ >= 60 * options_.minutes);
  if ((due || last) && step != last_step_) write(session, position);
}

void Checkpoints::after_evaluation(const Session& session, TrainingPosition& position, double metric) {
  if (!std::isfinite(metric) || (position.evaluated && !(metric > position.best))) return;
  position.best = metric, position.evaluated = true;
  if (!options_.folder.empty()) save_checkpoint(session, options_.folder + kBest, position);
}

void Checkpoints::write(const Session& session, const TrainingPosition& position) {
  save_checkpoint(session, options_.folder + "/" + kPrefix + std::to_string(session.step()) + kSuffix, position);
  last_step_ = session.step(), written_ = clock_();
  auto found = checkpoints_in(options_.folder);
  while (found.size() > static_cast<size_t>(options_.keep ? options_.keep : kKeep)) {
    std::error_code failed;  // a checkpoint that stays does no harm
    if (found.begin()->first != last_step_) fs::remove(found.begin()->second, failed);
    found.erase(found.begin());
  }
}

}  // namespace cutset::cli
