// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/import/nodes/activation_functions.h"

#include <cutset/activations.h>
#include <cutset/layers.h>
#include <cutset/onnx_ops/activations.h>
#include <cutset/ops.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "frontends/onnx/import/errors.h"
#include "frontends/onnx/names.h"

namespace cutset::onnx {
namespace {

// A parameter of a function: whether the function has it, and its default, if there is one.
struct Parameter {
  bool exists = false;
  std::optional<double> otherwise = {};
};
struct Entry {
  Tensor (*function)(const Tensor& x, double alpha, double beta);
  Parameter alpha = {}, beta = {};
};

const std::map<std::string, Entry>& entries() {
  using T = const Tensor&;
  static const std::map<std::string, Entry> all = {
      {"affine", {[](T x, double a, double b) { return x * a + b; }, {true}, {true}}},
      {"elu", {[](T x, double a, double) { return elu(x, a); }, {true, 1}}},
      {"hardsigmoid",
       {[](T x, double a, double b) { return onnx_ops::hard_sigmoid(x, a, b); }, {true, 0.2}, {true, 0.5}}},
      {"leakyrelu", {[](T x, double a, double) { return leaky_relu(x, a); }, {true, 0.01}}},
      {"relu", {[](T x, double, double) { return relu(x); }}},
      {"scaledtanh", {[](T x, double a, double b) { return tanh(x * b) * a; }, {true}, {true}}},
      {"sigmoid", {[](T x, double, double) { return sigmoid(x); }}},
      {"softplus", {[](T x, double, double) { return softplus(x); }}},
      {"softsign", {[](T x, double, double) { return softsign(x); }}},
      {"tanh", {[](T x, double, double) { return tanh(x); }}},
      {"thresholdedrelu",
       {[](T x, double a, double) { return onnx_ops::thresholded_relu(x, a); }, {true, 1}}}};
  return all;
}

const Entry& entry_of(const std::string& name) {
  std::string lower = name;
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  const auto found = entries().find(lower);
  if (found == entries().end()) unsupported("the activation '" + shown(name) + "'");
  return found->second;
}

double value_of(const Parameter& parameter, std::optional<double> given, const std::string& what) {
  if (given && !parameter.exists) invalid("the activation " + what + ", which it does not have");
  if (!given && parameter.exists && !parameter.otherwise)
    invalid("the activation " + what + ", which is missing");
  return given.value_or(parameter.otherwise.value_or(0));
}

// Returns the parameter of each function. `list` has one element per function, or one element per function
// that has the parameter.
std::vector<std::optional<double>> distributed(const std::vector<const Entry*>& functions,
                                               Parameter Entry::* which, const std::vector<double>& list,
                                               const std::string& attribute) {
  const auto has = [&](const Entry* f) { return (f->*which).exists; };
  const auto takers = static_cast<size_t>(std::ranges::count_if(functions, has));
  std::vector<std::optional<double>> in_order(functions.size()), by_place(functions.size());
  size_t next = 0;
  for (size_t i = 0; i < functions.size(); ++i) {
    if (!has(functions[i])) continue;
    if (next < list.size()) in_order[i] = list[next++];
    if (i < list.size()) by_place[i] = list[i];
  }
  if (list.size() <= takers) return in_order;
  if (list.size() != functions.size())
    invalid(attribute + " has " + std::to_string(list.size()) + " elements, but " + std::to_string(takers) +
            " of " + std::to_string(functions.size()) + " activations have this parameter");
  if (takers > 0 && in_order != by_place)
    unsupported(attribute +
                " has an element for each activation, also for those that do not have this parameter, and "
                "ONNX does not define which element is whose; leave out the others");
  return by_place;
}

}  // namespace

ActivationFunction activation_function(const std::string& name, std::optional<double> alpha,
                                       std::optional<double> beta) {
  const Entry& entry = entry_of(name);
  const double a = value_of(entry.alpha, alpha, "'" + name + "' has an alpha"),
               b = value_of(entry.beta, beta, "'" + name + "' has a beta");
  return [&entry, a, b](const Tensor& x) { return entry.function(x, a, b); };
}

std::vector<ActivationFunction> activation_functions(const std::vector<std::string>& names,
                                                     const std::vector<double>& alphas,
                                                     const std::vector<double>& betas) {
  std::vector<const Entry*> entries;
  for (const std::string& name : names) entries.push_back(&entry_of(name));
  const auto a = distributed(entries, &Entry::alpha, alphas, "activation_alpha"),
             b = distributed(entries, &Entry::beta, betas, "activation_beta");
  std::vector<ActivationFunction> functions;
  for (size_t i = 0; i < names.size(); ++i) functions.push_back(activation_function(names[i], a[i], b[i]));
  return functions;
}

}  // namespace cutset::onnx
