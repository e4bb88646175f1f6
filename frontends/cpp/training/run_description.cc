// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/training/run_description.h"

#include "frontends/cpp/checks/failure.h"
#include "frontends/cpp/training/run_schedule.h"

namespace cutset {
namespace {

const std::string kNotePrefix = "train.";

void require_equal(const std::string& path, const std::string& what, const std::string& was,
                   const std::string& is, const std::string& hint) {
  if (was != is)
    raise(invalid_argument("'" + path + "' was made with " + what + " " + was + ", and this run has " + is,
                           hint));
}

std::string begin_again(const TrainerNames& names) {
  return ", or begin a new run with the variables of the file by " + names.initial;
}

}  // namespace

void RunDescription::add_to(Notes& notes) const {
  notes["train.batch"] = std::to_string(batch);
  notes["train.samples"] = std::to_string(samples);
  notes["train.seed"] = std::to_string(seed);
  notes["train.learning_rate"] = rate;
  notes["train.network"] = network;
  for (const RunProperty& p : properties)
    if (p.by_default.empty() || p.value != p.by_default) notes[kNotePrefix + p.name] = p.value;
}

std::vector<std::string> RunDescription::required() const {
  std::vector<std::string> all = {"train.batch", "train.samples", "train.seed", "train.learning_rate"};
  for (const RunProperty& p : properties)
    if (p.by_default.empty() && !p.optional) all.push_back(kNotePrefix + p.name);
  all.emplace_back("train.network");
  return all;
}

void RunDescription::require_same(const std::string& path, const Notes& notes,
                                  const TrainerNames& names) const {
  const auto same = [&](const std::string& what, const char* note, const std::string& is,
                        const std::string& hint) { require_equal(path, what, notes.at(note), is, hint); };
  same(names.batch, "train.batch", std::to_string(batch),
       "give " + names.batch + " " + notes.at("train.batch"));
  same(names.seed, "train.seed", std::to_string(seed), "give " + names.seed + " " + notes.at("train.seed"));
  same("a number of samples per epoch of", "train.samples", std::to_string(samples), "give " + names.samples);
  for (const RunProperty& p : properties) {
    const auto note = notes.find(kNotePrefix + p.name);
    if (p.optional && note == notes.end()) continue;
    require_equal(path, p.what.empty() ? p.name : p.what, note == notes.end() ? p.by_default : note->second,
                  p.value, p.hint);
  }
  const std::string last = depends_on_last_step(notes.at("train.learning_rate"))
                               ? ", with " + names.length + ", because its rates depend on the last step"
                               : "";
  same("the learning rate", "train.learning_rate", rate,
       "give " + names.rates + " of the first run" + last + begin_again(names));
}

void RunDescription::require_network(const std::string& path, const Notes& notes,
                                     const TrainerNames& names) const {
  require_equal(path, "a network of", notes.at("train.network"), network,
                "give " + names.network + begin_again(names));
}

}  // namespace cutset
