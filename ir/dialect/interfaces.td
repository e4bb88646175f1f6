// SPDX-License-Identifier: Apache-2.0
// The interfaces through which passes see an op. They are in a separate file, because mlir-tblgen emits only
// the interfaces that its main input file defines.
#ifndef CUTSET_DIALECT_INTERFACES_TD
#define CUTSET_DIALECT_INTERFACES_TD
include "mlir/IR/OpBase.td"

def PlacedOpInterface : OpInterface<"PlacedOpInterface"> {
  let cppNamespace = "::cutset::ir";
  let description = "An op with a placement: a device, the reason for it, a replica and a stable id.";
  let methods = [InterfaceMethod<"", "::cutset::ir::Placement &", "placement", (ins), "",
                                 "return $_op.getProperties().placement;">];
  let verify = [{ return ::cutset::ir::verify_placement($_op,
                llvm::cast<PlacedOpInterface>($_op).placement()); }];
}

def CutsetOpInterface : OpInterface<"CutsetOpInterface"> {
  let cppNamespace = "::cutset::ir";
  let description = "A compute op: its results depend on its operands and attributes alone.";
  let methods = [
    StaticInterfaceMethod<"The description of the op, with the functions of its op folder.",
      "const ::cutset::OpInfo &", "op_info">,
    InterfaceMethod<"The attributes that the rules read, in the order of their names.",
      "::cutset::Result<::cutset::Attributes>", "read_attributes">,
  ];
}

def FusableOpInterface : OpInterface<"FusableOpInterface"> {
  let cppNamespace = "::cutset::ir";
  let description = "An op that can be computed together with the op that reads its result.";
  let methods = [
    InterfaceMethod<[{
      Builds one op whose result is the result of `user`,
          which is the only op that reads the result of this op. Returns
      the result of the new op, or null, without having built an op, if no op computes both.}],
      "::mlir::Value", "fuse", (ins "::cutset::ir::PlacedBuilder &":$build, "::mlir::Operation *":$user)>,
  ];
}
#endif
