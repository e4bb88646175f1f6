// lower: each op gets the kernel that runs it, and the reasons of those that refused.
//
//   %0 = cutset.count %t on "cpu:0"              %0 = cutset.constant dense<64.0>
//   %1 = cutset.relu %x on "cpu:0"         ->    %1 = cutset.relu %x on "cpu:0" {cutset.kernel = "relu.onednn"}
//
// An op of constants and types alone is computed now, by its reference loop.
#include "ir/structural/structural.h"
#include "passes/passes.h"
#include "passes/split/meaning.h"
#include "passes/support/erase_dead.h"

using namespace mlir;

namespace cutset::passes {
namespace {

struct Lower : ModulePass<Lower> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Lower)
  static constexpr const char* kFlag = "lower";
  static constexpr const char* kSummary = "Fold what is constant, choose kernels";
  Lower() = default;
  Lower(const Lower& o) : ModulePass(o), options(o.options) {}
  Option<std::string> names{*this, "devices", llvm::cl::desc("cpu:0,opencl:0")};
  DeviceOptions options;

  LogicalResult run(ModuleOp module) {
    if (!names.empty()) options.devices = names, options.describe_only = true;
    auto devices = describe_devices(options);
    if (!devices) return module.emitError() << devices.error().text();
    for (auto role : module.getOps<func::FuncOp>()) {
      if (!role->hasAttr("cutset.role")) continue;
      if (role.isExternal()) return role.emitError() << "the role @" << role.getName() << " has no body";
      for (auto op : llvm::to_vector(role.getOps<ir::PlacedOpInterface>())) fold(op);
      erase_dead(role.getBody().front());
      for (auto op : role.getOps<ir::PlacedOpInterface>())
        if (failed(choose(op, *devices))) return failure();
    }
    return success();
  }

  static void fold(ir::PlacedOpInterface op) {
    const OpInfo& info = cast<ir::CutsetOpInterface>(*op).opInfo();
    if (op->getNumResults() != 1 || op->getNumOperands() == 0) return;
    const TensorType out = *ir::tensorType(op->getResult(0).getType());
    if (!foldable(out)) return;
    const Types in = ir::tensorTypes(op->getOperands());
    std::vector<TensorView> operands;
    std::vector<std::vector<char>> held;
    for (auto [i, v] : llvm::enumerate(op->getOperands())) {
      void* data = nullptr;
      if (auto constant = v.getDefiningOp<ir::ConstantOp>()) {
        auto value = dyn_cast<DenseElementsAttr>(constant.getValue());
        if (!value || in[i].dtype == DType::i1) return;
        auto raw = value.getRawData();
        auto& bytes = held.emplace_back(static_cast<size_t>(in[i].bytes()));
        for (size_t b = 0; b < bytes.size(); ++b) bytes[b] = raw[b % raw.size()];  // a splat holds one element
        data = bytes.data();
      } else if (!isa_and_nonnull<ir::TypeOnlyOp>(v.getDefiningOp()) || !info.reads_type_only(i)) {
        return;
      }
      operands.emplace_back(data, in[i]);
    }
    std::vector<char> bytes(static_cast<size_t>(out.bytes()));
    const TensorView result(bytes.data(), out);
    if (!info.reference(ir::flatAttributes(op).data(), operands, {&result, 1}).ok()) return;
    OpBuilder b(op);
    auto value = DenseElementsAttr::getFromRawBuffer(cast<ShapedType>(op->getResult(0).getType()), bytes);
    auto constant = ir::ConstantOp::create(b, op->getLoc(), value);
    if (Attribute meaning = op->getDiscardableAttr(kMeaning)) constant->setDiscardableAttr(kMeaning, meaning);
    op->getResult(0).replaceAllUsesWith(constant);
  }

  static LogicalResult choose(ir::PlacedOpInterface op, const DeviceList& devices) {
    const OpInfo& info = cast<ir::CutsetOpInterface>(*op).opInfo();
    if (info.view) return success();
    if (!op.placement().device) return op->emitOpError("has no device: it must be placed first");
    for (const auto& device : devices) {
      if (device->name() != op.placement().device.getValue()) continue;
      auto choice = device->choose(info, ir::flatAttributes(op).data(), ir::tensorTypes(op->getOperands()),
                                   ir::tensorTypes(op->getResults()));
      if (!choice) return op->emitOpError() << choice.error().what;
      Builder b(op->getContext());
      op->setDiscardableAttr(kKernel, b.getStringAttr(choice->kernel->name));
      SmallVector<StringRef> refusals(choice->refusals.begin(), choice->refusals.end());
      if (!refusals.empty()) op->setDiscardableAttr(kRefused, b.getStrArrayAttr(refusals));
      return success();
    }
    return op->emitOpError() << "is on " << op.placement().device << ", which is not among the devices";
  }
};

}  // namespace

std::unique_ptr<Pass> createLower(const DeviceOptions& devices) {
  auto pass = std::make_unique<Lower>();
  pass->options = devices;
  return pass;
}

}  // namespace cutset::passes
