// SPDX-License-Identifier: Apache-2.0
#include "passes/support/hyper_parameter.h"

#include "mlir/IR/BuiltinTypes.h"
#include "passes/passes.h"

using namespace mlir;

namespace cutset::passes {

FailureOr<Value> hyper_parameter(func::FuncOp function, StringRef name, FloatAttr initial, Type element) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    if (function.getArgAttrOfType<StringAttr>(i, kInput) != name) continue;
    auto value = function.getArgAttrOfType<FloatAttr>(i, kHyperParameter);
    if (!value)
      return emitError(function.getArgument(i).getLoc())
             << "input '" << name
             << "' has the name of a hyper-parameter of the optimizer; give it another name";
    if (value.getValueAsDouble() != initial.getValueAsDouble())
      return emitError(function.getArgument(i).getLoc())
             << "hyper-parameter '" << name << "' is " << std::to_string(value.getValueAsDouble())
             << " here and " << std::to_string(initial.getValueAsDouble())
             << " in the optimizer; give both the same value, or two names";
    return Value(function.getArgument(i));
  }
  Builder b(function.getContext());
  const unsigned at = function.getNumArguments();
  if (failed(function.insertArgument(at, RankedTensorType::get({}, element),
                                     b.getDictionaryAttr({b.getNamedAttr(kInput, b.getStringAttr(name)),
                                                          b.getNamedAttr(kHyperParameter, initial)}),
                                     function.getLoc())))
    return failure();
  return Value(function.getArgument(at));
}

}  // namespace cutset::passes
