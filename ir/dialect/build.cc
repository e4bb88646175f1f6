#include "ir/dialect/build.h"

#include "ir/dialect/dialect.h"
#include "ir/structural/structural.h"

using namespace mlir;

namespace cutset::ir {

Operation* Build::op(StringRef name, ValueRange operands, ArrayRef<NamedAttribute> attributes) {
  failed_ |= llvm::is_contained(operands, Value());
  if (failed_) return nullptr;
  OperationState state(loc_, ("cutset." + name).str());
  state.addOperands(operands);
  SmallVector<NamedAttribute> all(attributes);
  all.push_back(builder_.getNamedAttr("placement", convertToAttribute(builder_.getContext(), placement_)));
  DictionaryAttr dictionary = builder_.getDictionaryAttr(all);
  const OpInfo* info = find_op(name);
  if (!info) emitError(loc_) << "there is no op named cutset." << name;
  if (!info || mlir::failed(inferTypes(*info, loc_, operands, dictionary, state.types))) {
    failed_ = true;
    return nullptr;
  }
  state.propertiesAttr = dictionary;
  return builder_.create(state);
}

NamedAttribute Build::attribute(StringRef name, double v) {
  return builder_.getNamedAttr(name, builder_.getF64FloatAttr(v));
}
NamedAttribute Build::attribute(StringRef name, ArrayRef<int64_t> v) {
  return builder_.getNamedAttr(name, builder_.getDenseI64ArrayAttr(v));
}
NamedAttribute Build::attribute(StringRef name, bool v) { return builder_.getNamedAttr(name, builder_.getBoolAttr(v)); }
NamedAttribute Build::attribute(StringRef name, Type v) { return builder_.getNamedAttr(name, TypeAttr::get(v)); }

Value Build::constant(Type element, double v) {
  auto type = RankedTensorType::get({}, element);
  Attribute value = isa<FloatType>(element) ? Attribute(builder_.getFloatAttr(element, v))
                                            : Attribute(builder_.getIntegerAttr(element, static_cast<int64_t>(v)));
  return ConstantOp::create(builder_, loc_, DenseElementsAttr::get(type, value));
}

SmallVector<NamedAttribute> Build::same_attributes(Operation* op) {
  SmallVector<NamedAttribute> list;
  if (auto all = dyn_cast_or_null<DictionaryAttr>(op->getPropertiesAsAttribute()))
    for (NamedAttribute a : all)
      if (a.getName() != "placement") list.push_back(a);
  return list;
}

Value Build::sum_to(Value gradient, Value operand) {
  if (!gradient || gradient.getType() == operand.getType()) return gradient;
  return (*this)("sum_to", {gradient, operand});
}

}  // namespace cutset::ir
