// SPDX-License-Identifier: Apache-2.0
#include "passes/passes.h"

namespace cutset::passes {

void insert_dialects(mlir::DialectRegistry& registry) {
  registry.insert<ir::CutsetDialect, mlir::func::FuncDialect>();
}

}  // namespace cutset::passes
