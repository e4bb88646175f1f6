#include "frontends/onnx/import/model_inputs.h"

#include <optional>
#include <set>

#include "frontends/cpp/failure.h"
#include "frontends/onnx/element_types.h"
#include "frontends/onnx/import/limits.h"
#include "frontends/onnx/messages.h"
#include "frontends/onnx/names.h"

namespace cutset::onnx {
namespace {

// The type of an input, with the sizes that the model states and those of the options. Adds the sizes of the options that it has to
// `used`.
TensorType type_of(const ::onnx::ValueInfoProto& input, const ImportOptions& options, std::set<std::string>& used) {
  if (!input.type().has_tensor_type()) unsupported("the input '" + shown(input.name()) + "' is not a tensor");
  const auto& type = input.type().tensor_type();
  TensorType known{dtype_of_onnx(type.elem_type(), "the input '" + shown(input.name()) + "'"), {}};
  if (!type.has_shape())
    throw Error(ErrorCode::kUnsupported, "the shape of the input '" + shown(input.name()) + "' is not in the model", "",
                "name its type in ImportOptions::inputs");
  for (const auto& size : type.shape().dim()) {
    const auto given = options.sizes.find(size.dim_param());
    if (size.has_dim_value()) {
      known.shape.push_back(size.dim_value());
    } else if (size.has_dim_param() && given != options.sizes.end()) {
      known.shape.push_back(given->second);
      used.insert(given->first);
    } else if (known.shape.empty() && options.batch) {
      known.shape.push_back(*options.batch);
    } else {
      const std::string which =
          "size " + std::to_string(known.shape.size()) + " of the input '" + shown(input.name()) + "'";
      const std::string name = shown(size.dim_param());
      throw Error(ErrorCode::kInvalidArgument,
                  "the model leaves " + which + " open" + (name.empty() ? "" : " and calls it '" + name + "'"), "",
                  name.empty() ? "give the type of the input in ImportOptions::inputs"
                               : "set it in ImportOptions::sizes, or with --size " + name + "=N");
    }
  }
  return known;
}

// Throws if an option names what the model does not have.
template <class T>
void check_used(const std::map<std::string, T>& option, const std::set<std::string>& used, const char* what) {
  for (const auto& [name, value] : option)
    if (!used.contains(name))
      throw Error(ErrorCode::kInvalidArgument, std::string("the model has no ") + what + " '" + shown(name) + "'", "",
                  "");
}

// Throws if an old model lists an initializer as an input of another type.
void check_initializer(const ::onnx::ValueInfoProto& input, const TensorType& type) {
  if (!input.type().has_tensor_type()) return;
  const auto& stated = input.type().tensor_type();
  bool same = stated.elem_type() == onnx_type(type.dtype);
  if (stated.has_shape()) {
    same &= stated.shape().dim_size() == type.rank();
    for (int d = 0; same && d < stated.shape().dim_size(); ++d)
      same = !stated.shape().dim(d).has_dim_value() ||
             stated.shape().dim(d).dim_value() == type.shape[static_cast<size_t>(d)];
  }
  if (!same)
    invalid("the initializer '" + shown(input.name()) + "' is " + to_string(type) +
            ", but the input of the same name has another type");
}

Tensor add_input(Graph& graph, const std::string& name, const TensorType& type) {
  try {
    return graph.input(name, type.dtype, type.shape);
  } catch (const Error& e) {
    throw Error(e.code(), text_of(e), "", "");
  }
}

}  // namespace

std::map<std::string, Tensor> define_inputs(Importer& importer, const ::onnx::GraphProto& graph,
                                            const ImportOptions& options, const std::set<std::string>& constants) {
  std::map<std::string, Tensor> inputs;
  Names names;
  std::set<std::string> used, listed, names_of_inputs;
  for (const auto& input : graph.input()) {
    if (input.name().empty()) invalid("an input has no name");
    if (!listed.insert(input.name()).second) invalid("there are two inputs '" + shown(input.name()) + "'");
    if (importer.is_defined(input.name())) {  // old models list initializers as inputs, too
      check_initializer(input, importer.type(input.name()));
      continue;
    }
    if (names_of_inputs.size() == kMostInputs)
      unsupported("the model has more than " + std::to_string(kMostInputs) + " inputs");
    const auto given = options.inputs.find(input.name());
    const TensorType type = given == options.inputs.end() ? type_of(input, options, used) : given->second;
    const bool is_constant = constants.contains(input.name());
    const std::string name = names.unique(input.name());
    Value value;
    if (!is_constant) {
      value = add_input(importer.graph(), name, type);
      inputs.emplace(name, value.tensor);
    }
    if (const auto known = options.known.find(input.name()); known != options.known.end()) {
      if (known->second.type() != type)
        throw Error(ErrorCode::kInvalidArgument,
                    "the known elements of the input '" + shown(input.name()) + "' are a " +
                        to_string(known->second.type()) + ", but the input is a " + to_string(type),
                    "", "");
      value.known = std::make_shared<const HostTensor>(known->second), value.from_inputs = !is_constant;
    }
    importer.define(input.name(), std::move(value));
    names_of_inputs.insert(input.name());
  }
  check_used(options.sizes, used, "open size");
  check_used(options.inputs, names_of_inputs, "input");
  check_used(options.known, names_of_inputs, "input");
  return inputs;
}

}  // namespace cutset::onnx
