// SPDX-License-Identifier: Apache-2.0
#include "frontends/cli/options/loss_options.h"

#include <charconv>
#include <cmath>
#include <sstream>

#include "frontends/cli/options/options.h"
#include "frontends/cpp/checks/failure.h"
#include "ir/core/number_text.h"
#include "runtime/files/npy.h"

namespace cutset::cli {
namespace {

bool is_file(const std::string& weights) { return weights.ends_with(".npy"); }

std::vector<double> weights_in_file(const std::string& path) {
  const HostTensor values = check(read_npy(path));
  if (values.type().rank() != 1)
    raise(invalid_argument("--class-weights: '" + path + "' has an array of the shape " +
                               to_string(values.shape()) + ", not one number per class",
                           "give an array with one dimension"));
  std::vector<double> weights;
  for (int64_t i = 0; i < values.elements(); ++i) weights.push_back(values.at(i));
  return weights;
}

std::vector<double> weights_in_list(const std::string& list) {
  std::vector<double> weights;
  std::stringstream in(list + ",");
  for (std::string text; std::getline(in, text, ',');) {
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, value);
    if (parsed.ec != std::errc() || parsed.ptr != end || !std::isfinite(value))
      raise(invalid_argument("--class-weights '" + list + "' is neither a list of numbers nor a .npy file",
                             "give one number per class, such as 1,0.5,2"));
    weights.push_back(value);
  }
  return weights;
}

}  // namespace

void LossOptions::add_to(CLI::App& app) {
  app.option_defaults()->group("Loss");
  app.add_option("--ignore-index", ignore_index, "a label that does not count, such as -100");
  app.add_option("--class-weights", class_weights, "factors of the loss by the label: 1,0.5,2 or FILE.npy")
      ->check(path_name())
      ->type_name("LIST");
  app.add_option("--label-smoothing", label_smoothing, "share of the uniform distribution in the target")
      ->check(number_between(0, 1));
}

void LossOptions::add_inputs(OutputFiles& outputs) const {
  if (is_file(class_weights)) outputs.reads("--class-weights", class_weights);
}

models::ClassLossOptions LossOptions::read() const {
  models::ClassLossOptions o{.ignore_index = ignore_index, .label_smoothing = label_smoothing.value_or(0)};
  if (!class_weights.empty())
    o.class_weights =
        is_file(class_weights) ? weights_in_file(class_weights) : weights_in_list(class_weights);
  return o;
}

std::string LossOptions::description() const {
  std::string text;
  if (ignore_index) text += ", ignored label " + std::to_string(*ignore_index);
  if (!class_weights.empty()) text += ", class weights";
  for (const double weight : read().class_weights) text += " " + shortest_text(weight);
  if (label_smoothing.value_or(0) != 0) text += ", label smoothing " + shortest_text(*label_smoothing);
  return text;
}

}  // namespace cutset::cli
