// SPDX-License-Identifier: Apache-2.0
// The MLIR dialect `cutset`: its interfaces, the conversion between types and attributes of MLIR and of
// ir/core, and the functions with which passes read locations.
#pragma once
#include "ir/core/op/op_info.h"
#include "ir/dialect/placed_builder.h"
#include "ir/dialect/placement.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

// Generated code, which needs the headers above.
#include "ir/dialect/dialect.h.inc"
#include "ir/dialect/interfaces.h.inc"

namespace cutset::ir {

// Registers the MLIR classes of a folder of an op library (ir/core/op/op_library.h) with each dialect that is
// made later. The loader makes these objects, one after the other, when it loads the compiler's part of the
// library. No context exists at that time.
using RegisterOps = void(mlir::Dialect& dialect);
struct OpFolderRegistration {
  explicit OpFolderRegistration(RegisterOps* register_ops);
};

// Convert types and attributes. Fail, naming the type or attribute, if ir/core has no counterpart. The
// placement is not converted.
Result<TensorType> tensor_type(mlir::Type type);
// Returns the types of values of verified IR. The conversion of these types cannot fail.
Types tensor_types(mlir::ValueRange values);
mlir::RankedTensorType mlir_type(mlir::MLIRContext* context, const TensorType& type);
mlir::Type element_type(mlir::MLIRContext* context, DType type);
Result<Attributes> attributes_of(mlir::DictionaryAttr inherent);  // an empty list if `inherent` is null
// Appends an attribute unless it is null. Fails, naming the attribute, if no op takes attributes of its kind.
Status add_attribute(Attributes& list, llvm::StringRef name, mlir::Attribute value);
mlir::DictionaryAttr mlir_attributes(mlir::MLIRContext* context, const Attributes& attributes);

// Return the attributes of a compute op of verified IR, as a list and as the flat struct that its rules read.
Attributes attributes_of(mlir::Operation* op);
FlatAttrs flat_attributes(mlir::Operation* op);

// Whether the op is the compute op `name`, which is written without "cutset.".
bool is_op(mlir::Operation* op, llvm::StringRef name);

// Infers the types of the results of an op with the `infer` of its op folder. Every generated
// inferReturnTypes calls this function. If the function fails, it emits the error message as a diagnostic at
// `loc`.
mlir::LogicalResult infer_types(const OpInfo& info, std::optional<mlir::Location> loc,
                                mlir::ValueRange operands, Result<Attributes> attributes,
                                llvm::SmallVectorImpl<mlir::Type>& results);

// Returns the line of the user's program that made an op, as "file.cc:12", from the op's location. Returns an
// empty text if the location has no line.
std::string source_of(mlir::Location loc);
// Returns the layer of an op, such as "conv1": the name scope of the user in the op's location. Returns an
// empty text if there is none.
std::string layer_of(mlir::Location loc);

}  // namespace cutset::ir
