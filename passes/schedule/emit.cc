#include "passes/schedule/emit.h"

#include "llvm/Support/xxhash.h"
#include "passes/passes.h"
#include "passes/schedule/emit_device.h"

using namespace mlir;

namespace cutset::passes {
namespace {

Function signature(func::FuncOp declared) {
  Function f;
  f.name = declared.getName().str();
  for (unsigned i = 0; i < declared.getNumArguments(); ++i)
    f.inputs.push_back(
        {declared.getArgAttrOfType<StringAttr>(i, kInput).str(), *ir::tensorType(declared.getArgumentTypes()[i])});
  for (unsigned i = 0; i < declared.getNumResults(); ++i)
    f.outputs.push_back(
        {declared.getResultAttrOfType<StringAttr>(i, kOutput).str(), *ir::tensorType(declared.getResultTypes()[i])});
  return f;
}

}  // namespace

Result<Program> emit(ModuleOp module, const DeviceList& devices) {
  Program program;
  std::string text;
  llvm::raw_string_ostream(text) << module;
  program.fingerprint = llvm::xxh3_64bits(text);
  auto index_of = [&](StringRef name) {
    for (size_t i = 0; i < devices.size(); ++i)
      if (devices[i]->name() == name) return static_cast<int32_t>(i);
    return kNone;
  };
  for (const auto& d : devices) program.devices.push_back(d->name());
  for (auto v : module.getOps<ir::VariableOp>())
    program.variables.push_back(
        {v.getSymName().str(), *ir::tensorType(v.getType()), index_of(v.getHome().value_or(""))});
  for (auto declared : module.getOps<func::FuncOp>()) {
    if (declared->hasAttr("cutset.role")) continue;
    Function f = signature(declared);
    for (const auto& d : devices) f.devices.push_back({d->name(), {}, 0, 0, 0});
    for (auto schedule : module.getOps<ir::ScheduleOp>()) {
      if (schedule.getFunction() != f.name) continue;
      schedule.walk([&](ir::SendOp send) {
        const auto at = static_cast<size_t>(send.getChannel());
        if (f.channels.size() <= at) f.channels.resize(at + 1);
        const std::string scope = ir::scopeOf(send.getLoc());
        f.channels[at] = {index_of(schedule.getDevice()), index_of(send.getTo()),
                          *ir::tensorType(send.getValue().getType()),
                          scope.empty() ? ir::sourceOf(send.getLoc()) : scope};
      });
    }
    for (auto schedule : module.getOps<ir::ScheduleOp>()) {
      if (schedule.getFunction() != f.name) continue;
      const int32_t d = index_of(schedule.getDevice());
      CUTSET_TRY(DeviceEmitter(program, f, d, *devices[static_cast<size_t>(d)]).run(schedule));
    }
    program.functions.push_back(std::move(f));
  }
  return program;
}

}  // namespace cutset::passes
