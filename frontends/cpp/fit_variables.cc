#include "frontends/cpp/fit_variables.h"

#include <algorithm>
#include <map>

#include "ir/core/op_info.h"
#include "runtime/files/widen.h"

namespace cutset {

// Returns whether `name` is the state of an optimizer, such as "velocity". An op with `updates = n` replaces its first
// n operands: operand 0 is the variable, and operands 1 to n - 1 are the state.
static bool is_optimizer_state(std::string_view name) {
  if (name == "average") return true;  // of Graph::average_weights
  for (const OpInfo* op : all_ops())
    for (int i = 1; i < op->updates; ++i)
      if (name == op->operands[static_cast<size_t>(i)].name) return true;
  return false;
}

Result<std::vector<std::string>> fit_variables(const std::string& path, TensorMap& tensors,
                                               const std::vector<Variable>& variables) {
  std::map<std::string_view, const Variable*> by_name;
  for (const Variable& v : variables) by_name[v.name] = &v;
  for (auto it = tensors.begin(); it != tensors.end();) {
    auto& [name, value] = *it;
    const auto found = by_name.find(name);
    if (found == by_name.end()) {
      const size_t slash = name.rfind('/');  // VARIABLE/STATE
      if (slash == std::string::npos || !by_name.contains(std::string_view(name).substr(0, slash)) ||
          !is_optimizer_state(std::string_view(name).substr(slash + 1)))
        return invalid_argument("'" + path + "' has a tensor '" + name + "', which is not a variable of the model");
      it = tensors.erase(it);
      continue;
    }
    const Variable& v = *found->second;
    if (v.type.dtype == f64 && value.type().dtype == f32) value = widened_to_f64(value);
    if (v.type != value.type())
      return invalid_argument("'" + path + "': tensor '" + name + "' is " + to_string(value.type()) +
                              ", but the variable is " + to_string(v.type));
    ++it;
  }
  std::vector<std::string> missing;
  for (const Variable& v : variables)
    if (!tensors.contains(v.name)) missing.push_back(v.name);
  for (const Variable& v : variables)  // a state that starts as its variable has the value of the variable
    if (const auto owner = tensors.find(v.state_of); v.starts_as_owner && owner != tensors.end())
      tensors.try_emplace(v.name, owner->second);
  std::sort(missing.begin(), missing.end());
  return missing;
}

}  // namespace cutset
