// SPDX-License-Identifier: Apache-2.0
// The optimizers that Graph::minimize takes.
//
//   g.minimize(loss, AdamW{.learning_rate = 1e-3, .weight_decay = 0.1});
//
// Each struct is one optimizer, in PyTorch's form and with PyTorch's defaults. The comments write w for a
// variable, g for its gradient, and t for the number of steps that have updated w. The members that are
// numbers are the initial values of hyper-parameters of the session, which have the same names.
// Session::set_hyper_parameter changes them between steps. Graph::minimize throws if one of them is not
// finite or not in the range that its comment names.
//
// An optimizer keeps states of each variable. The state `s` of the variable "w" is the variable "w/s" of the
// session, which checkpoints contain. It is 0 before the first step, unless the comment of the struct says
// otherwise. States and hyper-parameters have the type of the variable, except that they are f32 for a
// variable of f16 or bf16.
#pragma once
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace cutset {

// The parts of an optimizer that Graph::minimize uses: the op that updates a variable, and its
// hyper-parameters. Each struct below converts to an Optimizer.
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

// Stochastic gradient descent with momentum (Sutskever et al., "On the importance of initialization and
// momentum in deep learning", ICML 2013), as torch.optim.SGD:
//   g += weight_decay w; v = momentum v + (1 - dampening) g, and v = g in the first step;
//   w -= learning_rate (nesterov ? g + momentum v : v).
// The states are "velocity", v, and the scalar "started", which is 1 after the first step. If dampening,
// weight_decay and nesterov have their defaults, there is no "started". If they have their defaults, and no
// parameter group has a weight decay, "dampening" and "weight_decay" are no hyper-parameters of the session.
struct Sgd {
  double learning_rate = 0.01;  // the step size, at least 0
  double momentum = 0;          // the factor of the velocity, at least 0; 0: plain gradient descent
  double dampening = 0;         // how much of g the velocity leaves out, at least 0
  double weight_decay = 0;      // the factor of an L2 penalty, at least 0
  bool nesterov = false;        // needs a momentum above 0 and no dampening
  // Converts the struct for Graph::minimize.
  operator Optimizer() const;
};

// Adam (Kingma and Ba, "Adam: A Method for Stochastic Optimization", ICLR 2015, algorithm 1), as
// torch.optim.Adam:
//   g += weight_decay w; m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g^2;
//   w -= learning_rate m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + epsilon).
// The states are "first_moment", m; "second_moment", v; and the scalars "first_weight" and "second_weight",
// which are 1 - beta1^t and 1 - beta2^t.
struct Adam {
  double learning_rate = 1e-3;  // the step size, at least 0
  double beta1 = 0.9;           // the decay of m, from 0 to below 1
  double beta2 = 0.999;         // the decay of v, from 0 to below 1
  double epsilon = 1e-8;        // added to the root of v, at least 0
  double weight_decay = 0;      // the factor of an L2 penalty, at least 0
  // Converts the struct for Graph::minimize.
  operator Optimizer() const;
};

// Adam with decoupled weight decay (Loshchilov and Hutter, "Decoupled Weight Decay Regularization", ICLR
// 2019, algorithm 2), as torch.optim.AdamW: as Adam, but weight_decay does not change g, and each step begins
// with
//   w -= learning_rate weight_decay w.
struct AdamW {
  double learning_rate = 1e-3;  // the step size, at least 0
  double beta1 = 0.9;           // the decay of m, from 0 to below 1
  double beta2 = 0.999;         // the decay of v, from 0 to below 1
  double epsilon = 1e-8;        // added to the root of v, at least 0
  double weight_decay = 0.01;   // how much of w is subtracted per step, at least 0
  // Converts the struct for Graph::minimize.
  operator Optimizer() const;
};

// Adagrad (Duchi, Hazan and Singer, "Adaptive Subgradient Methods for Online Learning and Stochastic
// Optimization", JMLR 12, 2011), as torch.optim.Adagrad:
//   g += weight_decay w; s += g^2;
//   w -= learning_rate / (1 + (t - 1) learning_rate_decay) g / (sqrt(s) + epsilon).
// The states are "square_sum", s, which is `first_sum` before the first step, and the scalar "steps", t.
struct Adagrad {
  double learning_rate = 0.01;     // the step size, at least 0
  double learning_rate_decay = 0;  // how fast the step size falls, at least 0
  double weight_decay = 0;         // the factor of an L2 penalty, at least 0
  double first_sum = 0;            // the first value of s, at least 0; no hyper-parameter
  double epsilon = 1e-10;          // added to the root of s, at least 0
  // Converts the struct for Graph::minimize.
  operator Optimizer() const;
};

// RMSProp (Tieleman and Hinton, "Lecture 6.5 - rmsprop", 2012) with momentum, and its centered form (Graves,
// "Generating Sequences With Recurrent Neural Networks", 2013), as torch.optim.RMSprop:
//   g += weight_decay w; s = alpha s + (1 - alpha) g^2; m = alpha m + (1 - alpha) g;
//   v = momentum v + g / (sqrt(centered ? s - m^2 : s) + epsilon); w -= learning_rate v.
// The states are "square_mean", s; "velocity", v; and, if `centered` is true, "gradient_mean", m.
struct RmsProp {
  double learning_rate = 0.01;  // the step size, at least 0
  double alpha = 0.99;          // the decay of s and m, from 0 to below 1
  double epsilon = 1e-8;        // added to the root, at least 0
  double weight_decay = 0;      // the factor of an L2 penalty, at least 0
  double momentum = 0;          // the factor of the velocity, at least 0
  bool centered = false;        // whether g is divided by its standard deviation
  // Converts the struct for Graph::minimize.
  operator Optimizer() const;
};

// LAMB (You et al., "Large Batch Optimization for Deep Learning: Training BERT in 76 minutes", ICLR 2020,
// algorithm 2, with the identity as phi). m and v are defined as in Adam:
//   r = m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + epsilon) + weight_decay w;
//   w -= learning_rate |w| / |r| r, or w -= learning_rate r if a length is 0.
// The states are the same as in Adam. The lengths |w| and |r| run over the whole variable: replicas keep such
// variables whole, and the devices of a tensor axis do not divide them.
struct Lamb {
  double learning_rate = 1e-3;  // the step size, at least 0
  double beta1 = 0.9;           // the decay of m, from 0 to below 1
  double beta2 = 0.999;         // the decay of v, from 0 to below 1
  double epsilon = 1e-6;        // added to the root of v, at least 0
  double weight_decay = 0.01;   // how much of w is added to r, at least 0
  // Converts the struct for Graph::minimize.
  operator Optimizer() const;
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
