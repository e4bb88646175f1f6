// SPDX-License-Identifier: Apache-2.0
#include "frontends/cli/options/optimizer_options.h"

#include "frontends/cli/options/options.h"
#include "frontends/cpp/checks/failure.h"
#include "frontends/cpp/graph/graph_state.h"
#include "frontends/models/models.h"
#include "ir/core/number_text.h"

namespace cutset::cli {
namespace {

// A number in [0, 1).
CLI::Validator decay() {
  return {[](std::string& text) {
            std::string error = number_between(0, 1)(text);
            if (error.empty() && std::stod(text) >= 1)
              error = "'" + text + "' is not a number from 0 to below 1";
            return error;
          },
          ""};
}

}  // namespace

void OptimizerOptions::add_to(CLI::App& app) {
  app.option_defaults()->group("Optimizer");
  app.add_option("--optimizer", name, "sgd, adam, adamw, adagrad, rmsprop or lamb")
      ->transform(one_of({"sgd", "adam", "adamw", "adagrad", "rmsprop", "lamb"}))
      ->capture_default_str();
  const auto add = [&](const char* flag, std::optional<double>& value, const CLI::Validator& range,
                       const char* help) { app.add_option(flag, value, help)->check(range); };
  const CLI::Validator any = number_between(0, 1e38), positive = number_between(1e-37, 1e38);
  add("--learning-rate", learning_rate, any, "learning rate");
  add("--momentum", momentum, any, "momentum of sgd or rmsprop");
  add("--weight-decay", weight_decay, any, "weight decay");
  add("--beta1", beta1, decay(), "decay of the mean of the gradients (adam, adamw, lamb)");
  add("--beta2", beta2, decay(), "decay of the mean of their squares");
  add("--epsilon", epsilon, any, "number added to the root of the squares");
  add("--clip-norm", clip_norm, positive, "largest norm of all gradients together");
  add("--clip-value", clip_value, positive, "largest absolute value of an element of a gradient");
  add("--average-weights", average_decay, decay(), "decay of moving averages of the variables");
}

Optimizer OptimizerOptions::chosen() const {
  const auto with = [&](auto o) -> Optimizer {
    const auto refuse = [&](const char* what, const char* option, const char* others) {
      raise(invalid_argument("the optimizer '" + name + "' has no " + what,
                             std::string("leave out ") + option + ", or use --optimizer " + others));
    };
    if (learning_rate) o.learning_rate = *learning_rate;
    if (weight_decay) o.weight_decay = *weight_decay;  // a member of every optimizer
    if constexpr (requires { o.momentum; }) {
      if (momentum) o.momentum = *momentum;
    } else if (momentum) {
      refuse("momentum", "--momentum", "sgd or rmsprop");
    }
    if constexpr (requires { o.beta1; }) {
      if (beta1) o.beta1 = *beta1;
      if (beta2) o.beta2 = *beta2;
    } else if (beta1 || beta2) {
      refuse("betas", "--beta1 and --beta2", "adam, adamw or lamb");
    }
    if constexpr (requires { o.epsilon; }) {
      if (epsilon) o.epsilon = *epsilon;
    } else if (epsilon) {
      refuse("epsilon", "--epsilon", "adam, adamw, adagrad, rmsprop or lamb");
    }
    return o;
  };
  if (name == "adam") return with(Adam{});
  if (name == "adamw") return with(AdamW{});
  if (name == "adagrad") return with(Adagrad{});
  if (name == "rmsprop") return with(RmsProp{});
  if (name == "lamb") return with(Lamb{});
  return with(models::Settings{}.optimizer);
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
