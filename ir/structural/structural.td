// The passes' own vocabulary that is not computed by kernels: constants, variables, distribution.
#ifndef CUTSET_STRUCTURAL_TD
#define CUTSET_STRUCTURAL_TD
include "ir/dialect/base.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/CallInterfaces.td"

def Variables : Resource<"::cutset::ir::Variables">;

// Operands and results are tensors that ir/core has a type for, within its limits.
def OurTensors : NativeOpTrait<"OurTensors"> { let cppNamespace = "::cutset::ir"; }
class Structural<string name, list<Trait> traits = []> : Op<Cutset_Dialect, name, !listconcat([OurTensors], traits)>;

def Cutset_ConstantOp : Structural<"constant", [Pure, ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let summary = "A small tensor that is part of the program";
  let description = [{
    Has no device: each device that reads it gets a clone. Values above 1 KiB belong in variables
    (MLIR keeps attributes for ever): C1.
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyStaticShapeTensor:$result);
  let hasFolder = 1;
  let hasVerifier = 1;
  let assemblyFormat = "$value attr-dict";
}

def Cutset_TypeOnlyOp : Structural<"type_only", [Pure]> {
  let summary = "Stands for an operand that is read for its type only";
  let description = [{Put in place of `like` operands before the graph is cut, so that no bytes move for a shape.}];
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Cutset_VariableOp : Structural<"variable", [Symbol]> {
  let summary = "State that lives from step to step";
  let description = [{
    A symbol of the module with a type. `home` lists the devices that hold it, set by `place`: one a
    replica, whose copies are equal after every step. `state_of` names the variable whose optimizer keeps
    this one as its state; a variable of the user's has none. No optimizer trains one that is `frozen`.
  }];
  let hasVerifier = 1;
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<AnyStaticShapeTensor>:$type, OptionalAttr<FlatSymbolRefAttr>:$state_of, OptionalAttr<StrArrayAttr>:$homes, UnitAttr:$frozen);
  let extraClassDeclaration = [{
    // The device of the copy that replica `share` has; null before `place`.
    ::mlir::StringAttr homeOf(int64_t share);
  }];
  let assemblyFormat = "$sym_name `:` $type (`state_of` $state_of^)? (`frozen` $frozen^)? (`home` $homes^)? attr-dict";
}

def Cutset_ReadOp : Structural<"read", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "The value of a variable before the step, from the copy of replica `share`";
  let hasVerifier = 1;
  let arguments = (ins FlatSymbolRefAttr:$variable, DefaultValuedAttr<I64Attr, "0">:$share);
  let results = (outs AnyStaticShapeTensor:$value);
  let assemblyFormat = "$variable (`share` $share^)? attr-dict `:` type($value)";
}

def Cutset_AssignOp : Structural<"assign", [MemoryEffects<[MemWrite<Variables>]>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "The value of a variable after the step";
  let description = [{At most one a variable, replica and function; it takes effect when the step commits.}];
  let hasVerifier = 1;
  let arguments = (ins FlatSymbolRefAttr:$variable, AnyStaticShapeTensor:$value, DefaultValuedAttr<I64Attr, "0">:$share);
  let assemblyFormat = "$variable `,` $value (`share` $share^)? attr-dict `:` type($value)";
}

def Cutset_AllReduceOp : Structural<"all_reduce", [Pure, SameOperandsAndResultShape, SameOperandsAndResultElementType]> {
  let summary = "The sum of what the shards of a batch computed, for every replica";
  let description = [{
    Operand i is the sum of the shards `shards[2i]` to `shards[2i + 1] - 1`; result r is for replica r. The
    sum is taken along the fixed binary tree over shard numbers that halves a range [a, b) at
    a + (b - a + 1) / 2, so neither the order of arrival nor the number of replicas changes its bits. C1: the
    ranges follow each other without a gap.
  }];
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$parts, DenseI64ArrayAttr:$shards);
  let results = (outs Variadic<AnyStaticShapeTensor>:$sums);
  let hasVerifier = 1;
  let assemblyFormat = "$parts `shards` $shards attr-dict `:` type($parts) `->` type($sums)";
}

def Cutset_ScheduleOp : Structural<"schedule", [Symbol, IsolatedFromAbove, NoTerminator, SingleBlock, NoRegionArguments]> {
  let summary = "What one device does in one function, in order";
  let hasVerifier = 1;
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$function, StrAttr:$device);
  let regions = (region SizedRegion<1>:$actions);
  let assemblyFormat = "$sym_name `for` $function `on` $device attr-dict-with-keyword $actions";
}

class Action<string name, list<Trait> traits = []>
    : Structural<name, !listconcat([HasParent<"ScheduleOp">, MemoryEffects<[MemWrite]>], traits)>;

def Cutset_InputOp : Action<"input"> {
  let summary = "Takes an input of the function, or its rows from `start` on, from the host";
  let hasVerifier = 1;
  let arguments = (ins StrAttr:$name, DefaultValuedAttr<I64Attr, "0">:$start);
  let results = (outs AnyStaticShapeTensor:$value);
  let assemblyFormat = "$name (`rows` `from` $start^)? attr-dict `:` type($value)";
}
def Cutset_OutputOp : Action<"output"> {
  let summary = "Hands a result of the function, or its rows from `start` on, to the host";
  let hasVerifier = 1;
  let arguments = (ins AnyStaticShapeTensor:$value, StrAttr:$name, DefaultValuedAttr<I64Attr, "0">:$start);
  let assemblyFormat = "$value $name (`rows` `from` $start^)? attr-dict `:` type($value)";
}
def Cutset_CallOp : Action<"call", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Runs a role";
  let arguments = (ins FlatSymbolRefAttr:$role, Variadic<AnyStaticShapeTensor>:$arguments);
  let results = (outs Variadic<AnyStaticShapeTensor>:$values);
  let assemblyFormat = "$role `(` $arguments `)` attr-dict `:` functional-type($arguments, $values)";
}
def Cutset_SendOp : Action<"send"> {
  let summary = "Starts a transfer to another device";
  let description = [{Does not wait: the receiver's `recv` of the same channel does.}];
  let hasVerifier = 1;
  let arguments = (ins AnyStaticShapeTensor:$value, StrAttr:$to, I64Attr:$channel);
  let assemblyFormat = "$value `to` $to `channel` $channel attr-dict `:` type($value)";
}
def Cutset_RecvOp : Action<"recv"> {
  let summary = "The tensor that another device sends over a channel";
  let hasVerifier = 1;
  let arguments = (ins StrAttr:$from, I64Attr:$channel);
  let results = (outs AnyStaticShapeTensor:$value);
  let assemblyFormat = "`from` $from `channel` $channel attr-dict `:` type($value)";
}
def Cutset_AllReduceStartOp : Action<"all_reduce_start"> {
  let summary = "Hands this device's part of each tensor of a collective on";
  let description = [{Does not wait: `all_reduce_wait` of the same collective does. `shards` as in `all_reduce`.}];
  let hasVerifier = 1;
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$values, I64Attr:$collective, DenseI64ArrayAttr:$shards);
  let assemblyFormat = "$values `collective` $collective `shards` $shards attr-dict `:` type($values)";
}
def Cutset_AllReduceWaitOp : Action<"all_reduce_wait"> {
  let summary = "The sums of a collective";
  let hasVerifier = 1;
  let arguments = (ins I64Attr:$collective);
  let results = (outs Variadic<AnyStaticShapeTensor>:$sums);
  let assemblyFormat = "`collective` $collective attr-dict `:` type($sums)";
}
def Cutset_CommitOp : Action<"commit"> {
  let summary = "Nothing after it runs unless every device finished what is before it and every flag of every device is true";
  let description = [{The flags, scalars of i1, say that what the updates are about to use is finite.}];
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$flags);
  let assemblyFormat = "($flags^ `:` type($flags))? attr-dict";
}
#endif
