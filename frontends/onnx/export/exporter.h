// SPDX-License-Identifier: Apache-2.0
// Exports one function of a graph as a model of ONNX.
#pragma once
#include <functional>
#include <vector>

#include "frontends/onnx/export/function_sizes.h"
#include "frontends/onnx/messages.h"

namespace cutset::onnx {

// A model without the elements of its initializers.
struct ModelParts {
  onnx_proto::ModelProto model;
  std::vector<HostTensor> elements;  // the elements of the initializers, in the order of the initializers
};

// Returns the value of a variable.
using ValueOf = std::function<Result<HostTensor>(const Variable&)>;

// Makes the model of the function. Calls `value_of` for each variable that the function reads, after all ops
// have been exported. Fails if a value has another type than its variable. Fails with kUnsupported if ops
// cannot be exported: the error names each op, the number of its uses, the reason and the lines of the user's
// program.
Result<ModelParts> export_function(const SizedFunction& function, const ValueOf& value_of);

}  // namespace cutset::onnx
