// The dialect `cutset`, its interfaces, and the way from MLIR's types and attributes to ours.
#pragma once
#include "ir/core/op_info.h"
#include "ir/dialect/build.h"
#include "ir/dialect/dialect.h.inc"
#include "ir/dialect/interfaces.h.inc"
#include "ir/dialect/placement.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace cutset::ir {

// Types and attributes, both ways. A type that has no counterpart is an error naming it.
Result<TensorType> tensorType(mlir::Type type);
Types tensorTypes(mlir::ValueRange values);  // of verified IR: cannot fail
mlir::RankedTensorType mlirType(mlir::MLIRContext* context, const TensorType& type);
mlir::Type elementType(mlir::MLIRContext* context, DType type);
Result<Attributes> attributesOf(mlir::DictionaryAttr inherent);
mlir::DictionaryAttr mlirAttributes(mlir::MLIRContext* context, const Attributes& attributes);

// The inherent attributes of `op` as our list, and packed for its rules.
Attributes attributesOf(mlir::Operation* op);
FlatAttrs flatAttributes(mlir::Operation* op);

// What every generated inferReturnTypes calls: the rule's text becomes a diagnostic at the op.
mlir::LogicalResult inferTypes(const OpInfo& info, std::optional<mlir::Location> loc, mlir::ValueRange operands,
                               mlir::Attribute inherent, llvm::SmallVectorImpl<mlir::Type>& results);

// "file:line" of the user, and the name scope ("conv1"), from an op's location.
std::string sourceOf(mlir::Location loc);
std::string scopeOf(mlir::Location loc);

}  // namespace cutset::ir
