// SPDX-License-Identifier: Apache-2.0
#include "frontends/cli/options/optimizer_options.h"

#include <algorithm>

#include "frontends/cli/options/options.h"
#include "frontends/cpp/checks/failure.h"
#include "frontends/cpp/graph/graph_state.h"
#include "frontends/cpp/graph/named_optimizers.h"
#include "frontends/models/models.h"
#include "ir/core/names.h"
#include "ir/core/number_text.h"

namespace cutset::cli {
namespace {

// Accepts a number in [0, 1).
CLI::Validator decay() {
  return {[](std::string& text) {
            std::string error = number_between(0, 1)(text);
            if (error.empty() && std::stod(text) >= 1)
              error = "'" + text + "' is not a number from 0 to below 1";
            return error;
          },
          ""};
}

// A hyper-parameter, and the optimizers that have it.
struct HyperParameter {
  Optimizer::Scalar scalar;
  std::vector<std::string> optimizers;
};

// Returns the hyper-parameters of all optimizers, in the order in which the optimizers list them.
std::vector<HyperParameter> all_hyper_parameters() {
  std::vector<HyperParameter> all;
  for (const NamedOptimizer& o : named_optimizers())
    for (const Optimizer::Scalar& s : hyper_parameters_of(o.initial)) {
      auto same = std::ranges::find_if(all, [&](const HyperParameter& h) { return h.scalar.name == s.name; });
      if (same == all.end()) same = all.insert(all.end(), {s, {}});
      same->optimizers.push_back(o.name);
    }
  return all;
}

// Returns the option of a hyper-parameter: "--learning-rate" for "learning_rate".
std::string option_of(std::string hyper_parameter) {
  std::ranges::replace(hyper_parameter, '_', '-');
  return "--" + hyper_parameter;
}

std::vector<std::string> optimizer_names() {
  std::vector<std::string> names;
  for (const NamedOptimizer& o : named_optimizers()) names.push_back(o.name);
  return names;
}

}  // namespace

void OptimizerOptions::add_to(CLI::App& app) {
  app.option_defaults()->group("Optimizer");
  app.add_option("--optimizer", name, plain_list(optimizer_names()))
      ->transform(one_of(optimizer_names()))
      ->capture_default_str();
  const CLI::Validator any = number_between(0, 1e38), positive = number_between(1e-37, 1e38);
  for (const HyperParameter& h : all_hyper_parameters()) {
    std::string text = h.scalar.name;
    std::ranges::replace(text, '_', ' ');
    if (h.optimizers.size() < named_optimizers().size()) text += " of " + plain_list(h.optimizers);
    app.add_option_function<double>(
           option_of(h.scalar.name),
           [this, parameter = h.scalar.name](double value) { hyper_parameters[parameter] = value; }, text)
        ->check(h.scalar.below == 1 ? decay() : any);
  }
  const auto add = [&](const char* flag, std::optional<double>& value, const CLI::Validator& range,
                       const char* help) { app.add_option(flag, value, help)->check(range); };
  add("--clip-norm", clip_norm, positive, "largest norm of all gradients together");
  add("--clip-value", clip_value, positive, "largest absolute value of an element of a gradient");
  add("--average-weights", average_decay, decay(), "decay of moving averages of the variables");
}

Optimizer OptimizerOptions::chosen() const {
  for (const HyperParameter& h : all_hyper_parameters())
    if (hyper_parameters.contains(h.scalar.name) &&
        std::ranges::find(h.optimizers, name) == h.optimizers.end())
      raise(invalid_argument("the optimizer '" + name + "' has no " + h.scalar.name,
                             "leave out " + option_of(h.scalar.name) + ", or use --optimizer with one of " +
                                 plain_list(h.optimizers)));
  if (name == "sgd") return check(with_hyper_parameters(models::Settings{}.optimizer, hyper_parameters));
  const auto named = std::ranges::find(named_optimizers(), name, &NamedOptimizer::name);
  return check(with_hyper_parameters(named->initial, hyper_parameters));
}

void OptimizerOptions::apply(Graph& graph, bool has_predict) const {
  if (!clip_norm && !clip_value && !average_decay) return;
  if (graph.state()->minimizing.empty())
    raise(invalid_argument("--clip-norm, --clip-value and --average-weights are for a model that is trained",
                           "give an ONNX model a loss with --loss, or leave them out"));
  try {
    if (clip_norm || clip_value) graph.clip_gradients({.value = clip_value, .norm = clip_norm});
    if (!average_decay) return;
    WeightAverage average{.decay = *average_decay};
    if (has_predict) average.functions.emplace_back("predict");
    graph.average_weights(average);
  } catch (const Error& e) {
    raise_without_line(e);
  }
}

std::string OptimizerOptions::description() const {
  const Optimizer optimizer = chosen();
  std::string text = name;
  for (const Optimizer::Scalar& s : optimizer.scalars())
    if (s.name != "learning_rate") text += ", " + s.name + " " + shortest_text(s.value);
  for (const auto& [what, value] : {std::pair("clip_value", &clip_value), std::pair("clip_norm", &clip_norm),
                                    std::pair("average_decay", &average_decay)})
    if (*value) text += std::string(", ") + what + " " + shortest_text(**value);
  return text;
}

}  // namespace cutset::cli
