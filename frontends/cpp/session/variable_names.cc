// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/session/variable_names.h"

#include <algorithm>
#include <set>

#include "frontends/cpp/graph/names_variable.h"
#include "ir/core/op/op_info.h"

namespace cutset {
namespace {

// Returns whether `name` is the state of an optimizer, such as "velocity". An op with `updates = n` replaces
// its first n operands: operand 0 is the variable, and operands 1 to n - 1 are the state.
bool is_optimizer_state(std::string_view name) {
  if (name == "average") return true;  // the state that Graph::average_weights adds
  for (const OpInfo* op : all_ops())
    for (int i = 1; i < op->updates; ++i)
      if (name == op->operands[static_cast<size_t>(i)].name) return true;
  return false;
}

// Whether the tensor is an index that the embeddings of transformers save beside their weights.
bool is_one_of_indices(std::string_view name) {
  const std::string_view last = name.substr(name.rfind('.') + 1);  // the whole name if it has no "."
  return last == "position_ids" || last == "token_type_ids";
}

}  // namespace

VariableNames::VariableNames(const std::vector<Variable>& variables, const std::vector<std::string>& except)
    : except_(except) {
  for (const Variable& v : variables) by_name_[v.name] = &v;
}

const Variable* VariableNames::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

bool VariableNames::excepted(std::string_view name) const {
  return std::ranges::any_of(except_, [&](const std::string& e) { return names_variable(e, name); });
}

TensorRole VariableNames::role(std::string_view name, const TensorType& type) const {
  if (excepted(name)) return TensorRole::kExcepted;
  if (find(name)) return TensorRole::kVariable;
  const bool has_name_of_counter = name == "num_batches_tracked" || name.ends_with(".num_batches_tracked");
  if (has_name_of_counter && type.rank() == 0 && !is_float(type.dtype)) return TensorRole::kCounter;
  if (is_one_of_indices(name) && !is_float(type.dtype)) return TensorRole::kIndices;
  const size_t slash = name.rfind('/');  // VARIABLE/STATE or VARIABLE/FUNCTION/STATE
  if (slash != std::string::npos && is_optimizer_state(name.substr(slash + 1))) {
    for (size_t end = slash; end != std::string::npos && end > 0; end = name.rfind('/', end - 1))
      if (find(name.substr(0, end))) return TensorRole::kState;
  }
  return TensorRole::kUnknown;
}

template <class Renamed>
bool VariableNames::fit(const TensorMap& tensors, const Renamed& renamed) const {
  bool any = false;
  for (const auto& [name, value] : tensors) {
    const TensorRole is = role(renamed(name), value.type());
    if (is == TensorRole::kUnknown) return false;
    any = any || is == TensorRole::kVariable;
  }
  return any;
}

bool VariableNames::fits(const TensorMap& tensors, size_t prefix) const {
  return fit(tensors, [&](const std::string& name) { return std::string_view(name).substr(prefix); });
}

bool VariableNames::knows_all(const TensorMap& tensors) const {
  return std::ranges::none_of(
      tensors, [&](const auto& t) { return role(t.first, t.second.type()) == TensorRole::kUnknown; });
}

bool VariableNames::any_ends_with(std::string_view ending) const {
  return std::ranges::any_of(by_name_,
                             [&](const auto& variable) { return variable.first.ends_with(ending); });
}

std::string VariableNames::missing_prefix(const TensorMap& tensors) const {
  constexpr size_t kMost = 8;  // beginnings that are tried
  if (tensors.empty() || knows_all(tensors)) return "";
  std::set<std::string> beginnings;
  for (const auto& [name, variable] : by_name_)
    if (const size_t dot = name.find('.'); dot != std::string_view::npos && beginnings.size() < kMost)
      beginnings.emplace(name.substr(0, dot + 1));
  for (const std::string& beginning : beginnings)
    if (fit(tensors, [&](const std::string& name) { return beginning + name; })) return beginning;
  return "";
}

std::string VariableNames::prefix(const TensorMap& tensors) const {
  if (tensors.empty() || knows_all(tensors)) return "";
  // The names are sorted, so all names share the beginning that the first and the last name share.
  const std::string &first = tensors.begin()->first, &last = tensors.rbegin()->first;
  const auto shared = static_cast<size_t>(std::ranges::mismatch(first, last).in1 - first.begin());
  constexpr int kMostParts = 8;  // more would let a hostile name of many megabytes take hours
  size_t dot = first.find('.');
  for (int part = 0; part < kMostParts && dot < shared; ++part, dot = first.find('.', dot + 1))
    if (fits(tensors, dot + 1)) return first.substr(0, dot + 1);
  return "";
}

}  // namespace cutset
