// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/graph/freeze.h"

#include <set>

#include "frontends/cpp/graph/names_variable.h"
#include "ir/core/names.h"

namespace cutset {
namespace {

// Returns the beginnings of the names up to their first '.', each once, in the order of the names.
std::vector<std::string> beginnings(const std::vector<std::string>& names) {
  std::set<std::string> seen;
  std::vector<std::string> list;
  for (const std::string& name : names)
    if (std::string beginning = name.substr(0, name.find('.', 1)); seen.insert(beginning).second)
      list.push_back(std::move(beginning));
  return list;
}

// Returns the names that a user may have meant by an element that names nothing: the names of the variables
// and their beginnings.
std::vector<std::string> near(const std::vector<std::string>& trainable) {
  std::vector<std::string> names = beginnings(trainable);
  names.insert(names.end(), trainable.begin(), trainable.end());
  return names;
}

// Returns the variables in `trainable` that elements of `names` stand for. Throws if an element stands for
// none.
std::set<std::string> named(const std::vector<std::string>& trainable, const std::vector<std::string>& names,
                            std::source_location source) {
  const auto refuse = [&](const std::string& what, const std::string& hint) {
    raise({ErrorCode::kInvalidArgument, what, Error::line_of(source), hint});
  };
  if (trainable.empty() && !names.empty())
    refuse("the graph has no trainable variable", "it has no floating-point variable, or all are frozen");
  std::set<std::string> found;
  for (const std::string& name : names) {
    bool any = false;
    for (const std::string& variable : trainable)
      if (names_variable(name, variable)) {
        any = true;
        found.insert(variable);
      }
    if (!any)
      refuse("'" + name + "' names no trainable variable",
             "give the name of one that is not frozen, such as '" + trainable.front() +
                 "', or its beginning up to a '.'; the names begin with " +
                 quoted_list(beginnings(trainable)) + and_nearest(name, near(trainable)));
  }
  return found;
}

}  // namespace

std::vector<std::string> variables_named(std::vector<std::string> trainable,
                                         const std::vector<std::string>& names, std::source_location source) {
  const std::set<std::string> which = named(trainable, names, source);
  std::erase_if(trainable, [&](const std::string& variable) { return !which.contains(variable); });
  return trainable;
}

std::vector<std::string> freeze_variables(GraphState& state, const std::vector<std::string>& names,
                                          bool others, std::source_location source) {
  std::vector<std::string> variables = state.builder->trainable();
  const std::set<std::string> which = named(variables, names, source);
  std::erase_if(variables, [&](const std::string& variable) { return which.contains(variable) == others; });
  state.builder->freeze(variables);
  return variables;
}

}  // namespace cutset
