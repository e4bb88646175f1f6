// Every pass on MLIR text, as mlir-opt. Input that MLIR's parser does not survive is refused first.
#include "ir/dialect/dialect.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "passes/passes.h"
#include "passes/support/check_text.h"

int main(int argc, char** argv) {
  llvm::InitLLVM initialised(argc, argv);
  mlir::DialectRegistry registry;
  registry.insert<cutset::ir::CutsetDialect, mlir::func::FuncDialect>();
  cutset::passes::registerPasses();
  const auto [input, output] = mlir::registerAndParseCLIOptions(argc, argv, "cutset-opt\n", registry);
  const auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  auto fail = [](const std::string& message) {
    llvm::errs() << "cutset-opt: error: " << message << "\n";
    return EXIT_FAILURE;
  };
  if (config.shouldShowDialects() || config.shouldListPasses())
    return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, input, output, registry));
  std::string message;
  auto file = mlir::openInputFile(input, &message);
  if (!file) return fail(message);
  if (cutset::Status ok = cutset::passes::check_text({file->getBufferStart(), file->getBufferSize()}); !ok)
    return fail(input + ": " + ok.error().text());
  auto out = mlir::openOutputFile(output, &message);
  if (!out) return fail(message);
  if (failed(mlir::MlirOptMain(out->os(), std::move(file), registry, config))) return EXIT_FAILURE;
  out->keep();
  return EXIT_SUCCESS;
}
