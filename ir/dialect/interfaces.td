// What passes may ask of an op. A file of its own: the interface generators emit only what the
// main input file defines.
#ifndef CUTSET_DIALECT_INTERFACES_TD
#define CUTSET_DIALECT_INTERFACES_TD
include "mlir/IR/OpBase.td"

def PlacedOpInterface : OpInterface<"PlacedOpInterface"> {
  let cppNamespace = "::cutset::ir";
  let description = "Has a device, a reason for it, and a stable id.";
  let methods = [InterfaceMethod<"", "::cutset::ir::Placement &", "placement", (ins), "",
                                 "return $_op.getProperties().placement;">];
  let verify = [{ return ::cutset::ir::verifyPlacement($_op, llvm::cast<PlacedOpInterface>($_op).placement()); }];
}

def CutsetOpInterface : OpInterface<"CutsetOpInterface"> {
  let cppNamespace = "::cutset::ir";
  let description = "Computes tensors from tensors by the pure rules of its room.";
  let methods = [
    StaticInterfaceMethod<"The rules: infer, shard, cost, reference, cases.", "const ::cutset::OpInfo &", "opInfo">,
  ];
}

def DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let cppNamespace = "::cutset::ir";
  let description = "Knows the gradients of its operands.";
  let methods = [
    InterfaceMethod<[{Builds the gradient of each operand from those of the results (null: the result is not
      differentiated). Leaves an entry null where the operand has no gradient.}],
      "void", "gradient", (ins "::cutset::ir::Build &":$build, "::mlir::ValueRange":$gradients,
                               "::llvm::MutableArrayRef<::mlir::Value>":$into)>,
  ];
}
#endif
