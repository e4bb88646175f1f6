#include "frontends/cli/train/checkpoints.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <map>
#include <tuple>

#include "frontends/cli/options.h"
#include "frontends/cpp/failure.h"
#include "runtime/files/files.h"

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
    if (const auto step = step_in_name(it->path().string())) found.emplace(*step, it->path().string());
  }
  if (failed) raise(unavailable("the folder '" + folder + "' cannot be read: " + failed.message()));
  return found;
}

// Throws a cutset::Error that says that another run has written the file.
[[noreturn]] void refuse_to_replace(const std::string& path) {
  raise(execution_failed("'" + path + "' is not replaced, because this run has not written it",
                         "another run writes into this folder; give each run a folder of its own"));
}

}  // namespace

std::optional<uint64_t> step_in_name(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  constexpr size_t kAround = sizeof kPrefix - 1 + sizeof kSuffix - 1;
  if (name.size() <= kAround || !name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return std::nullopt;
  const char *begin = name.data() + sizeof kPrefix - 1, *last = name.data() + name.size() - (sizeof kSuffix - 1);
  uint64_t step = 0;
  const auto parsed = std::from_chars(begin, last, step);
  return parsed.ec == std::errc() && parsed.ptr == last ? std::optional(step) : std::nullopt;
}

std::optional<std::string> find_checkpoint(const std::string& path) {
  std::error_code failed;
  if (!fs::is_directory(path, failed)) return path;
  if (const auto found = checkpoints_in(path); !found.empty()) return found.rbegin()->second;
  if (fs::exists(path + kBest, failed)) return path + kBest;
  return std::nullopt;
}

std::optional<std::string> checkpoint_before_newest(const std::string& path) {
  std::error_code failed;
  if (!fs::is_directory(path, failed)) return std::nullopt;
  const auto found = checkpoints_in(path);
  if (found.size() < 2) return std::nullopt;
  return std::next(found.rbegin())->second;
}

std::string checkpoint_of(const std::string& path) {
  std::error_code failed;
  if (!fs::exists(path, failed))
    raise(unavailable("there is no checkpoint and no folder of checkpoints '" + path + "'"));
  if (const auto found = find_checkpoint(path)) return *found;
  raise(invalid_argument("the folder '" + path + "' has no checkpoint",
                         std::string("its checkpoints are named ") + kPrefix + "N" + kSuffix));
}

void CheckpointOptions::add_to(CLI::App& app) {
  app.add_option(
         "--checkpoint-dir", folder,
         "folder for checkpoints, each named step-N.safetensors, and for best.safetensors, the first that had the best "
         "top-1 accuracy of all evaluations (or the lowest loss, if the model counts no accuracy); one is written at "
         "the end, and when SIGINT, SIGTERM or SIGHUP stops training; no other run may use the folder meanwhile")
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
         "be others; with several --devices, each run continues from its own numbered folder, or all from one file")
      ->check(path_name());
}

bool CheckpointOptions::may_change(const std::string& file) const {
  std::error_code failed;
  if (!fs::is_directory(folder, failed)) return false;
  if (fs::equivalent(folder + kBest, file, failed)) return true;
  return std::ranges::any_of(checkpoints_in(folder),
                             [&](const auto& c) { return fs::equivalent(c.second, file, failed); });
}

Checkpoints::Checkpoints(const CheckpointOptions& options, uint64_t first_step, const TrainingPosition& begin,
                         const FirstInfinities& first)
    : options_(options), first_(first), owns_best_(has_best()), last_step_(first_step), last_position_(begin) {
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
  for (const auto& [step, path] : found) own_.insert(step);
  remove_orphans_in(options_.folder, kPrefix, kSuffix);
  remove_orphans_in(options_.folder, kBest + 1, "");
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
                   (options_.minutes > 0 &&
                    Clock::now() - written_ >= std::chrono::duration<double, std::ratio<60>>(options_.minutes));
  // A run that was stopped before an evaluation makes no step when it is resumed, but its position changes.
  const auto place = [](const TrainingPosition& p) { return std::tuple(p.epoch, p.batches, p.evaluated_step); };
  if ((due || last) && (step != last_step_ || place(position) != place(last_position_))) write(session, position);
}

void Checkpoints::after_evaluation(const Session& session, TrainingPosition& position, double metric) {
  if (!std::isfinite(metric) || (position.evaluated && !(metric > position.best))) return;
  position.best = metric, position.evaluated = true;
  if (options_.folder.empty()) return;
  if (!owns_best_ && has_best()) refuse_to_replace(options_.folder + kBest);
  save(session, options_.folder + kBest, position);
  owns_best_ = true;
}

void Checkpoints::save(const Session& session, const std::string& path, const TrainingPosition& position) const {
  save_checkpoint(session, path, position, first_);
}

void Checkpoints::write(const Session& session, const TrainingPosition& position) {
  const std::string path = options_.folder + "/" + kPrefix + std::to_string(session.step()) + kSuffix;
  std::error_code unknown;
  if (!own_.contains(session.step()) && fs::exists(path, unknown)) refuse_to_replace(path);
  save(session, path, position);
  own_.insert(session.step());
  last_position_ = position, last_written_ = path;
  last_step_ = session.step(), written_ = Clock::now();
  auto found = checkpoints_in(options_.folder);
  std::erase_if(found, [&](const auto& checkpoint) { return !own_.contains(checkpoint.first); });
  while (found.size() > static_cast<size_t>(options_.keep ? options_.keep : kKeep)) {
    std::error_code failed;  // a checkpoint that stays does no harm
    if (found.begin()->first != last_step_) fs::remove(found.begin()->second, failed);
    found.erase(found.begin());
  }
}

}  // namespace cutset::cli
