// The dialect, and the base class of every compute op: nothing an op's own .td says mentions placement.
#ifndef CUTSET_DIALECT_BASE_TD
#define CUTSET_DIALECT_BASE_TD
include "mlir/IR/OpBase.td"
include "mlir/IR/Properties.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "ir/dialect/interfaces.td"

def Cutset_Dialect : Dialect {
  let name = "cutset";
  let cppNamespace = "::cutset::ir";
  let summary = "Dataflow graphs for machine learning, and their partition over devices.";
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

// One C++ struct, one property: its operator== and hash decide what CSE may merge.
def PlacementProp : Property<"::cutset::ir::Placement", "where, why, how much, when, who"> {
  let defaultValue = "::cutset::ir::Placement()";
  let hashProperty = "hash_value($_storage)";
  let writeToMlirBytecode = writeMlirBytecodeWithConvertToAttribute;
  let readFromMlirBytecode = readMlirBytecodeUsingConvertFromAttribute;
}

// An op of a room. `operands` and `attributes` are set by the op; fields resolve late, so the base
// adds the property. An operand named `like` (or ending in _like) is read for its type only.
class Compute<string name, list<Trait> traits = [], bit isDifferentiable = 1>
    : Op<Cutset_Dialect, name, !listconcat([
        Pure, PlacedOpInterface, DeclareOpInterfaceMethods<CutsetOpInterface>,
        DeclareOpInterfaceMethods<InferTypeOpInterface>],
        !if(isDifferentiable, [DeclareOpInterfaceMethods<DifferentiableOpInterface>], []), traits)> {
  dag inputs = (ins);
  dag attributes = (ins);
  string family = name;     // shares infer, shard, cost and the attribute struct with its family
  bit differentiable = isDifferentiable;
  bit structural = 0;       // passes may speak of it by name
  bit sums = 1;           // the parts of a split reduction add up to the whole; max and its like: 0
  bit view = 0;             // the result is the first operand's memory under another shape
  bit positional = 0;       // the numbers depend on the place in the whole tensor: `split` sets first_element
  int updates = 0;          // so many results replace the operand of the same number, in place
  list<string> constraints = [];   // C1, C2, ...: what infer checks, in order
  string example = "";
  let arguments = !con(inputs, attributes, (ins PlacementProp:$placement));
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "operands prop-dict custom<Placement>($placement) attr-dict `:` type(operands)";
}
class NotDifferentiable<string name, list<Trait> traits = []> : Compute<name, traits, 0>;
#endif
