// SPDX-License-Identifier: Apache-2.0
#include "frontends/compiler/graph_snapshot.h"

#include <algorithm>

#include "frontends/compiler/compile.h"
#include "frontends/compiler/graph_builder.h"
#include "frontends/compiler/list_function.h"

namespace cutset {
namespace {

class MlirSnapshot : public BuiltSnapshot {
 public:
  explicit MlirSnapshot(GraphContents contents) : graph_(std::move(contents)) {}
  Result<CompileResult> compile(const CompileConfig& config) const override {
    return compile_bytecode(graph_.bytecode, config);
  }
  Result<std::vector<std::string>> functions() const override {
    return functions_of_bytecode(graph_.bytecode);
  }
  Result<ListedFunction> list(const std::string& function,
                              const std::map<std::string, Shape>& input_shapes) const override {
    return list_function(graph_.bytecode, function, input_shapes);
  }
  const std::vector<InitializedVariable>& initialized_variables() const override {
    return graph_.initialized;
  }
  Result<std::string> text() const override { return text_of_bytecode(graph_.bytecode); }
  Result<GraphCopy> resize(const std::map<std::string, Shape>& input_shapes,
                           const std::string& function) const override {
    return copy_of(graph_, input_shapes, function);
  }

 private:
  GraphContents graph_;
};

}  // namespace

bool has_elements(const std::vector<InitializedVariable>& initialized, const std::string& name,
                  const std::optional<FirstValue>& first) {
  const auto found = std::find_if(initialized.begin(), initialized.end(),
                                  [&](const InitializedVariable& v) { return v.name == name; });
  const auto before = found == initialized.end() ? nullptr : found->first.elements,
             now = first ? first->elements : nullptr;
  return before == now || (before && now && *before == *now);
}

std::shared_ptr<const BuiltSnapshot> make_snapshot(GraphContents contents) {
  return std::make_shared<MlirSnapshot>(std::move(contents));
}

}  // namespace cutset
