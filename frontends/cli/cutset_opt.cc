// Every pass on MLIR text, as mlir-opt.
#include "ir/dialect/dialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "passes/passes.h"

int main(int argc, char** argv) {
  mlir::DialectRegistry registry;
  registry.insert<cutset::ir::CutsetDialect, mlir::func::FuncDialect>();
  cutset::passes::registerPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "cutset-opt\n", registry));
}
