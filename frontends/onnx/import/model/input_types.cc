// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/import/model/input_types.h"

#include <algorithm>
#include <set>
#include <vector>

#include "frontends/onnx/element_types.h"
#include "frontends/onnx/import/errors.h"
#include "frontends/onnx/import/model/limits.h"
#include "frontends/onnx/messages.h"
#include "frontends/onnx/names.h"

namespace cutset::onnx {
namespace {

[[noreturn]] void refuse_option(const std::string& what, const std::string& hint = "") {
  throw Error(ErrorCode::kInvalidArgument, what, "", hint);
}

// Returns the name of an open size that has no name in the model: the name of the input and the number of the
// dimension, "x.1".
std::string name_of_dimension(const std::string& input, int dimension) {
  return input + "." + std::to_string(dimension);
}

// Collects sizes of inputs that the model leaves open.
class OpenSizes {
 public:
  // Adds a size. `name` is the name of the size in the model, and may be empty. `name_in_graph` is the name
  // of the input.
  void add(const onnx_proto::ValueInfoProto& input, const std::string& name_in_graph, int dimension,
           const std::string& name) {
    ++all_;
    if (places_.size() == kMost) return;
    places_.push_back("dimension " + std::to_string(dimension) + " of the input '" + shown(input.name()) +
                      "'" + (name.empty() ? "" : " ('" + shown(name) + "')"));
    names_.insert(name.empty() ? name_of_dimension(name_in_graph, dimension) : shown(name));
  }
  // Returns "the model leaves sizes open: dimension 1 of the input 'x' ('time')", or that the model leaves no
  // size open.
  std::string text() const {
    if (all_ == 0) return "the model leaves no size open";
    std::string list;
    for (const std::string& place : places_) list += (list.empty() ? "" : ", ") + place;
    if (all_ > kMost) list += " and " + std::to_string(all_ - kMost) + " more";
    return "the model leaves sizes open: " + list;
  }
  // Throws if there are open sizes.
  void check_none() const {
    if (all_ == 0) return;
    std::string options;
    for (const std::string& name : names_) options += " --size " + name + "=N";
    refuse_option(
        text(),
        "give" + options +
            ", or ImportOptions::sizes; cutset run, train and verify also take the sizes of the arrays of "
            "inputs, and ImportOptions::shapes gives them");
  }

 private:
  static constexpr size_t kMost = 20;  // the largest number of places in an error

  size_t all_ = 0;
  std::vector<std::string> places_;  // such as "dimension 1 of the input 'x' ('time')"
  std::set<std::string> names_;      // names for --size that give the sizes
};

// Makes the types of the inputs from the model and the options.
class TypesOfInputs {
 public:
  TypesOfInputs(const onnx_proto::GraphProto& graph, const ImportOptions& options) : options_(options) {
    for (const auto& input : graph.input()) names_.keep(input.name());
  }

  // Adds an input. Its type is complete after `finish`.
  void add(const onnx_proto::ValueInfoProto& input) {
    const std::string name = names_.unique(input.name());
    made_.emplace(input.name(), InputType{name, {}});
    inputs_.push_back(&input);
    for (const auto& size : input.type().tensor_type().shape().dim()) size_names_.insert(size.dim_param());
    const Shape* array = array_of(input);
    if (!array || options_.inputs.contains(input.name())) return;
    const auto& sizes = input.type().tensor_type().shape().dim();
    if (static_cast<size_t>(sizes.size()) != array->size()) return;  // fill() throws
    for (int d = 0; d < sizes.size(); ++d) {
      const std::string& size = sizes[d].dim_param();
      if (sizes[d].has_dim_value() || size.empty() || options_.sizes.contains(size)) continue;
      const auto [known, first] = arrays_.try_emplace(size, (*array)[static_cast<size_t>(d)], input.name());
      if (!first && known->second.first != (*array)[static_cast<size_t>(d)])
        refuse_option("the open size '" + shown(size) + "' is " + std::to_string(known->second.first) +
                          " in the array for '" + shown(known->second.second) + "', and " +
                          std::to_string((*array)[static_cast<size_t>(d)]) + " in that for '" +
                          shown(input.name()) + "'",
                      "give arrays whose sizes agree, or --size " + shown(size) + "=N");
    }
  }

  std::map<std::string, InputType> finish() {
    for (const auto* input :
         inputs_) {  // the name of a first size that is the batch means the batch in all inputs
      const auto& sizes = input->type().tensor_type().shape().dim();
      if (options_.batch && !sizes.empty() && !array_of(*input) && !sizes[0].has_dim_value() &&
          !sizes[0].dim_param().empty())
        arrays_.try_emplace(sizes[0].dim_param(), *options_.batch, input->name());
    }
    for (const auto* input : inputs_) {
      const auto stated = options_.inputs.find(input->name());
      InputType& filled = made_.at(input->name());
      if (stated != options_.inputs.end())
        filled.type = stated->second;
      else
        fill(*input, filled);
    }
    check_used(
        options_.sizes, [&](const std::string& name) { return used_.contains(name); }, "open size",
        all_open_.text());
    open_.check_none();
    const auto is_input = [&](const std::string& name) { return made_.contains(name); };
    check_used(options_.inputs, is_input, "input");
    check_used(options_.known, is_input, "input");
    return std::move(made_);
  }

 private:
  // Returns the shape of the array for an input, by its name in the model or in the graph, or null if there
  // is none.
  const Shape* array_of(const onnx_proto::ValueInfoProto& input) const {
    auto found = options_.shapes.find(input.name());
    if (found == options_.shapes.end()) found = options_.shapes.find(made_.at(input.name()).name);
    return found == options_.shapes.end() ? nullptr : &found->second;
  }

  // Returns the element of ImportOptions::sizes for an open size, or null if there is none. Throws if its
  // name may also mean another size.
  const std::pair<const std::string, int64_t>* given_size(const onnx_proto::ValueInfoProto& input,
                                                          const std::string& name_in_graph,
                                                          int dimension) const {
    const auto find = [&](const std::string& name) {
      const auto found = options_.sizes.find(name);
      return found == options_.sizes.end() ? nullptr : &*found;
    };
    const std::string& name = input.type().tensor_type().shape().dim(dimension).dim_param();
    if (!name.empty()) return find(name);
    const auto* given = find(name_of_dimension(name_in_graph, dimension));
    if (!given) given = find(name_of_dimension(input.name(), dimension));
    if (given && size_names_.contains(given->first))
      refuse_option("the size '" + shown(given->first) + "' may be dimension " + std::to_string(dimension) +
                        " of the input '" + shown(input.name()) +
                        "', or the size with this name in the model",
                    "give arrays for the inputs, or ImportOptions::shapes");
    return given;
  }

  void fill(const onnx_proto::ValueInfoProto& input, InputType& filled) {
    const std::string what = "the input '" + shown(input.name()) + "'";
    if (!input.type().has_tensor_type()) unsupported(what + " is not a tensor");
    const auto& type = input.type().tensor_type();
    filled.type.dtype = dtype_of_onnx(type.elem_type(), what);
    if (!type.has_shape())
      throw Error(ErrorCode::kUnsupported, "the shape of " + what + " is not in the model", "",
                  "name its type in ImportOptions::inputs");
    const Shape* array = array_of(input);
    if (array && array->size() != static_cast<size_t>(type.shape().dim_size()))
      refuse_option(what + " has the rank " + std::to_string(type.shape().dim_size()) +
                        " in the model, and the array for it has the rank " + std::to_string(array->size()),
                    "give an array of the rank in the model");
    Shape& shape = filled.type.shape;
    for (int d = 0; d < type.shape().dim_size(); ++d) {
      const auto& size = type.shape().dim(d);
      const std::string& name = size.dim_param();
      if (!size.has_dim_value()) all_open_.add(input, filled.name, d, name);
      if (size.has_dim_value()) {
        shape.push_back(size.dim_value());
        filled.fixes_batch |= d == 0;
      } else if (const auto* given = given_size(input, filled.name, d)) {
        shape.push_back(given->second);
        used_.insert(given->first);
      } else if (array) {
        shape.push_back((*array)[static_cast<size_t>(d)]);
      } else if (const auto same = arrays_.find(name); !name.empty() && same != arrays_.end()) {
        shape.push_back(same->second.first);
      } else if (d == 0 && options_.batch) {
        shape.push_back(*options_.batch);
      } else {
        open_.add(input, filled.name, d, name);
        shape.push_back(1);  // any size: finish() throws
      }
    }
  }

  // Throws if an option has a name that the model does not have.
  template <class T>
  static void check_used(const std::map<std::string, T>& option,
                         const std::function<bool(const std::string&)>& has, const char* what,
                         const std::string& hint = "") {
    for (const auto& [name, value] : option)
      if (!has(name)) refuse_option(std::string("the model has no ") + what + " '" + shown(name) + "'", hint);
  }

  const ImportOptions& options_;
  Names names_;
  std::vector<const onnx_proto::ValueInfoProto*> inputs_;
  std::map<std::string, InputType> made_;
  std::set<std::string> size_names_;  // the names that the model gives to open sizes
  std::map<std::string, std::pair<int64_t, std::string>>
      arrays_;                  // by name of an open size: the size, and the input whose array has it
  std::set<std::string> used_;  // names of ImportOptions::sizes
  OpenSizes all_open_, open_;   // `open_` has the sizes that no option gives
};

}  // namespace

std::map<std::string, InputType> input_types(const onnx_proto::GraphProto& graph,
                                             const ImportOptions& options,
                                             const std::function<bool(const std::string&)>& is_initializer) {
  std::set<std::string> listed;
  size_t inputs = 0;
  TypesOfInputs all(graph, options);
  for (const auto& input : graph.input()) {
    if (input.name().empty()) invalid("an input has no name");
    if (!listed.insert(input.name()).second) invalid("there are two inputs '" + shown(input.name()) + "'");
    if (is_initializer(input.name())) continue;  // old models also list initializers as inputs
    if (inputs++ == kMostInputs)
      unsupported("the model has more than " + std::to_string(kMostInputs) + " inputs");
    all.add(input);
  }
  return all.finish();
}

}  // namespace cutset::onnx
