// SPDX-License-Identifier: Apache-2.0
// specialise: infers all types again, for other input shapes or for f64.
//
//   func @graph(%x: tensor<64x8xf32>)            func @graph(%x: tensor<61x8xf32>)
//     %0 = cutset.relu %x : tensor<64x8xf32>  ->   %0 = cutset.relu %x : tensor<61x8xf32>
//     return %0 : tensor<64x8xf32>                 return %0 : tensor<61x8xf32>
//
// CompileConfig::input_shapes names the inputs that get another shape. With CompileConfig::dtype f64, every
// f32 of the module becomes f64. Variables of 16-bit floats keep their type, and so do their averages and the
// type in which their updates are computed.
#include "ir/core/op/update_rules.h"
#include "ir/structural/structural.h"
#include "llvm/ADT/StringSet.h"
#include "passes/passes.h"
#include "passes/support/rewriting.h"

using namespace mlir;

namespace cutset::passes {

#define GEN_PASS_DEF_SPECIALISE
#include "passes/passes.h.inc"

namespace {

struct Specialise : ModulePass<Specialise, impl::SpecialiseBase> {
  using ModulePass::ModulePass;

  bool to_f64() const { return config.dtype == DType::f64; }

  LogicalResult run(ModuleOp module) {
    if (config.input_shapes.empty() && !to_f64()) return success();
    if (to_f64()) widen_ops(module);
    llvm::StringSet<> used;
    for (auto function : module.getOps<func::FuncOp>())
      if (failed(specialise(function, used))) return failure();
    if (auto names =
            module->getAttrOfType<ArrayAttr>(kInputs))  // inputs that no function needs are also known
      for (Attribute name : names) used.insert(cast<StringAttr>(name).getValue());
    for (const auto& [name, shape] : config.input_shapes)
      if (!used.contains(name)) return module.emitError() << "no input named '" << name << "'";
    return success();
  }

  // Returns the type with f64 in place of f32, if the module becomes f64.
  Type widen(Type type) const {
    if (!to_f64()) return type;
    if (type.isF32()) return Float64Type::get(type.getContext());
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      return RankedTensorType::get(tensor.getShape(), widen(tensor.getElementType()));
    return type;
  }

  // Widens variables, reads, type_only ops, constants, and the element types among the attributes of ops.
  void widen_ops(ModuleOp module) const {
    const SymbolTable symbols(module);
    for (auto v : module.getOps<ir::VariableOp>()) {
      auto owner = v.getStateOf() ? symbols.lookup<ir::VariableOp>(*v.getStateOf()) : nullptr;
      const auto owner_type =
          owner ? ir::tensor_type(owner.getType()) : Result<TensorType>(TensorType{DType::f32, {}});
      if (owner_type && update_type(owner_type->dtype) == owner_type->dtype)
        v.setTypeAttr(TypeAttr::get(widen(v.getType())));
    }
    module.walk([&](ir::ReadOp r) {
      if (auto v = symbols.lookup<ir::VariableOp>(r.getVariable()))
        r.getValue().setType(cast<RankedTensorType>(v.getType()));
    });
    module.walk(
        [&](ir::TypeOnlyOp t) { t.getResult().setType(cast<RankedTensorType>(widen(Type(t.getType())))); });
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
    module.walk([&](ir::PlacedOpInterface op) {  // element types among the attributes
      for (NamedAttribute a :
           llvm::to_vector(op->getPropertiesAsAttribute()
                               ? cast<DictionaryAttr>(op->getPropertiesAsAttribute()).getValue()
                               : ArrayRef<NamedAttribute>()))
        if (auto t = dyn_cast<TypeAttr>(a.getValue()))
          op->setInherentAttr(a.getName(), TypeAttr::get(widen(t.getValue())));
    });
  }

  // Changes the types of the arguments, and infers all other types of the function again.
  LogicalResult specialise(func::FuncOp function, llvm::StringSet<>& used) const {
    if (function.isExternal()) return success();
    for (auto [i, argument] : llvm::enumerate(function.getArguments())) {
      auto type = cast<RankedTensorType>(widen(argument.getType()));
      auto name = function.getArgAttrOfType<StringAttr>(i, kInput);
      if (auto shape = name ? config.input_shapes.find(name.str()) : config.input_shapes.end();
          shape != config.input_shapes.end()) {
        type = type.clone(ArrayRef<int64_t>(shape->second));
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

std::unique_ptr<Pass> create_specialise(const CompileConfig& config) {
  return std::make_unique<Specialise>(config);
}

}  // namespace cutset::passes
