// SPDX-License-Identifier: Apache-2.0
// Finds activation functions by their names in attributes of nodes.
#pragma once
#include <cutset/tensor.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cutset::onnx {

using ActivationFunction = std::function<Tensor(const Tensor&)>;

// Returns the function with this name, in upper or lower case. If a parameter is not given, it has the
// default of the op with the same name. Throws kUnsupported if the name is unknown. Throws kInvalidData if
// the function does not have a given parameter, or if a parameter without a default is not given.
ActivationFunction activation_function(const std::string& name, std::optional<double> alpha,
                                       std::optional<double> beta);

// Returns the functions of a recurrent node. `alphas` and `betas` are the attributes activation_alpha and
// activation_beta. The functions that have a parameter take the elements in order, as in ONNX Runtime. A list
// may also have one element per function. Throws as above, and kInvalidData if a list has another length.
std::vector<ActivationFunction> activation_functions(const std::vector<std::string>& names,
                                                     const std::vector<double>& alphas,
                                                     const std::vector<double>& betas);

}  // namespace cutset::onnx
