// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/export/exporter.h"

#include <algorithm>
#include <map>

#include "frontends/onnx/export/exporters.h"
#include "frontends/onnx/refusals.h"

namespace cutset::onnx {
namespace {

// Returns, for each value, whether an output needs its elements.
std::vector<bool> needed_values(const ListedFunction& f) {
  std::vector<bool> needed(f.types.size());
  for (const auto& [name, value] : f.outputs) needed[static_cast<size_t>(value)] = true;
  for (auto op = f.ops.rbegin(); op != f.ops.rend(); ++op) {
    if (std::none_of(op->results.begin(), op->results.end(),
                     [&](int v) { return needed[static_cast<size_t>(v)]; }))
      continue;
    const OpInfo* info = find_op(op->name);
    for (size_t i = 0; i < op->operands.size(); ++i)
      if (!info || !info->reads_type_only(i)) needed[static_cast<size_t>(op->operands[i])] = true;
  }
  return needed;
}

class Exporting {
 public:
  explicit Exporting(const SizedFunction& sized)
      : f_(sized.function),
        function_{sized, builder_, std::vector<std::string>(f_.types.size()),
                  std::vector<const ListedOp*>(f_.types.size()), needed_values(f_)} {}

  Result<ModelParts> run(const ValueOf& value_of) {
    CUTSET_TRY(name_ports());
    for (const ListedOp& op : f_.ops) add(op);
    if (!refusals_.empty())
      return unsupported("the function '" + f_.name +
                         "' has ops that cannot be exported to ONNX: " + refusals_.list("op"));
    for (const auto& [variable, name] : weights_) CUTSET_TRY(set_weight(variable, name, value_of));
    for (const auto& [name, value] : f_.outputs)
      builder_.add_output(name, function_.names[static_cast<size_t>(value)], type(value).dtype,
                          sizes_of(value));
    ModelParts parts;
    parts.model.set_ir_version(kExportedFormat);
    parts.model.set_producer_name("cutset");
    parts.model.add_opset_import()->set_version(kExportedOpset);
    *parts.model.mutable_graph() = builder_.finish(parts.elements);
    return parts;
  }

 private:
  const TensorType& type(int value) const { return f_.types[static_cast<size_t>(value)]; }

  // Returns the sizes of an input or an output. A size that is a multiple of the batch plus a number has no
  // name.
  SizeNames sizes_of(int value) const {
    SizeNames names;
    for (const Size& size : function_.sized.sizes[static_cast<size_t>(value)]) {
      if (size.is_fixed())
        names.emplace_back(size.rest);
      else if (size.rest != 0)
        names.emplace_back(std::string());
      else
        names.emplace_back(size.per_sample == 1 ? "batch" : std::to_string(size.per_sample) + "*batch");
    }
    return names;
  }

  Status name_ports() {
    for (const ListedInput& input : f_.inputs) {
      function_.names[static_cast<size_t>(input.value)] = input.name;
      if (input.fed) {
        if (function_.needed[static_cast<size_t>(input.value)])
          refusals_.add("input '" + input.name + "': the session feeds it in each run");
        continue;
      }
      CUTSET_TRY(builder_.reserve(input.name));
      builder_.add_input(input.name, type(input.value).dtype, sizes_of(input.value));
    }
    for (const auto& [name, value] : f_.outputs) CUTSET_TRY(builder_.reserve(name));
    return {};
  }

  void add(const ListedOp& op) {
    if (std::none_of(op.results.begin(), op.results.end(),
                     [&](int v) { return function_.needed[static_cast<size_t>(v)]; }))
      return;
    for (const int v : op.results) function_.makers[static_cast<size_t>(v)] = &op;
    if (op.name == "read" || op.name == "constant") {
      std::string& name = function_.names[static_cast<size_t>(op.results[0])];
      if (op.elements) {
        name = builder_.constant(*op.elements);
      } else {
        std::string& weight = weights_[op.variable];
        if (weight.empty()) weight = builder_.fresh(op.variable);
        name = weight;
      }
      return;
    }
    builder_.set_prefix(op.layer.empty() ? op.name : op.layer + "/" + op.name);
    const Exported results = exported(op);
    if (!results.ok()) {
      const Failure& why = results.error();
      return refusals_.add(op.name + ": " + Failure{why.code, why.what, "", why.hint}.text(), op.source);
    }
    for (size_t i = 0; i < op.results.size(); ++i)
      function_.names[static_cast<size_t>(op.results[i])] = (*results)[i];
  }

  Exported exported(const ListedOp& op) {
    const auto exporter = exporters().find(op.name);
    if (exporter == exporters().end()) return unsupported("there is no exporter for this op");
    CUTSET_ASSIGN(ExportedOp view, ExportedOp::make(op, function_));
    return exporter->second(view);
  }

  Status set_weight(const std::string& variable, const std::string& name, const ValueOf& value_of) {
    const auto found = std::find_if(f_.variables.begin(), f_.variables.end(),
                                    [&](const Variable& v) { return v.name == variable; });
    CUTSET_ASSIGN(HostTensor value, value_of(*found));
    if (value.type() != found->type)
      return invalid_argument("the value of the variable '" + variable + "' is " + to_string(value.type()) +
                                  ", but the variable of the graph is " + to_string(found->type),
                              "use a session that is compiled without f64");
    builder_.set_initializer(name, std::move(value));
    return {};
  }

  const ListedFunction& f_;
  ModelBuilder builder_;
  ExportedFunction function_;
  Refusals refusals_;                           // reasons why ops cannot be exported
  std::map<std::string, std::string> weights_;  // by variable: the name of its initializer
};

}  // namespace

Result<ModelParts> export_function(const SizedFunction& function, const ValueOf& value_of) {
  return Exporting(function).run(value_of);
}

}  // namespace cutset::onnx
