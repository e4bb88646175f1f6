// specialise: other input shapes, or another floating-point type; every result type is inferred again.
//
//   func @graph(%x: tensor<64x8xf32>)            func @graph(%x: tensor<61x8xf32>)
//     %0 = cutset.relu %x : tensor<64x8xf32>  ->   %0 = cutset.relu %x : tensor<61x8xf32>
//
// inputs=image=61x1x28x28;label=61 names inputs and sizes; dtype=f64 turns every f32 into f64.
#include "ir/structural/structural.h"
#include "llvm/ADT/StringSet.h"
#include "passes/passes.h"
#include "passes/support/infer_again.h"

using namespace mlir;

namespace cutset::passes {
namespace {

struct Specialise : ModulePass<Specialise> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Specialise)
  static constexpr const char* kFlag = "specialise";
  static constexpr const char* kSummary = "Infer all types again from other input shapes or another float type";
  Specialise() = default;
  Specialise(const Specialise& o) : ModulePass(o) {}
  Option<std::string> inputs{*this, "inputs", llvm::cl::desc("name=AxBxC, separated by ';'")};
  Option<std::string> dtype{*this, "dtype", llvm::cl::desc("f64: turn every f32 into it")};

  LogicalResult run(ModuleOp module) {
    if (inputs.empty() && dtype.empty()) return success();
    llvm::StringMap<SmallVector<int64_t>> shapes;
    if (failed(parse(module, shapes))) return failure();
    if (dtype == "f64")
      widenVariables(module);
    else if (!dtype.empty())
      return module.emitError() << "specialise: dtype '" << dtype << "' is not f64";
    llvm::StringSet<> used;
    for (auto function : module.getOps<func::FuncOp>())
      if (failed(function_types(function, shapes, used))) return failure();
    if (auto names = module->getAttrOfType<ArrayAttr>(kInputs))  // a function may be without some of the graph's inputs
      for (Attribute name : names) used.insert(cast<StringAttr>(name).getValue());
    for (auto& entry : shapes)
      if (!used.contains(entry.getKey())) return module.emitError() << "no input named '" << entry.getKey() << "'";
    return success();
  }

  LogicalResult parse(ModuleOp module, llvm::StringMap<SmallVector<int64_t>>& shapes) {
    SmallVector<StringRef> items, sizes;
    StringRef(inputs).split(items, ';', -1, false);
    for (StringRef item : items) {
      auto [name, list] = item.split('=');
      sizes.clear();
      list.split(sizes, 'x', -1, false);
      auto& shape = shapes[name];
      for (StringRef size : sizes) {
        int64_t v;
        if (size.getAsInteger(10, v) || v < 0)
          return module.emitError() << "'" << size << "' of input '" << name << "' is not a size";
        shape.push_back(v);
      }
    }
    return success();
  }

  Type widen(Type type) const {
    if (dtype != "f64") return type;
    if (type.isF32()) return Float64Type::get(type.getContext());
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      return RankedTensorType::get(tensor.getShape(), widen(tensor.getElementType()));
    return type;
  }

  void widenVariables(ModuleOp module) const {
    module.walk([&](ir::VariableOp v) { v.setTypeAttr(TypeAttr::get(widen(v.getType()))); });
    module.walk(
        [&](ir::ReadOp r) { r.getValue().setType(cast<RankedTensorType>(widen(Type(r.getValue().getType())))); });
    module.walk([&](ir::TypeOnlyOp t) { t.getResult().setType(cast<RankedTensorType>(widen(Type(t.getType())))); });
    module.walk([&](ir::ConstantOp c) {
      auto values = dyn_cast<DenseFPElementsAttr>(c.getValue());
      if (!values || !values.getElementType().isF32()) return;
      auto wide = values.mapValues(Float64Type::get(c.getContext()), [](const APFloat& v) {
        APFloat d = v;
        bool lossy;
        d.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lossy);
        return d.bitcastToAPInt();
      });
      c.setValueAttr(wide);
      c.getResult().setType(cast<RankedTensorType>(wide.getType()));
    });
    module.walk([&](ir::PlacedOpInterface op) {  // element types that ops carry as attributes
      for (NamedAttribute a : llvm::to_vector(op->getPropertiesAsAttribute()
                                                  ? cast<DictionaryAttr>(op->getPropertiesAsAttribute()).getValue()
                                                  : ArrayRef<NamedAttribute>()))
        if (auto t = dyn_cast<TypeAttr>(a.getValue()))
          op->setInherentAttr(a.getName(), TypeAttr::get(widen(t.getValue())));
    });
  }

  LogicalResult function_types(func::FuncOp function, const llvm::StringMap<SmallVector<int64_t>>& shapes,
                               llvm::StringSet<>& used) const {
    if (function.isExternal()) return success();
    for (auto [i, argument] : llvm::enumerate(function.getArguments())) {
      auto type = cast<RankedTensorType>(widen(argument.getType()));
      if (auto name = function.getArgAttrOfType<StringAttr>(i, kInput); name && shapes.contains(name.getValue())) {
        type = type.clone(shapes.lookup(name.getValue()));
        used.insert(name.getValue());
      }
      argument.setType(type);
    }
    auto walked = function.walk<WalkOrder::PreOrder>([&](InferTypeOpInterface op) {
      return failed(infer_again(op)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (walked.wasInterrupted()) return failure();
    if (!function.isExternal())
      function.setType(FunctionType::get(function.getContext(), function.getBody().getArgumentTypes(),
                                         function.getBody().back().getTerminator()->getOperandTypes()));
    return success();
  }
};

}  // namespace

std::unique_ptr<Pass> createSpecialise(const std::string& inputs, const std::string& dtype) {
  auto pass = std::make_unique<Specialise>();
  pass->inputs = inputs;
  pass->dtype = dtype;
  return pass;
}

}  // namespace cutset::passes
