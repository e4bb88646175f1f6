// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/training/checkpoints.h"

#include <cmath>
#include <filesystem>
#include <tuple>

#include "frontends/cpp/checks/failure.h"
#include "frontends/cpp/training/checkpoint_folder.h"
#include "runtime/files/files.h"

namespace cutset {
namespace {

namespace fs = std::filesystem;

// Throws a cutset::Error that says that another run has written the file.
[[noreturn]] void refuse_to_replace(const std::string& path) {
  raise(execution_failed("'" + path + "' is not replaced, because this run has not written it",
                         "another run writes into this folder; give each run a folder of its own"));
}

}  // namespace

Checkpoints::Checkpoints(const CheckpointOptions& options, Begin begin,
                         std::function<void(const std::string&)> on_written, const Clock& clock)
    : options_(options),
      begin_(std::move(begin)),
      on_written_(std::move(on_written)),
      clock_(clock),
      owns_best_(has_best()),
      written_(clock.now()),
      last_step_(begin_.session.step()),
      last_position_(begin_.position) {
  if (options_.folder.empty()) return;
  const auto found = checkpoints_in(options_.folder);
  std::error_code failed;
  const fs::path from =
      fs::is_directory(begin_.from, failed) ? fs::path(begin_.from) : fs::path(begin_.from).parent_path();
  const bool own = !begin_.from.empty() &&
                   fs::equivalent(from.empty() ? fs::path(".") : from, fs::path(options_.folder), failed);
  if (!own && (!found.empty() || has_best()))
    raise(invalid_argument("the folder '" + options_.folder + "' has the checkpoints of another run",
                           "continue that run with " + begin_.names.from + " '" + options_.folder +
                               "', or give another folder"));
  if (!found.empty() && found.rbegin()->first > last_step_)
    raise(invalid_argument("the folder '" + options_.folder + "' has a checkpoint of step " +
                               std::to_string(found.rbegin()->first) + ", and this run begins at step " +
                               std::to_string(last_step_),
                           "give another folder, or remove the later checkpoints"));
  for (const auto& [step, path] : found) own_.insert(step);
  remove_orphans(options_.folder);
}

bool Checkpoints::has_best() const {
  std::error_code failed;
  return !options_.folder.empty() && fs::exists(best_checkpoint_path(options_.folder), failed);
}

void Checkpoints::after_step(const TrainingPosition& position, bool last) {
  if (options_.folder.empty()) return;
  const uint64_t step = begin_.session.step();
  const bool by_epochs = !options_.every && options_.minutes == 0;
  const bool due =
      (by_epochs && position.batches == 0) ||
      (options_.every && step % static_cast<uint64_t>(options_.every) == 0) ||
      (options_.minutes > 0 &&
       clock_.now() - written_ >= std::chrono::duration<double, std::ratio<60>>(options_.minutes));
  // A run that was stopped before an evaluation makes no step when it is resumed, but its position changes.
  const auto place = [](const TrainingPosition& p) {
    return std::tuple(p.epoch, p.batches, p.evaluated_step, p.log.pending());
  };
  if ((due || last) && (step != last_step_ || place(position) != place(last_position_))) write(position);
}

std::string Checkpoints::after_evaluation(TrainingPosition& position, double merit) {
  if (!std::isfinite(merit) || (position.evaluated && !(merit > position.best))) return "";
  position.best = merit;
  position.evaluated = true;
  if (options_.folder.empty()) return "";
  const std::string path = best_checkpoint_path(options_.folder);
  if (!owns_best_ && has_best()) refuse_to_replace(path);
  save(path, position);
  owns_best_ = true;
  return path;
}

void Checkpoints::save(const std::string& path, const TrainingPosition& position) const {
  save_checkpoint(begin_.session, path, position, begin_.run, begin_.first, begin_.names);
  if (begin_.on_saved && options_.folder.empty()) begin_.on_saved();
}

void Checkpoints::write(const TrainingPosition& position) {
  const uint64_t step = begin_.session.step();
  const std::string path = checkpoint_path(options_.folder, step);
  std::error_code unknown;
  if (!own_.contains(step) && fs::exists(path, unknown)) refuse_to_replace(path);
  save(path, position);
  if (begin_.on_saved) begin_.on_saved();
  own_.insert(step);
  last_position_ = position;
  last_written_ = path;
  last_step_ = step;
  written_ = clock_.now();
  auto found = checkpoints_in(options_.folder);
  std::erase_if(found, [&](const auto& checkpoint) { return !own_.contains(checkpoint.first); });
  while (found.size() > static_cast<size_t>(options_.keep)) {
    std::error_code failed;  // a checkpoint that stays does no harm
    if (found.begin()->first != last_step_) fs::remove(found.begin()->second, failed);
    found.erase(found.begin());
  }
  if (on_written_) on_written_(path);
}

}  // namespace cutset
