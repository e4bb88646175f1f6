// SPDX-License-Identifier: Apache-2.0
#include "passes/emit/emit.h"

#include "passes/emit/buckets.h"
#include "passes/emit/emit_device.h"
#include "passes/passes.h"
#include "runtime/program/order/implied_waits.h"

using namespace mlir;

namespace cutset::passes {
namespace {

// Adds the input or output `name`. Arguments or results that are shards of the same tensor make one port.
void add_port(Table<Port>& ports, llvm::StringMap<PortId>& numbers, StringAttr name, Type type,
              DictionaryAttr attributes) {
  if (!numbers.try_emplace(name.getValue(), ports.next()).second) return;
  TensorType port = *ir::tensor_type(type);
  const auto number = [&](StringRef of) {
    return attributes ? attributes.getAs<IntegerAttr>(of) : IntegerAttr();
  };
  const auto d = static_cast<size_t>(number(kBatchDimension) ? number(kBatchDimension).getInt() : 0);
  if (auto rows = number(kRows); rows && d < port.shape.size()) port.shape[d] = rows.getInt();
  ports.push_back({name.str(), port});
}

// Returns the function with its name, inputs, outputs and shards.
Function signature_of(func::FuncOp declared, Names& names) {
  Function f;
  f.name = declared.getName().str();
  for (unsigned i = 0; i < declared.getNumArguments(); ++i) {
    add_port(f.inputs, names.inputs, declared.getArgAttrOfType<StringAttr>(i, kInput),
             declared.getArgumentTypes()[i], declared.getArgAttrDict(i));
    if (declared.getArgAttr(i, kStep)) f.inputs.back().feed = Feed::kStep;
    if (auto initial = declared.getArgAttrOfType<FloatAttr>(i, kHyperParameter)) {
      f.inputs.back().feed = Feed::kHyperParameter;
      f.inputs.back().initial = initial.getValueAsDouble();
    }
  }
  for (unsigned i = 0; i < declared.getNumResults(); ++i)
    add_port(f.outputs, names.outputs, declared.getResultAttrOfType<StringAttr>(i, kOutput),
             declared.getResultTypes()[i], declared.getResultAttrDict(i));
  if (auto shards = declared->getAttrOfType<DenseI64ArrayAttr>(kShards))
    f.shards.assign(shards.asArrayRef().begin(), shards.asArrayRef().end());
  return f;
}

// Returns the name of a value, for people: its layer, or the source line of the op that computes it.
std::string name_of_tensor(Location location) {
  const std::string layer = ir::layer_of(location);
  return layer.empty() ? ir::source_of(location) : layer;
}

// Adds the partial sum of `start` to its collective. The first partial sum also sets the type of the
// collective.
void add_partial(Function& f, int32_t device, ir::AllReduceStartOp start, uint64_t alignment) {
  const auto at = static_cast<size_t>(start.getCollective());
  if (f.collectives.size() <= at) f.collectives.resize(at + 1);
  Collective& c = f.collectives[at];
  c.partials.push_back(
      {device, static_cast<int32_t>(start.getShards()[0]), static_cast<int32_t>(start.getShards()[1])});
  if (!c.tensor.empty()) return;
  c.type = bucket_type(ir::tensor_types(start.getValues()), alignment);
  c.tensor = name_of_tensor(start.getLoc());
}

int32_t index_of(const DeviceList& devices, StringRef name) {
  for (size_t i = 0; i < devices.size(); ++i)
    if (devices[i]->name() == name) return static_cast<int32_t>(i);
  return kNone;
}

Variable variable_of(ir::VariableOp op, const DeviceList& devices) {
  Variable variable{op.getSymName().str(), *ir::tensor_type(op.getType())};
  variable.state_of = op.getStateOf().value_or("").str();
  if (auto first = op.getFirst()) variable.first = first->convertToDouble();
  variable.starts_as_owner = op.getStartsAsOwner();
  for (int64_t r = 0; op.home_of(r); ++r) variable.homes.push_back(index_of(devices, op.home_of(r)));
  if (auto pieces = op.getPiecesAttr()) {
    variable.axis = static_cast<int32_t>(pieces[0]);
    variable.pieces = static_cast<int32_t>(pieces[1]);
    variable.piece_unit = pieces[2];
  }
  return variable;
}

// Fails if an input that the session feeds does not have the type of the step or of a hyper-parameter.
Status check_feeds(const Function& f) {
  for (const Port& port : f.inputs) {
    if (port.feed == Feed::kCaller) continue;
    const bool fits = port.feed == Feed::kStep ? port.type == TensorType{DType::i64, {}}
                                               : port.type.rank() == 0 && is_float(port.type.dtype);
    if (!fits)
      return invalid_argument("the session cannot feed input '" + port.name + "' of " + to_string(port.type) +
                              ": a step is an i64 scalar, and a hyper-parameter a floating-point one");
  }
  return {};
}

// Declares the channels and the collectives that the schedules of a function use.
class Transfers {
 public:
  Transfers(const DeviceList& devices, uint64_t alignment) : devices_(devices), alignment_(alignment) {}

  void declare(Function& f, ArrayRef<ir::ScheduleOp> schedules) {
    for (ir::ScheduleOp schedule : schedules) {
      const int32_t device = index_of(devices_, schedule.getDevice());
      for (auto send : schedule.getActions().front().getOps<ir::SendOp>()) add_channel(f, device, send);
      for (auto start : schedule.getActions().front().getOps<ir::AllReduceStartOp>())
        add_partial(f, device, start, alignment_);
    }
    for (Collective& c : f.collectives)
      llvm::sort(c.partials, [](const auto& a, const auto& b) { return a.first < b.first; });
  }

 private:
  void add_channel(Function& f, int32_t device, ir::SendOp send) {
    const auto at = static_cast<size_t>(send.getChannel());
    if (f.channels.size() <= at) f.channels.resize(at + 1);
    std::string& tensor = tensors_[send.getLoc()];
    if (tensor.empty()) tensor = name_of_tensor(send.getLoc());
    f.channels[at] = {device, index_of(devices_, send.getTo()), *ir::tensor_type(send.getValue().getType()),
                      tensor};
  }

  const DeviceList& devices_;
  const uint64_t alignment_;
  // The results of name_of_tensor, by location. All micro-batches of a value have the same location.
  llvm::DenseMap<Location, std::string> tensors_;
};

}  // namespace

Result<Program> emit(ModuleOp module, const DeviceList& devices) {
  Program program;
  uint64_t alignment =
      kLeastBucketAlignment;  // alignments are powers of two, so the largest one suits all devices
  for (const auto& d : devices) {
    program.devices.push_back(d->name());
    alignment = std::max<uint64_t>(alignment, d->info().alignment);
  }
  const SymbolTable symbols(module);
  Names names{symbols, {}, {}, {}, PipelineStages(func::FuncOp())};
  for (auto v : module.getOps<ir::VariableOp>()) {
    names.variables[v.getSymName()] = program.variables.next();
    program.variables.push_back(variable_of(v, devices));
  }
  Transfers transfers(devices, alignment);
  for (auto declared : module.getOps<func::FuncOp>()) {
    if (declared->hasAttr(kRole)) continue;
    names.inputs.clear();
    names.outputs.clear();
    names.stages = PipelineStages(declared);
    Function f = signature_of(declared, names);
    CUTSET_TRY(check_feeds(f));
    for (const auto& d : devices) f.devices.push_back({d->name(), {}, 0, 0, 0});
    SmallVector<ir::ScheduleOp> schedules;
    for (auto schedule : module.getOps<ir::ScheduleOp>())
      if (schedule.getFunction() == f.name) schedules.push_back(schedule);
    transfers.declare(f, schedules);
    for (ir::ScheduleOp schedule : schedules) {
      const int32_t d = index_of(devices, schedule.getDevice());
      const DeviceDescription& device = *devices[static_cast<size_t>(d)];
      CUTSET_TRY(DeviceEmitter({names, program, f, d, device, alignment}).run(schedule));
    }
    drop_implied_waits(f);
    program.functions.push_back(std::move(f));
  }
  return program;
}

}  // namespace cutset::passes
