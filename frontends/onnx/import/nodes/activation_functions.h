// SPDX-License-Identifier: Apache-2.0
// The activation functions that are attributes of nodes, by their names.
#pragma once
#include <cutset/tensor.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cutset::onnx {

using ActivationFunction = std::function<Tensor(const Tensor&)>;

// The function with this name, whose letters may be of either case. A function that has a parameter gets the
// one that is given, or else the default of the op with its name. Throws kUnsupported if the name is unknown,
// and kInvalidData if the function has no such parameter or needs one.
ActivationFunction activation_function(const std::string& name, std::optional<double> alpha,
                                       std::optional<double> beta);

// The functions of a recurrent node. `alphas` and `betas` are the attributes activation_alpha and
// activation_beta. Functions that have a parameter take them in this order, as in ONNX Runtime; a list may
// also have one element per function. Throws as above, and kInvalidData if a list has another length.
std::vector<ActivationFunction> activation_functions(const std::vector<std::string>& names,
                                                     const std::vector<double>& alphas,
                                                     const std::vector<double>& betas);

}  // namespace cutset::onnx
