// SPDX-License-Identifier: Apache-2.0
// Lists a function of a module as plain data.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "frontends/cpp/bridge/listed_function.h"
#include "ir/core/result.h"

namespace cutset {

// Returns the names of the functions of the graph, in the order in which they are made.
Result<std::vector<std::string>> functions_of_bytecode(const std::string& bytecode);
// Lists the function after the phase `import`, for other shapes of the inputs that `input_shapes` names.
// Fails if there is no such function, or if the ops do not accept the shapes.
Result<ListedFunction> list_function(const std::string& bytecode, const std::string& function,
                                     const std::map<std::string, Shape>& input_shapes);

}  // namespace cutset
