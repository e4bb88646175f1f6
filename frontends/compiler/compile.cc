// SPDX-License-Identifier: Apache-2.0
#include "frontends/compiler/compile.h"

#include <filesystem>

#include "ir/dialect/dialect.h"
#include "llvm/ADT/MapVector.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Parser/Parser.h"
#include "passes/emit/emit.h"
#include "passes/inspect/dump.h"
#include "passes/inspect/explain.h"
#include "passes/inspect/image_notes.h"
#include "passes/inspect/notes.h"
#include "passes/inspect/over_limit.h"
#include "passes/inspect/report.h"
#include "passes/pipeline.h"
#include "passes/place/plan.h"
#include "runtime/files/files.h"
#include "runtime/program/check/memory.h"
#include "runtime/program/file/fingerprint.h"
#include "runtime/program/forecast.h"

using namespace mlir;

namespace cutset {
namespace {

Status write_dump(ModuleOp module, const std::string& folder, int number, StringRef phase) {
  std::error_code e;
  std::filesystem::create_directories(folder, e);
  if (e) return unavailable("cannot create the folder '" + folder + "': " + e.message());
  const std::string stem =
      folder + "/" + (number < 10 ? "0" : "") + std::to_string(number) + "-" + phase.str();
  CUTSET_TRY(write_file(stem + ".mlir", passes::module_text(module)));
  return write_file(stem + ".dot", passes::usual_drawing(module));
}

void describe(ModuleOp module, CompileResult& result) {
  result.text = passes::module_text(module);
  result.placement_log = passes::report_placement(module);
  result.kernel_log = passes::report_kernels(module);
  result.drawings = passes::drawings_of(module);
}

// Marks the devices that have less memory than the program takes, for the drawings of the module. Fails if a
// kernel cannot tell its scratch memory.
Status mark_devices(ModuleOp module, const Program& program, const DeviceList& devices) {
  std::map<std::string, passes::MemoryOfDevice> memory;
  CUTSET_ASSIGN(const auto forecasts, forecast(program, devices));
  for (size_t d = 0; d < devices.size(); ++d)
    memory[forecasts[d].device] = {forecasts[d].total(), devices[d]->info().memory_bytes};
  passes::mark_over_limit(module, memory);
  return {};
}

// Fails if the schedule of a pipeline does not fit the graph: if a stage needs a value of a later stage in
// the same direction, stages may wait for each other. Also checks that the accesses to the same memory are
// ordered. If they are not, the compiler has an error.
Status check_queues(const Program& program) {
  for (const Function& f : program.functions) {
    const auto order = checks::Order::of(f);
    if (!order && !f.roles.empty())
      return invalid_argument(
          "the stages of the pipeline wait for each other, because values flow from a stage to a later "
          "one and back: " +
              order.error().what,
          "use schedule=gpipe with chunks=1, or place the ops so that values flow from each stage to "
          "the next one");
    if (!order) return order.error();
    if (const Status status = checks::check_memory(f, *order); !status.ok())
      return execution_failed(
          "the compiled program is wrong: " + status.error().what,
          "this is an error of the compiler; please report it with the graph and the options");
  }
  return {};
}

}  // namespace

void load_dialects(MLIRContext& context) {
  DialectRegistry registry;
  passes::insert_dialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
}

std::function<LogicalResult(Diagnostic&)> first_message(std::string& message) {
  return [&message](Diagnostic& d) {
    if (message.empty()) message = d.str();
    return success();
  };
}

std::string bytecode_of(ModuleOp module) {
  std::string bytes;
  llvm::raw_string_ostream out(bytes);
  if (failed(writeBytecodeToFile(module, out))) return {};
  return bytes;
}

Result<std::string> text_of_bytecode(const std::string& bytecode) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  load_dialects(context);
  std::string message;
  ScopedDiagnosticHandler handler(&context, first_message(message));
  const OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(bytecode, ParserConfig(&context));
  if (!module) return execution_failed("the graph cannot be read: " + message);
  return passes::module_text(*module);
}

Result<CompileResult> compile_bytecode(const std::string& bytecode, const CompileConfig& config) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  load_dialects(context);
  Failure failure = execution_failed("the compiler failed without an error message");
  bool said = false;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic& d) {
    if (d.getSeverity() == DiagnosticSeverity::Error && !said) {
      failure = invalid_argument(d.str());
      failure.source = ir::source_of(d.getLocation());
      said = true;
    }
    return success();
  });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(bytecode, ParserConfig(&context));
  if (!module) return failure;
  passes::name_program(*module);
  CompileResult result;
  Result<Program> program = Program();
  auto after_phase = [&](ModuleOp m, int number, StringRef phase) -> LogicalResult {
    if (phase == "import") result.notes = passes::image_notes(m);
    if (phase == "place") {
      auto plan = passes::plan_of(m, config.plan);
      if (mlir::failed(plan)) return mlir::failure();
      result.plan = *std::move(plan);
      // With fixed shards, the micro-batches are these shards. The batch does not limit their number.
      for (std::string& note : passes::notes(m, config.shards ? 1 : config.strategy.micro_batches()))
        result.notes.push_back(std::move(note));
      if (config.describe) result.explanations = passes::explain(m, config.devices);
    }
    Status status;
    if (phase == passes::phases().back()) {
      program = passes::emit(m, config.devices);
      if (program && (config.describe || !config.dump_directory.empty()))
        status = mark_devices(m, *program, config.devices);
    }
    if (const std::string& folder = config.dump_directory; !folder.empty()) {
      if (status.ok()) status = write_dump(m, folder, number, phase);
      if (status.ok() && phase == "place") status = write_file(folder + "/plan.txt", plan_text(result.plan));
    }
    if (!status.ok()) {
      failure = status.error();
      said = true;
    }
    return LogicalResult::success(status.ok());
  };
  if (failed(passes::run_phases(*module, config, after_phase))) return failure;
  result.strategy = config.strategy;
  if (auto shares = (*module)->getAttrOfType<DenseF64ArrayAttr>(passes::kShares))
    result.strategy.set_shares(shares.asArrayRef().vec());
  if (config.describe) describe(*module, result);
  if (!config.last_phase.empty() && config.last_phase != passes::phases().back()) return result;
  CUTSET_ASSIGN(result.program, std::move(program));
  CUTSET_TRY(check_queues(result.program));
  set_fingerprint(result.program);
  return result;
}

}  // namespace cutset
