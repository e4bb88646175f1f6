// SPDX-License-Identifier: Apache-2.0
// The dialect, and the base class of the compute ops.
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
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = "void register_attributes();";
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

// The placement of an op is one property, the C++ struct of ir/dialect/placement.h. Common subexpression
// elimination compares properties, so the struct's operator== and hash decide which ops it may merge.
def PlacementProp : Property<"::cutset::ir::Placement", "device, reason, replica and stable id of an op"> {
  let defaultValue = "::cutset::ir::Placement()";
  let hashProperty = "hash_value($_storage)";
  let writeToMlirBytecode = writeMlirBytecodeWithConvertToAttribute;
  let readFromMlirBytecode = readMlirBytecodeUsingConvertFromAttribute;
}

// An attribute that is one of several words: an enum in C++ and C, and the word itself in the text of the IR
// and in program files. New words are appended, because kernels know the words by their index.
class Word<list<string> allowed> : Attr<CPred<"::llvm::isa<::mlir::StringAttr>($_self)">, "a word"> {
  let storageType = "::mlir::StringAttr";
  let returnType = "::llvm::StringRef";
  let convertFromStorage = "$_self.getValue()";
  let constBuilderCall = "$_builder.getStringAttr($0)";
  list<string> words = allowed;
}

// A member of the struct of an optimizer. A number with the name of an operand of the op is a
// hyper-parameter. Any other number, and a flag, has the name of an attribute of the op and sets it. The
// value of a number is at least `least`, and below `below` if this is not empty. The comment of the member in
// C++ is its meaning and its range, which stands before the first ";" of the meaning.
class Member<string kind, string itsName, string itsDefault, string itsMeaning, string itsLeast = "",
             string itsBelow = ""> {
  string type = kind;  // "double" or "bool"
  string member = itsName;
  string value = itsDefault;
  string meaning = itsMeaning;
  string least = itsLeast;
  string below = itsBelow;
  string chosenOp = "";  // an op with the same hyper-parameters, which a true flag chooses; "": none
}
class Number<string itsName, string itsDefault, string itsMeaning, string itsLeast = "0",
             string itsBelow = ""> : Member<"double", itsName, itsDefault, itsMeaning, itsLeast, itsBelow>;
class Decay<string itsName, string itsDefault, string itsMeaning>
    : Number<itsName, itsDefault, itsMeaning, "0", "1">;
class Flag<string itsName, string itsMeaning> : Member<"bool", itsName, "false", itsMeaning>;
class OpFlag<string itsName, string op, string itsMeaning> : Flag<itsName, itsMeaning> {
  let chosenOp = op;
}

// A struct that Graph::minimize takes. Its record has the name of the struct. The build writes the struct,
// its conversion to Optimizer, its name on the command line and its documentation
// (ir/generate/optimizers.py).
// The conversion refuses a number that sets an attribute and is not finite or not in its range.
class OptimizerStruct<string nameOfCommandLine> {
  string optionName = nameOfCommandLine;  // the value of --optimizer
  list<Member> members = [];              // in the order of the struct
  // The comment of the struct, with its line breaks: the paper, the equivalent in PyTorch, and the names of
  // the states. A line that is indented by two spaces is a formula. Formulas write w for the variable, g for
  // its gradient, and t for the number of steps.
  string description = "";
  list<string> attributes = [];  // attributes of the op that no member sets: "decoupled = true"
  bit handwrittenConversion = 0;  // frontends/cpp/graph/optimizers.cc defines the conversion
}

// The base class of the compute ops, which have an op folder and, except for views, kernels. A subclass sets
// `inputs` and `attributes`. TableGen evaluates `arguments` afterwards. So the base class appends the
// placement here, and the .td of an op does not mention it.
//
// An operand is an AnyRankedTensor, Optional<AnyRankedTensor> (it may be left out) or
// Variadic<AnyRankedTensor> (one or more operands). If several operands are optional or variadic, the op has
// the trait AttrSizedOperandSegments, and an assemblyFormat that tells them apart (ir/ops/clip/clip.td). An
// operand that is named `like`, or whose name ends in `_like`, is read for its type only; all operands before
// it are required. The result may be Variadic<AnyRankedTensor>, and is then the only result.
//
// An attribute is an I64Attr, F64Attr, BoolAttr, StrAttr, DenseI64ArrayAttr, DenseF64ArrayAttr, TypeAttr or
// Word, with or without a default (DefaultValuedAttr, and for a StrAttr or a Word DefaultValuedStrAttr).
//
// `summary` begins with a capital letter, so it cannot begin with the name of an operand, and it does not end
// with a full stop. It names the treatment of ties, NaN and rounding where it is not obvious.
class Compute<string name, list<Trait> traits = [], bit isDifferentiable = 1>
    : Op<Cutset_Dialect, name, !listconcat([
        Pure, PlacedOpInterface, DeclareOpInterfaceMethods<CutsetOpInterface>,
        DeclareOpInterfaceMethods<InferTypeOpInterface>], traits)> {
  dag inputs = (ins);
  dag attributes = (ins);
  string family = name;   // ops of one family share infer, shard, cost and the attribute struct
  string shardingRule = "";  // the op whose function `shard` this op has; "": the family has the function
  // The namespace of the generated C++ function that appends the op:
  // - "cutset" for an op that users call;
  // - "cutset::ops" for an op that gradients and passes make, or that a handwritten public function calls;
  // - empty if a handwritten function appends the op itself (frontends/cpp/functional/images/pooling.cc).
  string builderNamespace = "cutset";
  // The attributes that the C++ function takes first by position, in the order of PyTorch or MLX. The other
  // attributes follow in the order of their declaration. "dtype = DType::f32" adds a default that the
  // attribute itself does not have.
  list<string> byPosition = [];
  list<string> ofCompiler = [];  // attributes that passes write, and the C++ function does not take
  // lists of one number per axis of an image, which may be one number for all of them
  list<string> perAxis = [];
  // The C++ function also takes numbers for the operands from this index on; -1: for no operand. Such an op
  // has no attributes and no variadic operand.
  int numbersFrom = -1;
  bit differentiable = isDifferentiable;  // the folder defines `gradient`
  bit structural = 0;     // passes may name the op, because they build it or have a rule for it
  // the result is the memory of the first operand under another shape; the op has no kernel
  bit view = 0;
  // an element depends on its index in the whole tensor; `split` sets attribute first_element
  bit positional = 0;
  // the reference kernel itself converts f16 and bf16, or moves their bits (ir/core/op/reference_run.h)
  bit converts_halves = 0;
  bit roundsAlike = 0;    // part of an update: all replicas compute the same bits (OpInfo::rounds_alike)
  // The first `updates` results overwrite operands 0 to updates - 1 in place. In an optimizer, these operands
  // are the variable and its states, and the folder defines `states` if there are states.
  int updates = 0;
  list<OptimizerStruct> optimizers = [];  // the structs that choose this op
  list<string> constraints = [];  // "C1: ...", "C2: ...": the conditions that infer checks, in this order
  string returns = "";    // the shape and element type of the result, for the documentation
  string example = "";    // one line of IR that the parser accepts, for the documentation
  let arguments = !con(inputs, attributes, (ins PlacementProp:$placement));
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "operands prop-dict custom<Placement>($placement) attr-dict `:` type(operands)";
}
class NotDifferentiable<string name, list<Trait> traits = []> : Compute<name, traits, 0>;
#endif
