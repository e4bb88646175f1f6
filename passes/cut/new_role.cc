// SPDX-License-Identifier: Apache-2.0
#include "passes/cut/new_role.h"

#include "passes/passes.h"

using namespace mlir;

namespace cutset::passes {

func::FuncOp new_role(OpBuilder& builder, ModuleOp module, Location location, const std::string& name,
                      StringRef kind, StringAttr device, TypeRange arguments, TypeRange results) {
  builder.setInsertionPointToEnd(module.getBody());
  auto role = func::FuncOp::create(builder, location, name, builder.getFunctionType(arguments, results));
  role.setPrivate();
  role->setAttr(kRole, builder.getStringAttr(kind));
  role->setAttr(kDevice, device);
  builder.setInsertionPointToStart(role.addEntryBlock());
  return role;
}

}  // namespace cutset::passes
