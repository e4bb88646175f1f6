// SPDX-License-Identifier: Apache-2.0
// The optimizers that Graph::minimize takes.
//
//   g.minimize(loss, AdamW{.learning_rate = 1e-3, .weight_decay = 0.1});
//
// Each struct in <cutset/optimizer_structs.h> is an optimizer, in PyTorch's form and with PyTorch's defaults.
// The build writes this header from the .td files of the ops. The comments write w for a variable, g for its
// gradient, and t for the number of steps that have updated w. The members that are numbers are the initial
// values of hyper-parameters of the session, which have the same names. Session::set_hyper_parameter changes
// them between steps. Graph::minimize throws if one of them is not finite or not in the range that its
// comment names.
//
// An optimizer keeps states of each variable. The state `s` of the variable "w" is the variable "w/s" of the
// session, which checkpoints contain. It is 0 before the first step, unless the comment of the struct says
// otherwise. States and hyper-parameters have the type of the variable, except that they are f32 for a
// variable of f16 or bf16.
#pragma once
#include <cutset/optimizer_structs.h>

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace cutset {

// The parts of an optimizer that Graph::minimize uses: the op that updates a variable, and its
// hyper-parameters. Each struct of an optimizer converts to an Optimizer.
class Optimizer {
 public:
  // A hyper-parameter: its initial value, which must be in [least, below).
  struct Scalar {
    std::string name;
    double value;
    double least = 0, below = std::numeric_limits<double>::infinity();
  };
  // The attributes of the op, by name.
  using Options = std::vector<std::pair<std::string, std::variant<bool, double>>>;
  // Makes an optimizer from the name of its op, its hyper-parameters, and the attributes of the op. If
  // `refused` is not empty, Graph::minimize throws with this text.
  Optimizer(std::string op, std::vector<Scalar> scalars, Options options = {}, std::string refused = {})
      : op_(std::move(op)),
        scalars_(std::move(scalars)),
        options_(std::move(options)),
        refused_(std::move(refused)) {}

  // Returns the name of the op, without "cutset.".
  const std::string& op() const { return op_; }
  // Returns the hyper-parameters.
  const std::vector<Scalar>& scalars() const { return scalars_; }
  // Returns the attributes of the op, by name.
  const Options& options() const { return options_; }
  // Returns why Graph::minimize refuses the optimizer; empty: it does not.
  const std::string& refused() const { return refused_; }
  // Returns the same optimizer with more hyper-parameters, which parameter groups may set; null: it has all
  // of them.
  const Optimizer* general() const { return general_.get(); }
  // Sets the optimizer with more hyper-parameters.
  void set_general(Optimizer general) { general_ = std::make_shared<const Optimizer>(std::move(general)); }

 private:
  std::string op_;
  std::vector<Scalar> scalars_;
  Options options_;
  std::string refused_;
  std::shared_ptr<const Optimizer> general_;
};

// Variables that an optimizer updates with different hyper-parameters, as a parameter group of PyTorch.
struct ParameterGroup {
  // Some of the variables that the optimizer updates, as in Graph::freeze. Each is in one group at most.
  std::vector<std::string> variables;
  std::optional<double> learning_rate = {};  // default: the optimizer's
  std::optional<double> weight_decay = {};   // default: the optimizer's
  // The name of the group. Its hyper-parameters are "NAME/learning_rate" and "NAME/weight_decay". Default:
  // "group1" for the first group, "group2" for the second one, and so on.
  std::string name = "";
};

// The options of Graph::minimize.
struct MinimizeOptions {
  // The variables that the optimizer updates, as in Graph::freeze. Default: all trainable variables.
  std::vector<std::string> variables = {};
  // The function that makes a step: Session::run("train_generator", batch). A graph may have several
  // functions that train, each with an optimizer. A function with another name than "train" returns "loss"
  // alone. Its hyper-parameters are "FUNCTION/learning_rate" and so on, and the states of a variable "w" are
  // "w/FUNCTION/velocity" and so on.
  std::string function = "train";
  // Variables with different hyper-parameters: {{.variables = {"*.bias", "norm"}, .weight_decay = 0}}.
  std::vector<ParameterGroup> groups = {};
};

// The limits that Graph::clip_gradients applies to the gradients before the optimizer gets them: first
// `value`, then `norm`. Both are above 0.
struct GradientClipping {
  // Each element is limited to [-value, value], the hyper-parameter "clip_value" of the session. An infinite
  // element becomes finite; NaN stays NaN.
  std::optional<double> value = std::nullopt;
  // All gradients are multiplied by min(1, norm / (n + 1e-6)), where n is the square root of the sum of the
  // squares of all elements of all gradients, as by torch.nn.utils.clip_grad_norm_. The hyper-parameter is
  // "clip_norm". A step is refused if n is not finite.
  //
  // n covers the whole gradient under every strategy. Each replica therefore needs the whole gradients, so
  // data(n, shard=gradients) sums them as data(n, shard=optimizer) does. If `value` is also set, strategies
  // that divide the gradients along two axes are refused: data(2, shard=optimizer) * tensor(2).
  std::optional<double> norm = std::nullopt;
};

// Exponential moving averages of the trained variables: a = decay a + (1 - decay) w, after each step of the
// optimizer. The average of the variable "w" is the state "w/average", which starts with the value of the
// variable. It is f32 if the variable is f16 or bf16; functions that read it convert it. Loading a checkpoint
// without averages sets them to the variables. Session::set_variable sets no average.
struct WeightAverage {
  double decay = 0.999;  // the hyper-parameter "average_decay" of the session, from 0 to below 1
  // The functions that read the averages instead of the trained variables. "train" cannot be one of them.
  std::vector<std::string> functions = {"evaluate"};
};

}  // namespace cutset
