// SPDX-License-Identifier: Apache-2.0
#include "passes/support/check/check_module.h"

#include "ir/structural/structural.h"

using namespace mlir;

namespace cutset::passes {
namespace {

bool is_ours(Operation& op) { return isa_and_nonnull<ir::CutsetDialect>(op.getDialect()); }

LogicalResult check_function(func::FuncOp function) {
  for (Type type : function.getArgumentTypes())
    if (auto tensor = ir::tensor_type(type); !tensor) return function.emitError() << tensor.error().what;
  for (Type type : function.getResultTypes())
    if (auto tensor = ir::tensor_type(type); !tensor) return function.emitError() << tensor.error().what;
  if (function.isExternal()) return success();
  if (!function.getBody().hasOneBlock())
    return function.emitError("the body of a function must have exactly one block");
  Block& body = function.getBody().front();
  for (Operation& op : body.without_terminator())
    if (!is_ours(op) || isa<ir::VariableOp, ir::ScheduleOp>(op))
      return op.emitOpError("is not allowed in a function");
  if (!isa<func::ReturnOp>(body.getTerminator()))
    return function.emitError("the body of a function must end with func.return");
  return success();
}

}  // namespace

LogicalResult check_module(ModuleOp module) {
  for (Operation& op : *module.getBody()) {
    if (auto function = dyn_cast<func::FuncOp>(op)) {
      if (failed(check_function(function))) return failure();
    } else if (auto schedule = dyn_cast<ir::ScheduleOp>(op)) {
      for (Operation& action : schedule.getActions().front())
        if (!is_ours(action) || isa<ir::VariableOp, ir::ScheduleOp>(action))
          return action.emitOpError("is not allowed in a schedule");
    } else if (!isa<ir::VariableOp>(op)) {
      return op.emitOpError(
          "is not allowed in a module, which may contain only functions, variables and schedules");
    }
  }
  return success();
}

LogicalResult check_bodies(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isExternal())
      return function.emitError() << "the function @" << function.getName() << " has no body";
  return success();
}

}  // namespace cutset::passes
