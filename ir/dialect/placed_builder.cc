// SPDX-License-Identifier: Apache-2.0
#include "ir/dialect/placed_builder.h"

#include "ir/dialect/dialect.h"
#include "ir/structural/structural.h"

using namespace mlir;

namespace cutset::ir {

Operation* PlacedBuilder::op(StringRef name, ValueRange operands, ArrayRef<NamedAttribute> attributes) {
  failed_ |= llvm::is_contained(operands, Value());
  if (failed_) return nullptr;
  OperationState state(loc_, ("cutset." + name).str());
  state.addOperands(operands);
  DictionaryAttr dictionary = builder_.getDictionaryAttr(attributes);
  const OpInfo* info = find_op(name);
  if (!info) emitError(loc_) << "there is no op named cutset." << name;
  if (!info || mlir::failed(infer_types(*info, loc_, operands, attributes_of(dictionary), state.types))) {
    failed_ = true;
    return nullptr;
  }
  state.propertiesAttr = dictionary;
  Operation* made = builder_.create(state);
  cast<PlacedOpInterface>(made).placement() = placement_;
  return made;
}

NamedAttribute PlacedBuilder::attribute(StringRef name, double v) {
  return builder_.getNamedAttr(name, builder_.getF64FloatAttr(v));
}
NamedAttribute PlacedBuilder::attribute(StringRef name, ArrayRef<int64_t> v) {
  return builder_.getNamedAttr(name, builder_.getDenseI64ArrayAttr(v));
}
NamedAttribute PlacedBuilder::attribute(StringRef name, bool v) {
  return builder_.getNamedAttr(name, builder_.getBoolAttr(v));
}
NamedAttribute PlacedBuilder::attribute(StringRef name, Type v) {
  return builder_.getNamedAttr(name, TypeAttr::get(v));
}

Value PlacedBuilder::constant(Type element, double v) {
  auto type = RankedTensorType::get({}, element);
  Attribute value = isa<FloatType>(element)
                        ? Attribute(builder_.getFloatAttr(element, v))
                        : Attribute(builder_.getIntegerAttr(element, static_cast<int64_t>(v)));
  return ConstantOp::create(builder_, loc_, DenseElementsAttr::get(type, value));
}

SmallVector<NamedAttribute> PlacedBuilder::same_attributes(Operation* op) {
  return llvm::to_vector(mlir_attributes(op->getContext(), attributes_of(op)).getValue());
}

}  // namespace cutset::ir
