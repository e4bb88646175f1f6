// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/session/fit_variables.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>
#include <utility>

#include "frontends/cpp/graph/names_variable.h"
#include "frontends/cpp/session/variable_names.h"
#include "ir/core/number_text.h"
#include "runtime/files/convert_floats.h"

namespace cutset {
namespace {

constexpr char kAverage[] = "/average";  // the end of the name of a WeightAverage
constexpr char kExcept[] = " in VariableFileOptions::except";

// Tensors, as a text: "1 tensor, 'x', is" or "3 tensors, such as 'x', are".
struct Counted {
  size_t count = 0;
  std::string first;

  void add(const std::string& name) {
    if (count++ == 0) first = name;
  }
  std::string text(const std::string& one, const std::string& many) const {
    return count == 1 ? "1 " + one + ", '" + first + "', is"
                      : std::to_string(count) + " " + many + ", such as '" + first + "', are";
  }
};

// Removes the prefix from the names of all tensors.
void remove_prefix(TensorMap& tensors, size_t prefix) {
  TensorMap renamed;
  while (!tensors.empty()) {
    auto node = tensors.extract(tensors.begin());
    node.key().erase(0, prefix);
    renamed.insert(std::move(node));
  }
  tensors = std::move(renamed);
}

// Adds the prefix to the names of all tensors.
void add_prefix(TensorMap& tensors, const std::string& prefix) {
  TensorMap renamed;
  while (!tensors.empty()) {
    auto node = tensors.extract(tensors.begin());
    node.key().insert(0, prefix);
    renamed.insert(std::move(node));
  }
  tensors = std::move(renamed);
}

// Whether the tensor of this name belongs to a layer that is called a norm:
// "encoder.layer.0.output.LayerNorm.gamma".
bool is_of_norm(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name.find("norm") != std::string::npos;
}

// Renames the scales and shifts of normalizations, which TensorFlow and early files of transformers call
// gamma and beta, to weight and bias. Leaves a name that a variable of the program also has, and a name whose
// new name is taken. Counts the renamed tensors.
void rename_scales(TensorMap& tensors, const VariableNames& names, Counted& renamed) {
  for (const auto& [old_end, new_end] : {std::pair(".gamma", ".weight"), std::pair(".beta", ".bias")}) {
    if (names.any_ends_with(old_end)) continue;
    std::vector<std::string> found;
    for (const auto& [name, value] : tensors)
      if (name.ends_with(old_end) && is_of_norm(name) && !names.excepted(name)) found.push_back(name);
    for (const std::string& name : found) {
      const std::string new_name = name.substr(0, name.size() - std::string_view(old_end).size()) + new_end;
      if (tensors.contains(new_name)) continue;
      auto node = tensors.extract(name);
      node.key() = new_name;
      tensors.insert(std::move(node));
      renamed.add(name);
    }
  }
}

Failure unknown(const std::string& path, const std::string& name) {
  return invalid_argument("'" + path + "' has a tensor '" + name + "', which is not a variable of the model",
                          "to leave the tensor out, name it" + std::string(kExcept));
}

// Makes `value` a value of `variable`, and counts a conversion by its description.
Status fit(const std::string& path, const Variable& variable, HostTensor& value,
           std::map<std::string, Counted>& converted) {
  const TensorType& is = value.type();
  if (is.shape != variable.type.shape) {
    const size_t dot = variable.name.rfind('.');
    const std::string layer = variable.name.substr(0, dot == 0 ? std::string::npos : dot);
    return invalid_argument(
        "'" + path + "': tensor '" + variable.name + "' is " + to_string(is) + ", but the variable is " +
            to_string(variable.type),
        "choose the sizes of the model with which the file was made, or, to train the variable from "
        "its initial values, name '" +
            layer + "'" + kExcept);
  }
  if (is.dtype == variable.type.dtype) return {};
  if (!can_convert_floats(is.dtype, variable.type.dtype))
    return invalid_argument("'" + path + "': tensor '" + variable.name + "' is " + to_string(is) +
                                ", but the variable is " + to_string(variable.type),
                            "convert the tensor in the program that writes the file");
  const bool exact = is.dtype != f64;
  auto& count = converted[std::string(name_of(is.dtype)) + " to " + name_of(variable.type.dtype) +
                          (exact ? ", which keeps the values" : ", which rounds the values")];
  count.add(variable.name);
  auto floats = converted_floats(value, variable.type.dtype);
  if (!floats) return invalid_data("'" + path + "': tensor '" + variable.name + "': " + floats.error().what);
  value = *std::move(floats);
  return {};
}

// Returns the failure of the first tensor, with the number of tensors that are no variables or have another
// shape, and the number of all tensors of the file, `in_file`. If many do not fit, the file belongs to
// another model, and leaving one tensor out does not help.
Failure counted_misfits(Failure first, const TensorMap& tensors, const VariableNames& names, size_t in_file) {
  size_t misfits = 0;
  for (const auto& [name, value] : tensors) {
    const TensorRole role = names.role(name, value.type());
    misfits += role == TensorRole::kUnknown ||
                       (role == TensorRole::kVariable && value.shape() != names.find(name)->type.shape)
                   ? 1
                   : 0;
  }
  if (misfits < 2 && in_file > 1) return first;
  first.what += "; " + std::to_string(misfits) + " of the " + counted(in_file, "tensor") + " of the file " +
                (misfits == 1 ? "does" : "do") + " not fit";
  if (2 * misfits > in_file) first.hint = "give the model of the file";
  return first;
}

// Adds a note per element of VariableFileOptions::except. Fails if an element fits nothing.
Status note_exceptions(const std::string& path, const TensorMap& tensors,
                       const std::vector<Variable>& variables, const std::vector<std::string>& except,
                       std::vector<std::string>& notes) {
  for (const std::string& e : except) {
    size_t kept = 0, states = 0, left_out = 0;
    for (const Variable& v : variables)
      if (names_variable(e, v.name)) ++(v.state_of.empty() ? kept : states);
    for (const auto& [name, value] : tensors) left_out += names_variable(e, name) ? 1 : 0;
    if (kept + states + left_out == 0)
      return invalid_argument(
          "the exception '" + e + "' fits no variable of the model and no tensor of '" + path + "'",
          "give a name of a variable, or its beginning up to a '.'");
    notes.push_back("the exception '" + e + "' covers " + counted(kept, "variable") + " of the model and " +
                    counted(left_out, "tensor") + " of the file");
  }
  return {};
}

// Gives the tensors the names of the variables: renames scales, and removes or adds a prefix. Notes what it
// did.
void match_names(TensorMap& tensors, const VariableNames& names, std::vector<std::string>& notes) {
  Counted renamed;
  rename_scales(tensors, names, renamed);
  if (renamed.count)
    notes.push_back(renamed.text("tensor", "tensors") + " renamed: gamma to weight, and beta to bias");
  if (const std::string prefix = names.prefix(tensors); !prefix.empty()) {
    remove_prefix(tensors, prefix.size());
    notes.push_back("all names begin with '" + prefix + "', which is left out to match the variables");
  } else if (const std::string missing = names.missing_prefix(tensors); !missing.empty()) {
    add_prefix(tensors, missing);
    notes.push_back("no name begins with '" + missing + "', which is added to match the variables");
  }
}

// The tensors of a file that are no values of variables.
struct LeftOut {
  Counted counters, indices, states, averages;

  void add_state(const std::string& name) { (name.ends_with(kAverage) ? averages : states).add(name); }
  // Adds the notes about these tensors. `wants_states` is VariableFileOptions::states.
  void note(bool wants_states, std::vector<std::string>& notes) const {
    if (counters.count)
      notes.push_back(counters.text("counter of batch normalization", "counters of batch normalization") +
                      " left out");
    if (indices.count) notes.push_back(indices.text("tensor of indices", "tensors of indices") + " left out");
    if (states.count)
      notes.push_back(states.text("state of an optimizer", "states of an optimizer") +
                      (wants_states ? " left out, because the program has no such states" : " left out"));
    if (averages.count)
      notes.push_back(averages.text("average of a variable", "averages of variables") +
                      " left out, so the variables have the values after the last step, not their averages");
  }
};

// Converts the values of variables, and removes all other tensors. Counts the conversions by description.
Status fit_tensors(const std::string& path, TensorMap& tensors, const VariableNames& names, bool wants_states,
                   std::map<std::string, Counted>& converted, LeftOut& left_out) {
  // The loop removes tensors, but no tensor that does not fit.
  const auto misfit = [&, in_file = tensors.size()](const Failure& first) {
    return counted_misfits(first, tensors, names, in_file);
  };
  for (auto it = tensors.begin(); it != tensors.end();) {
    auto& [name, value] = *it;
    switch (names.role(name, value.type())) {
      case TensorRole::kVariable:
        if (!wants_states && !names.find(name)->state_of.empty()) {
          left_out.add_state(name);
          break;
        }
        if (const Status fits = fit(path, *names.find(name), value, converted); !fits)
          return misfit(fits.error());
        ++it;
        continue;
      case TensorRole::kExcepted:
        break;  // note_exceptions() has added a note
      case TensorRole::kCounter:
        left_out.counters.add(name);
        break;
      case TensorRole::kIndices:
        left_out.indices.add(name);
        break;
      case TensorRole::kState:
        left_out.add_state(name);
        break;
      case TensorRole::kUnknown:
        return misfit(unknown(path, name));
    }
    it = tensors.erase(it);
  }
  return {};
}

}  // namespace

Result<LoadedVariables> fit_variables(const std::string& path, TensorMap& tensors,
                                      const std::vector<Variable>& variables,
                                      const VariableFileOptions& options) {
  const VariableNames names(variables, options.except);
  LoadedVariables loaded;
  match_names(tensors, names, loaded.notes);
  CUTSET_TRY(note_exceptions(path, tensors, variables, options.except, loaded.notes));
  std::map<std::string, Counted> converted;
  LeftOut left_out;
  CUTSET_TRY(fit_tensors(path, tensors, names, options.states, converted, left_out));
  for (const auto& [how, count] : converted)
    loaded.notes.push_back(count.text("tensor", "tensors") + " converted from " + how);
  left_out.note(options.states, loaded.notes);
  for (const Variable& v : variables)
    if (!tensors.contains(v.name) && !names.excepted(v.name) && (v.state_of.empty() || options.states))
      (v.state_of.empty() ? loaded.missing : loaded.missing_states).push_back(v.name);
  for (const Variable& v : variables)  // a state that starts as its variable has the value of the variable
    if (const auto owner = tensors.find(v.state_of);
        v.starts_as_owner && owner != tensors.end() && !tensors.contains(v.name)) {
      CUTSET_ASSIGN(HostTensor value, floats_in(owner->second, v.type.dtype));
      tensors.emplace(v.name, std::move(value));
    }
  std::ranges::sort(loaded.missing);
  std::ranges::sort(loaded.missing_states);
  return loaded;
}

}  // namespace cutset
