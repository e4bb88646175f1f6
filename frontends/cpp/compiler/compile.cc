#include "frontends/cpp/compiler/compile.h"

#include <filesystem>

#include "ir/dialect/dialect.h"
#include "llvm/ADT/MapVector.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Parser/Parser.h"
#include "passes/dump.h"
#include "passes/explain.h"
#include "passes/pipeline.h"
#include "passes/place/plan.h"
#include "passes/report.h"
#include "passes/schedule/emit.h"
#include "runtime/files.h"

using namespace mlir;

namespace cutset {
namespace {

std::string specialisation(const CompileRequest& request) {
  std::string text;
  for (const auto& [name, shape] : request.inputs) {
    text += (text.empty() ? "" : ";") + name + "=";
    for (size_t i = 0; i < shape.size(); ++i) text += (i ? "x" : "") + std::to_string(shape[i]);
  }
  return text;
}

Status write_dump(ModuleOp module, const std::string& folder, int number, StringRef phase) {
  std::error_code e;
  std::filesystem::create_directories(folder, e);
  if (e) return unavailable("cannot make the folder '" + folder + "': " + e.message());
  const std::string stem = folder + "/" + (number < 10 ? "0" : "") + std::to_string(number) + "-" + phase.str();
  CUTSET_TRY(write_file(stem + ".mlir", passes::module_text(module)));
  return write_file(stem + ".dot", passes::module_dot(module, passes::DotLevel::kOp));
}

}  // namespace

void loadDialects(MLIRContext& context) {
  DialectRegistry registry;
  passes::insertDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
}

std::string bytecode_of(ModuleOp module) {
  std::string bytes;
  llvm::raw_string_ostream out(bytes);
  if (failed(writeBytecodeToFile(module, out))) return {};
  return bytes;
}

Result<CompileResult> compile_bytecode(const std::string& bytecode, const CompileRequest& request) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  loadDialects(context);
  Failure failure = execution_failed("the compiler failed without saying why");
  bool said = false;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic& d) {
    if (d.getSeverity() == DiagnosticSeverity::Error && !said)
      failure = invalid_argument(d.str()), failure.where = ir::sourceOf(d.getLocation()), said = true;
    return success();
  });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(bytecode, ParserConfig(&context));
  if (!module) return failure;
  passes::name_program(*module);
  CompileResult result;
  passes::PipelineOptions options;
  options.devices = request.devices;
  options.strategy = request.strategy;
  options.plan = request.plan;
  options.function = request.function;
  options.parts = request.parts;
  options.bucket_bytes = request.bucket_bytes;
  options.inputs = specialisation(request);
  options.dtype = request.f64 ? "f64" : "";
  options.yield_gradients = request.yield_gradients;
  options.unplaced = request.unplaced;
  options.compile_to = request.compile_to;
  options.after_phase = [&](ModuleOp m, int number, StringRef phase) -> LogicalResult {
    if (phase == "place") {
      result.plan = passes::plan_of(m);
      if (auto devices = describe_devices(request.devices)) result.explanations = passes::explain(m, *devices);
    }
    if (auto strategy = m->getAttrOfType<StringAttr>(passes::kStrategy)) result.strategy = strategy.str();
    if (request.dump_directory.empty()) return success();
    Status status = write_dump(m, request.dump_directory, number, phase);
    if (!status.ok()) failure = status.error(), said = true;
    return LogicalResult::success(status.ok());
  };
  if (failed(passes::run_phases(*module, options))) return failure;
  result.text = passes::module_text(*module);
  result.placement_log = passes::report_placement(*module);
  result.kernel_log = passes::report_kernels(*module);
  result.dot_ops = passes::module_dot(*module, passes::DotLevel::kOp);
  result.dot_layers = passes::module_dot(*module, passes::DotLevel::kLayer);
  if (!request.compile_to.empty() && request.compile_to != passes::phases().back()) return result;
  CUTSET_ASSIGN(DeviceList devices, describe_devices(request.devices));
  CUTSET_ASSIGN(result.program, passes::emit(*module, devices));
  return result;
}

}  // namespace cutset
