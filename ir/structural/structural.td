// SPDX-License-Identifier: Apache-2.0
// The ops that have no kernel: constants, variables, and the ops of a partitioned program, which are
// transfers, collectives and schedules. Passes build and interpret them.
#ifndef CUTSET_STRUCTURAL_TD
#define CUTSET_STRUCTURAL_TD
include "ir/dialect/base.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/CallInterfaces.td"

def Variables : Resource<"::cutset::ir::Variables">;

// The trait of ops whose operands and results must be tensors for which ir/core has a type, within its
// limits.
def OurTensors : NativeOpTrait<"OurTensors"> { let cppNamespace = "::cutset::ir"; }
class Structural<string name, list<Trait> traits = []> : Op<Cutset_Dialect, name, !listconcat([OurTensors],
                 traits)>;

def Cutset_ConstantOp : Structural<"constant", [Pure, ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let summary = "A small tensor that is part of the program";
  let description = [{
    A constant has no device: each device that reads it gets a clone. C1: a constant has at most 1024 bytes. A
    larger value belongs in a variable, because MLIR keeps attributes in memory as long as the context exists.
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyStaticShapeTensor:$result);
  let hasFolder = 1;
  let hasVerifier = 1;
  let assemblyFormat = "$value attr-dict";
}

def Cutset_TypeOnlyOp : Structural<"type_only", [Pure]> {
  let summary = "A value of which only the type is used";
  let description = [{
    The passes `split` and `cut` replace `like` operands by `type_only` ops, so that no bytes are transferred
    for the sake of a shape. The op has no device and no buffer in memory.
  }];
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Cutset_VariableOp : Structural<"variable", [Symbol]> {
  let summary = "A tensor that keeps its value from step to step";
  let description = [{
    A variable is a symbol of the module with a type. `homes`, which the pass `place` sets, lists the devices
    that hold the variable: one device per replica. The replicas' copies are bitwise equal after every step.
    `state_of` names the variable whose optimizer state this variable is, and is absent for a variable of the
    user. The optimizer does not train a variable that is `frozen`. `pieces` has three numbers if each copy is
    divided over a tensor axis or the replicas: the dimension, the number of pieces, and the unit of their
    sizes (ir/core/piece.h). Replica r then holds piece r modulo the number of pieces. `divided` is the
    dimension along which the user wants a tensor axis to divide the variable. `first` is the value of each
    element of a state before the first step; it is 0 if it is absent. A state that `starts_as_owner` has the
    first value of its variable instead. C1: there are 1 to 4096 homes. C2: the name of a home is not empty.
    C3: the pieces fit the type. C4: `divided` is a dimension of the type.
  }];
  let hasVerifier = 1;
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<AnyStaticShapeTensor>:$type,
                       OptionalAttr<FlatSymbolRefAttr>:$state_of, OptionalAttr<StrArrayAttr>:$homes,
                                    UnitAttr:$frozen,
                       OptionalAttr<DenseI64ArrayAttr>:$pieces, OptionalAttr<I64Attr>:$divided,
                       OptionalAttr<F64Attr>:$first, UnitAttr:$starts_as_owner);
  let extraClassDeclaration = [{
    // Returns the device that holds the copy of replica `replica`. Null before `place`, and if there is no
    // such replica.
    ::mlir::StringAttr home_of(int64_t replica);
    // Returns the type of the variable, or of its piece, in replica `replica`.
    ::mlir::RankedTensorType type_of(int64_t replica);
    // Whether the variable has the shape of `other`. A state is divided as its variable is if both have the
    // same shape.
    bool has_shape_of(VariableOp other);
  }];
  let assemblyFormat = "$sym_name `:` $type (`state_of` $state_of^)? (`frozen` $frozen^)? (`divided` "
                       "$divided^)? (`first` $first^)? (`starts_as_owner` $starts_as_owner^)? (`home` "
                       "$homes^)? (`pieces` $pieces^)? attr-dict";
}

def Cutset_ReadOp : Structural<"read", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "The value of a variable before the step, read from the copy of replica `replica`";
  let description = [{
    C1: the symbol is a variable. C2: the result has the type of the variable, or of the piece of the replica.
    C4: the replica is from 0 to 4095.
  }];
  let hasVerifier = 1;
  let arguments = (ins FlatSymbolRefAttr:$variable, DefaultValuedAttr<I64Attr, "0">:$replica);
  let results = (outs AnyStaticShapeTensor:$value);
  let assemblyFormat = "$variable (`replica` $replica^)? attr-dict `:` type($value)";
}

def Cutset_AssignOp : Structural<"assign", [MemoryEffects<[MemWrite<Variables>]>,
                                            DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Sets the value of a variable after the step";
  let description = [{
    The assignment takes effect when the step commits. In @graph, the assignment belongs to the function
    `function`, which is @train by default and must train. With the operand `moved_with`, it belongs to each
    function that trains and computes this operand; there may be no such function. A function that gets
    several assignments of a variable makes them one after the other: each reads what the one before it has
    assigned. C1, C2 and C4 are the constraints of `read`. C3: a function other than @graph has at most one
    `assign` per variable and replica.
  }];
  let hasVerifier = 1;
  let arguments = (ins FlatSymbolRefAttr:$variable, AnyStaticShapeTensor:$value,
                       Optional<AnyStaticShapeTensor>:$moved_with, OptionalAttr<StrAttr>:$function,
                       DefaultValuedAttr<I64Attr, "0">:$replica);
  let builders = [OpBuilder<(ins "::mlir::FlatSymbolRefAttr":$variable, "::mlir::Value":$value), [{
    build($_builder, $_state, variable, value, ::mlir::Value(), ::mlir::StringAttr());
  }]>];
  let assemblyFormat = [{
    $variable `,` $value (`replica` $replica^)? (`in` $function^)?
    (`with` $moved_with^ `:` type($moved_with))? attr-dict `:` type($value)
  }];
}

def Cutset_WhenTrainingOp : Structural<"when_training", [Pure, AllTypesMatch<["training", "otherwise",
                                       "value"]>]> {
  let summary = "One value in the function @train, and another one in all other functions";
  let description = [{
    The pass `make-functions` replaces it by one of its operands, so that a function computes only the value
    that it uses.
  }];
  let arguments = (ins AnyStaticShapeTensor:$training, AnyStaticShapeTensor:$otherwise);
  let results = (outs AnyStaticShapeTensor:$value);
  let assemblyFormat = "$training `,` $otherwise attr-dict `:` type($value)";
}

def Cutset_AllReduceOp : Structural<"all_reduce", [Pure, SameOperandsAndResultShape,
                                                   SameOperandsAndResultElementType]> {
  let summary = "The sum of the partial sums of all shards of a batch, for every replica";
  let description = [{
    Operand i is the sum of the leaves `shards[2i]` to `shards[2i + 1] - 1`. A leaf is a shard of the batch,
    or the sum of all micro-batches of a replica if these are added along a chain. Result r is the total for
    replica r. The operands are added along the fixed binary tree over the leaves (ir/core/sum_tree.h), so the
    order of arrival does not change the bits of the sum. C1: `shards` has one range per operand, the ranges
    are not empty, they follow one another without a gap, and their numbers are from 0 to 2^31 - 1.
  }];
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$partials, DenseI64ArrayAttr:$shards);
  let results = (outs Variadic<AnyStaticShapeTensor>:$sums);
  let hasVerifier = 1;
  let assemblyFormat = "$partials `shards` $shards attr-dict `:` type($partials) `->` type($sums)";
}

def Cutset_SumMicroBatchesOp : Structural<"sum_micro_batches", [Pure, SameOperandsAndResultShape,
                                                                 SameOperandsAndResultElementType]> {
  let summary = "The sum of the partial sums of consecutive micro-batches of one replica";
  let description = [{
    The sum is over the micro-batches `first` to `last - 1`. The operands are the partial sums of their
    classes (the function's attribute `cutset.shard_classes`), in ascending order of the classes. The pass
    `cut` makes one addition per micro-batch of it. C1: there is an operand, and 0 <= first < last < 2^31.
  }];
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$partials, I64Attr:$first, I64Attr:$last);
  let results = (outs AnyStaticShapeTensor:$sum);
  let hasVerifier = 1;
  let assemblyFormat = "$partials `shards` $first `to` $last attr-dict `:` type($partials) `->` type($sum)";
}

def Cutset_ScheduleOp : Structural<"schedule", [Symbol, IsolatedFromAbove, NoTerminator, SingleBlock,
                                   NoRegionArguments,
                                                DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "The actions of one device in one function, in order";
  let description = [{
    C1: the name of the device is not empty. C2: the values of the actions are tensors that ir/core has a type
    for, or frames of such tensors.

    The schedule verifies the roles of its calls, because there are many calls of few roles.
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$function, StrAttr:$device);
  let regions = (region SizedRegion<1>:$actions);
  let assemblyFormat = "$sym_name `for` $function `on` $device attr-dict-with-keyword $actions";
}

// An op of a schedule. It has a side effect, so that no pass removes or reorders it. The schedule verifies
// the types of its values. Each value occurs once per micro-batch.
class Action<string name, list<Trait> traits = []>
    : Op<Cutset_Dialect, name, !listconcat([HasParent<"ScheduleOp">, MemoryEffects<[MemWrite]>], traits)>;

def Cutset_InputOp : Action<"input"> {
  let summary = "Receives an input of the function, or its rows from `start` on along `dimension`, from the "
                "host";
  let description = [{ C1: `start` is not negative, and `dimension` is one of the value, or 0. }];
  let hasVerifier = 1;
  let arguments = (ins StrAttr:$name, DefaultValuedAttr<I64Attr, "0">:$start, DefaultValuedAttr<I64Attr,
                       "0">:$dimension);
  let results = (outs AnyStaticShapeTensor:$value);
  let assemblyFormat = "$name (`rows` `from` $start^)? (`along` $dimension^)? attr-dict `:` type($value)";
}
def Cutset_OutputOp : Action<"output"> {
  let summary = "Sends a result of the function, or its rows from `start` on along `dimension`, to the host";
  let description = [{ C1: `start` is not negative, and `dimension` is one of the value, or 0. }];
  let hasVerifier = 1;
  let arguments = (ins AnyStaticShapeTensor:$value, StrAttr:$name, DefaultValuedAttr<I64Attr, "0">:$start,
                       DefaultValuedAttr<I64Attr, "0">:$dimension);
  let assemblyFormat = "$value $name (`rows` `from` $start^)? (`along` $dimension^)? attr-dict `:` "
                       "type($value)";
}
def Cutset_CallOp : Action<"call"> {
  let summary = "Runs a role: a function with the ops of one device in one phase of a step";
  let description = [{
    A role without a `shard` is called once. The calls of one role for several micro-batches name their
    `shard` of the batch, and may run in the same memory. The origin of a result is the origin of the value
    that the role returns, moved from the shard of the first call of the role to the shard of this call. A
    call that adds partial sums names the range of shards `shard` to `end` whose sum it makes.

    An operand or a result is a tensor or a frame, which is a tuple of tensors. A frame has values that one
    role computes for a micro-batch and that the same later calls on this device read. The elements of all
    operands are, in order, the arguments of the role. The elements of all results are, in order, the values
    that the role returns. C1: the range of shards, or the shard, is from 0 to 2^31 - 1 and not empty. C2: the
    elements have the types of the role. C3: a call without a shard has no frame.
  }];
  let hasVerifier = 1;
  let arguments = (ins FlatSymbolRefAttr:$role, Variadic<AnyType>:$arguments, OptionalAttr<I64Attr>:$shard,
                   OptionalAttr<I64Attr>:$end);
  let results = (outs Variadic<AnyType>:$values);
  let assemblyFormat = [{
    $role `(` $arguments `)` (`shard` $shard^ (`to` $end^)?)? attr-dict `:` functional-type($arguments,
        $values)
  }];
  let extraClassDeclaration = [{
    // Returns the operand with argument `number` of the role, and the position of this argument in the
    // operand.
    ::cutset::ir::FrameElement element_of_argument(unsigned number);
    // Returns the number of the value that the role returns as element `element` of result `result`.
    unsigned number_of_element(unsigned result, unsigned element);
  }];
}
def Cutset_UnpackOp : Action<"unpack"> {
  let summary = "Gives the elements of a frame to actions that are no calls of roles with frames";
  let description = [{ C1: the results have the types of the elements. }];
  let hasVerifier = 1;
  let arguments = (ins AnyTuple:$frame);
  let results = (outs Variadic<AnyStaticShapeTensor>:$values);
  let assemblyFormat = "$frame attr-dict `:` type($frame) `->` type($values)";
}
def Cutset_SendOp : Action<"send"> {
  let summary = "Starts a transfer to another device";
  let description = [{
    The op does not wait; the receiver's `recv` of the same channel does. C1: the channel is from 0 to 2^24 -
    1. C2: the name of the device is not empty.
  }];
  let hasVerifier = 1;
  let arguments = (ins AnyStaticShapeTensor:$value, StrAttr:$to, I64Prop:$channel);
  let assemblyFormat = "$value `to` $to `channel` $channel attr-dict `:` type($value)";
}
def Cutset_RecvOp : Action<"recv"> {
  let summary = "Waits for the tensor that another device sends over a channel, and returns it";
  let hasVerifier = 1;
  let arguments = (ins StrAttr:$from, I64Prop:$channel);
  let results = (outs AnyStaticShapeTensor:$value);
  let assemblyFormat = "`from` $from `channel` $channel attr-dict `:` type($value)";
}
def Cutset_AllReduceStartOp : Action<"all_reduce_start"> {
  let summary = "Contributes this device's partial sum of each tensor of a collective";
  let description = [{
    The op does not wait; `all_reduce_wait` of the same collective does. `shards` is the range [first, last)
    of the shards whose sum this device contributes. C1: the collective is from 0 to 2^24 - 1. C3: there is a
    tensor. C4: the range is not empty, and its numbers are from 0 to 2^31 - 1.
  }];
  let hasVerifier = 1;
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$values, I64Attr:$collective,
                       DenseI64ArrayAttr:$shards);
  let assemblyFormat = "$values `collective` $collective `shards` $shards attr-dict `:` type($values)";
}
def Cutset_AllReduceWaitOp : Action<"all_reduce_wait"> {
  let summary = "Waits for the sums of a collective, and returns them";
  let hasVerifier = 1;
  let arguments = (ins I64Attr:$collective);
  let results = (outs Variadic<AnyStaticShapeTensor>:$sums);
  let assemblyFormat = "`collective` $collective attr-dict `:` type($sums)";
}
def Cutset_CommitOp : Action<"commit"> {
  let summary = "Separates the part of a step that computes from the part that updates variables";
  let description = [{
    The actions after a `commit` run only if every device has finished the actions before its own `commit` and
    all flags of all devices are true. A flag is an i1 scalar: true if the operands of the device's updates
    are finite.
  }];
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$flags);
  let assemblyFormat = "($flags^ `:` type($flags))? attr-dict";
}
#endif
