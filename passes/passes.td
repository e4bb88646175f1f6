// SPDX-License-Identifier: Apache-2.0
// The passes in the order in which they run: the flag, the summary and the description of each.
//
// mlir-tblgen makes the base classes of the passes (passes/passes.h.inc, see passes/passes.h) and the page
// docs/generated/passes.md from this file. passes/generate.py makes the declarations of the functions that
// create the passes. The IR before and after a pass is at the head of its source file.
#ifndef CUTSET_PASSES
#define CUTSET_PASSES

include "mlir/Pass/PassBase.td"

class Cutset_Pass<string flag> : Pass<flag, "mlir::ModuleOp"> {
  let dependentDialects = ["cutset::ir::CutsetDialect", "mlir::func::FuncDialect"];
  // Every pass is constructed with a CompileConfig (passes/passes.h), so MLIR must not generate a constructor
  // function.
  let constructor = "nullptr";
}

def MakeFunctions : Cutset_Pass<"make-functions"> {
  let summary = "makes @train, @evaluate and the functions of the user from @graph";
  let description = [{
    Each function gets the ops and the inputs that its results need. A function trains if one of its results
    has the attribute `cutset.minimize`, and only such functions have assignments. A result without the name
    of a function belongs to `@train`, if one of them has this attribute; it also belongs to `@evaluate`
    unless the graph has results for `@evaluate`. Every op gets an id first, so an op has the same id, and
    therefore the same device, in all functions. If the configuration names a function, only this function is
    made.
  }];
}

def Specialise : Cutset_Pass<"specialise"> {
  let summary = "infers all types again for other input shapes or for f64";
  let description = [{
    The configuration names the inputs that get another shape. With the element type f64, every f32 of the
    module becomes f64, variables and constants included. An op whose operands no longer fit is an error.
  }];
}

def Canonicalise : Cutset_Pass<"canonicalise"> {
  let summary = "applies the folds and the rewrite patterns of the ops until nothing changes";
  let description = [{
    A new op gets the device, the id and the reason of the op that it replaces. Equal constants are not
    merged, because they may belong to different devices.
  }];
}

def Cse : Cutset_Pass<"cse"> {
  let summary = "merges equal ops on the same device";
  let description = [{
    This is MLIR's common subexpression elimination. Ops on different devices are not merged. The id of the
    first op survives, and so does the pin of a user.
  }];
}

def Differentiate : Cutset_Pass<"differentiate"> {
  let summary = "adds gradients and the updates of optimizers to the functions that train";
  let description = [{
    This is reverse-mode differentiation: the ops are visited from the last to the first, and the rule of each
    op builds its gradient. A backward op has the placement and the id of its forward op. The sum of the
    gradients of a variable has the id of the update, so `place` puts both on the home of the variable. The
    attribute `cutset.minimize` of the loss names the update op. Its hyper-parameters become scalar arguments
    of the function, which the session feeds. Afterwards, in all functions, a view with the type of its
    operand is replaced by its operand.
  }];
}

def Shard : Cutset_Pass<"shard"> {
  let summary = "divides operands over the devices of a tensor axis";
  let description = [{
    Every op is copied once per device of the axis. A copy computes a piece or a partial sum of the results if
    the op is divided along a factor of its sharding rule, and the whole results otherwise. The pass chooses
    the factors and the pieces of the variables so that the estimated time of a step is minimal. Where the
    forms of neighbouring ops differ, it inserts an `all_reduce`, or `slice`, `concat` and `add_n` ops whose
    edges between devices become transfers: all_gather, reduce_scatter or all_to_all. The batch is not divided
    along this axis. The copies of forward ops, and the ops that make forms of their values, have the mark
    `cutset.forward`.
  }];
}

def Split : Cutset_Pass<"split"> {
  let summary = "divides the batch over replicas and shards";
  let description = [{
    One dimension of each input is the batch. Its samples are divided into shards. Each shard is computed by
    the replica to which it belongs, and the shards of one replica run one after the other. The sharding rules
    of the ops say which values have rows of the batch and which are partial sums. Partial sums are added
    along a fixed tree: within a replica by `add_n`, and across replicas by `all_reduce`. One shard per
    replica is data parallelism. Several shards per replica are micro-batches if the strategy has a pipeline:
    ops are then copied once per class of shards of equal size, and `cutset.sum_micro_batches` adds their
    partial sums. With `data(n, shard=...)`, each replica reads, updates and keeps one piece of every trained
    variable; the pieces are joined where another op reads the variable. With `shard=parameters`, every reader
    has a join of its own, which begins a role.
  }];
}

def Place : Cutset_Pass<"place"> {
  let summary = "gives every op a device and a reason, and every variable a home";
  let description = [{
    A pin of the user comes first, then a plan, then the strategy. Each replica has its own group of devices.
    The strategies `model` and `pipeline` split the chain of ops over the devices of the replica, so that the
    busiest device has the least work. The copies of an op on a tensor axis are in the same stage. In each
    replica, the home of a variable is the device of the first op that reads it, and the update of the
    variable runs at its home.
  }];
}

def Recompute : Cutset_Pass<"recompute"> {
  let summary = "computes the activations of the stages of a pipeline again for the backward pass";
  let description = [{
    With `pipeline(..., recompute=true)`, or on the stages that `recompute=0:2` lists, the backward ops of a
    stage read copies of its forward ops, which `cut` puts into the backward role. So such a stage keeps its
    inputs for each micro-batch, and not its activations. The devices of a tensor axis compute the activations
    of their stage again together.
  }];
}

def Cut : Cutset_Pass<"cut"> {
  let summary = "divides each function into roles and schedules, with send and recv at the cut edges";
  let description = [{
    A role is a function with the ops of one device in one phase of a step. A schedule lists the actions of
    one device: inputs, calls of roles, transfers, the commit and outputs. A value is sent once to each device
    that reads it. An `all_reduce` becomes a start after each role that computes a partial sum, and a wait
    before each role that reads the sum. An operand that is read only for its type is not transferred; it
    becomes a `cutset.type_only`.
  }];
}

def BucketAllReduces : Cutset_Pass<"bucket-all-reduces"> {
  let summary = "merges the all-reduces of gradients into buckets";
  let description = [{
    A sum is merged only if nothing but updates and the finite check reads it. A bucket is filled in the order
    in which the backward ops make the gradients, and it is closed when it holds `bucket_bytes` bytes. The
    first buckets are therefore summed while the remaining backward ops run.
  }];
}

def Fuse : Cutset_Pass<"fuse"> {
  let summary = "joins an op with the op that reads its result, where the device computes both in one kernel";
  let description = [{
    Examples are a matrix product with the bias that is added to it, and a convolution with relu. Two ops are
    joined only if no other op reads the first one's result, if both are in one role, and if the first kernel
    of the device for the fused op supports it and is not a reference kernel.
  }];
}

def Lower : Cutset_Pass<"lower"> {
  let summary = "folds constants and chooses the kernel of every op";
  let description = [{
    An op is folded by its reference kernel if each operand is a constant or is read only for its type, and if
    its only result has at most 1024 bytes. Every other op gets the first kernel of its device that accepts
    it. The reasons why earlier kernels refused the op are recorded.
  }];
}

#endif
