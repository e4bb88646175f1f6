// SPDX-License-Identifier: Apache-2.0
#include "frontends/cli/options/unknown_argument.h"

#include <algorithm>
#include <utility>

#include "ir/core/names.h"

namespace cutset::cli {
namespace {

// Names of options in PyTorch and in programs that train with it, and the options here that have the same
// meaning.
constexpr std::pair<const char*, const char*> kNamesElsewhere[] = {
    {"accumulate-grad-batches", "--strategy \"pipeline(1, micro_batches=N)\""},
    {"batch-size", "--batch"},
    {"betas", "--beta1"},
    {"bs", "--batch"},
    {"checkpoint", "--checkpoint-dir"},
    {"ckpt", "--resume"},
    {"clip-grad-norm", "--clip-norm"},
    {"crop-size", "--random-crop"},
    {"data-dir", "--data"},
    {"data-path", "--data"},
    {"early-stop", "--early-stopping"},
    {"ema", "--average-weights"},
    {"ema-decay", "--average-weights"},
    {"eps", "--epsilon"},
    {"eval-data", "--test-data"},
    {"gpus", "--devices"},
    {"grad-clip", "--clip-norm"},
    {"gradient-accumulation-steps", "--strategy \"pipeline(1, micro_batches=N)\""},
    {"gradient-clip-val", "--clip-norm"},
    {"image-size", "--size image_size=N"},
    {"learning-rate-schedule", "--lr-schedule"},
    {"load", "--init"},
    {"log-dir", "--log-tensorboard"},
    {"logdir", "--log-tensorboard"},
    {"lr", "--learning-rate"},
    {"lr-gamma", "--lr-decay"},
    {"lr-scheduler", "--lr-schedule"},
    {"lr-step", "--lr-step-size"},
    {"lr-warmup-steps", "--warmup-steps"},
    {"max-epochs", "--epochs"},
    {"max-grad-norm", "--clip-norm"},
    {"max-steps", "--steps"},
    {"min-lr", "--lr-final"},
    {"model-ema", "--average-weights"},
    {"nproc", "--devices"},
    {"num-classes", "--size classes=N"},
    {"num-epochs", "--epochs"},
    {"num-threads", "--threads"},
    {"opt", "--optimizer"},
    {"optim", "--optimizer"},
    {"output-dir", "--checkpoint-dir"},
    {"patience", "--early-stopping"},
    {"precision", "--dtype"},
    {"pretrained", "--init"},
    {"random-seed", "--seed"},
    {"recompute", "--strategy \"pipeline(N, micro_batches=M, recompute=true)\""},
    {"save-dir", "--checkpoint-dir"},
    {"sched", "--lr-schedule"},
    {"scheduler", "--lr-schedule"},
    {"seq-length", "--size sequence_length=N"},
    {"train-batch-size", "--batch"},
    {"val-data", "--test-data"},
    {"warmup", "--warmup-steps"},
    {"wd", "--weight-decay"},
    {"weights", "--init"},
    {"workers", "--threads"},
};

// Returns the first letters of the words of a name: "lr" for "learning-rate".
std::string initials(const std::string& name) {
  std::string letters;
  for (size_t i = 0; i < name.size(); ++i)
    if (i == 0 || name[i - 1] == '-') letters += name[i];
  return letters;
}

// Returns how much the name of an option differs from `argument`. A number above kMost means that they are
// different words.
constexpr size_t kMost = 4;
size_t unlikeness(const std::string& argument, const std::string& name) {
  if (argument.size() > 1 && initials(name) == argument) return 0;
  const size_t letters = changes_between(argument, name), allowed = std::max<size_t>(1, argument.size() / 3);
  if (letters <= allowed) return letters;
  return argument.size() > 1 && name.starts_with(argument) ? kMost : kMost + 1;
}

// Returns the options of the command that were probably meant by `argument`, which has no hyphens at its
// beginning. Returns an empty text if there is none.
std::string meant(const CLI::App& command, std::string argument) {
  std::ranges::replace(argument, '_', '-');
  for (const auto& [elsewhere, here] : kNamesElsewhere) {
    const std::string text = here;
    if (argument == elsewhere && command.get_option_no_throw(text.substr(0, text.find(' ')))) return text;
  }
  constexpr size_t kNamed = 3, kLongest = 64;  // a longer name resembles no option
  if (argument.size() > kLongest) return "";
  std::vector<std::pair<size_t, std::string>> like;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames())
      if (const size_t far = unlikeness(argument, name); far <= kMost) like.emplace_back(far, "--" + name);
  std::ranges::sort(like);
  std::string names;
  for (size_t i = 0; i < std::min(like.size(), kNamed) && like[i].first == like[0].first; ++i)
    names += (names.empty() ? "" : " or ") + like[i].second;
  return names;
}

// Whether the argument begins as an option does. "-" is a file, and "-1" is a number.
bool is_option(const std::string& argument) {
  return argument.size() > 1 && argument[0] == '-' && !(argument[1] >= '0' && argument[1] <= '9');
}

// Whether the command has the option. A value may follow the name: "--seed=1", "-oFILE".
bool has_option(const CLI::App& command, const std::string& option) {
  return command.get_option_no_throw(option) ||
         (!option.starts_with("--") && command.get_option_no_throw(option.substr(0, 2)));
}

}  // namespace

std::string unknown_argument(const CLI::App& command, const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (argument == "--") return "";  // values follow
    const std::string option = argument.substr(0, argument.find('='));
    if (!is_option(option) || has_option(command, option)) continue;
    const std::string names = meant(command, option.substr(option.find_first_not_of('-')));
    return "there is no option '" + option + "'" + (names.empty() ? "" : "; did you mean " + names + "?");
  }
  return "";
}

}  // namespace cutset::cli
