// The passes' own vocabulary that is not computed by kernels: constants, variables, distribution.
#ifndef CUTSET_STRUCTURAL_TD
#define CUTSET_STRUCTURAL_TD
include "ir/dialect/base.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/CallInterfaces.td"

def Variables : Resource<"::cutset::ir::Variables">;

class Structural<string name, list<Trait> traits = []> : Op<Cutset_Dialect, name, traits>;

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
    A symbol of the module with a type. `home` is the device that holds it, set by `place`. The function
    `@initialize` yields its first value.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<AnyStaticShapeTensor>:$type, OptionalAttr<StrAttr>:$home);
  let assemblyFormat = "$sym_name `:` $type (`home` $home^)? attr-dict";
}

def Cutset_ReadOp : Structural<"read", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "The value of a variable before the step";
  let arguments = (ins FlatSymbolRefAttr:$variable);
  let results = (outs AnyStaticShapeTensor:$value);
  let assemblyFormat = "$variable attr-dict `:` type($value)";
}

def Cutset_AssignOp : Structural<"assign", [MemoryEffects<[MemWrite<Variables>]>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "The value of a variable after the step";
  let description = [{At most one a variable and function; it takes effect when the step commits.}];
  let arguments = (ins FlatSymbolRefAttr:$variable, AnyStaticShapeTensor:$value);
  let assemblyFormat = "$variable `,` $value attr-dict `:` type($value)";
}

def Cutset_ScheduleOp : Structural<"schedule", [Symbol, IsolatedFromAbove, NoTerminator, SingleBlock, NoRegionArguments]> {
  let summary = "What one device does in one function, in order";
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$function, StrAttr:$device);
  let regions = (region SizedRegion<1>:$actions);
  let assemblyFormat = "$sym_name `for` $function `on` $device attr-dict-with-keyword $actions";
}

class Action<string name, list<Trait> traits = []>
    : Structural<name, !listconcat([HasParent<"ScheduleOp">, MemoryEffects<[MemWrite]>], traits)>;

def Cutset_InputOp : Action<"input"> {
  let summary = "Takes an input of the function from the host";
  let arguments = (ins StrAttr:$name);
  let results = (outs AnyStaticShapeTensor:$value);
  let assemblyFormat = "$name attr-dict `:` type($value)";
}
def Cutset_OutputOp : Action<"output"> {
  let summary = "Hands a result of the function to the host";
  let arguments = (ins AnyStaticShapeTensor:$value, StrAttr:$name);
  let assemblyFormat = "$value $name attr-dict `:` type($value)";
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
  let arguments = (ins AnyStaticShapeTensor:$value, StrAttr:$to, I64Attr:$channel);
  let assemblyFormat = "$value `to` $to `channel` $channel attr-dict `:` type($value)";
}
def Cutset_RecvOp : Action<"recv"> {
  let summary = "The tensor that another device sends over a channel";
  let arguments = (ins StrAttr:$from, I64Attr:$channel);
  let results = (outs AnyStaticShapeTensor:$value);
  let assemblyFormat = "`from` $from `channel` $channel attr-dict `:` type($value)";
}
def Cutset_CommitOp : Action<"commit"> {
  let summary = "Nothing after it runs unless every device finished what is before it and the step is sound";
  let assemblyFormat = "attr-dict";
}
#endif
