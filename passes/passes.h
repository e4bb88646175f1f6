// SPDX-License-Identifier: Apache-2.0
// Declares the functions that create the passes, the base class of the passes, and the attributes that they
// share.
//
// passes/passes.td declares the flag, the summary and the description of each pass. A pass is implemented in
// one file, FLAG.cc, in the folder of its phase; `shard` has its own. passes/pipeline.cc says in which order
// they run.
#pragma once
#include <memory>

#include "ir/dialect/dialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "passes/compile_config.h"
#include "passes/support/check/check_module.h"

namespace cutset::passes {

// Creates a pass. The pass reads its options from `config`, which must outlive it.
// passes/generate.py declares a function of this type for each pass of passes/passes.td: create_cse,
// create_cut and so on.
using CreatePass = std::unique_ptr<mlir::Pass>(const CompileConfig& config);
#include "passes/create_passes.inc"

// Inserts the dialects in which the passes create ops.
void insert_dialects(mlir::DialectRegistry& registry);

// The base class of a pass `Self` over a module. `Generated` is the class that mlir-tblgen makes from
// passes/passes.td. `Self` defines `LogicalResult run(ModuleOp)`, which is called only for modules that
// check_module accepts.
template <class Self, template <class> class Generated>
struct ModulePass : Generated<Self> {
  explicit ModulePass(const CompileConfig& config) : config(config) {}
  void runOnOperation() override {
    if (mlir::failed(check_module(this->getOperation()))) return this->signalPassFailure();
    if (mlir::failed(static_cast<Self*>(this)->run(this->getOperation()))) this->signalPassFailure();
  }
  const CompileConfig& config;
};

// Attributes of a module.
inline constexpr llvm::StringLiteral kClipValue =
                                         "cutset.clip_value",  // the initial value of the hyper-parameter
                                                               // "clip_value"; absent: no such clipping
    kClipNorm = "cutset.clip_norm",                            // the same for "clip_norm"
    kAverage = "cutset.average",    // averages of the trained variables: `decay`, and the names of the
                                    // `functions` that read them instead of the variables
    kInputs = "cutset.inputs",      // the names of all inputs of the graph, whichever functions are compiled
    kNextId = "cutset.next_id",     // an id that no op of the graph has; all higher ids are also free
    kProgram = "cutset.program",    // the name of the program, which a plan repeats
    kReplicas = "cutset.replicas",  // the number of copies of an op: replicas times devices of a tensor axis
    kShares = "cutset.shares",      // the shares of the replicas
    kTensorDevices = "cutset.tensor_devices",  // the number of devices over which `shard` divided operands
    kStrategy = "cutset.strategy",             // the text of the strategy with these shares, for people
    kDevices = "cutset.devices",               // the names of the devices among which `place` chose
    kSchedules =
        "cutset.schedules";  // schedules that a plan gave: number of micro-batches of a replica -> text

// The state of a variable that is its moving average is named "VARIABLE/average".
inline constexpr llvm::StringLiteral kAverageName = "average";

// Attributes of functions, and of their arguments and results.
inline constexpr llvm::StringLiteral kInput = "cutset.input",  // of an argument: the name of the input
    kOutput = "cutset.output",                                 // of a result: the name of the output
    kFunction =
        "cutset.function",  // of a result of @graph: the name of the function to which the result belongs
    kMinimize = "cutset.minimize",  // of a result: it is the loss of its function; how the optimizer reduces
                                    // it (passes/differentiate/optimizer_updates.h)
    kGradient =
        "cutset.gradient",  // of a result: it is the gradient of a variable, so backward ops compute it
    kStep = "cutset.step",  // of an argument: the session feeds the number of the step
    kHyperParameter =
        "cutset.hyper_parameter",  // of an argument: the session feeds the scalar; its initial value
    kBatchDimension =
        "cutset.batch_dimension",  // of an argument: the dimension that is the batch; -1: none; absent:
                                   // the first one. Of a result: the dimension along which it is a shard.
                                   // Of a type_only: the dimension that is the batch; absent: none
    kSeveralRows = "cutset.several_rows",  // of an argument: each sample has several consecutive rows
    kStart =
        "cutset.start",     // of an argument or result that is a shard: its first row in the input or output
    kRows = "cutset.rows",  // of an argument or result that is a shard: the rows of the whole input or output
    kShardClasses = "cutset.shard_classes",  // of a function with micro-batches: the class of each shard
    kShardReplicas =
        "cutset.shard_replicas",  // of such a function: the replica of each shard, in ascending order
    kSumAlongTree =
        "cutset.sum_along_tree",  // of such a function: whether partial sums are added along the fixed tree
    kSchedule =
        "cutset.schedule_name",  // of such a function with several stages: the schedule of its pipeline
    kChunks = "cutset.chunks",   // of such a function: the stages per device; absent: 1
    kShardClass = "cutset.shard_class",  // of an op or an argument: the class of the shards that it computes
    kShards = "cutset.shards",           // of a function: the samples of each shard
    kRole = "cutset.role",      // of a function: it is a role; its kind, such as "forward" or "update"
    kDevice = "cutset.device",  // of a role: the device that runs it
    kFirstShard = "cutset.first_shard";  // of a role of micro-batches: the shard whose origins its ops have

// Attributes of ops.
inline constexpr llvm::StringLiteral kKernel = "cutset.kernel",  // the name of the kernel that runs the op
    kRefused = "cutset.refused",               // why earlier kernels of the device refused the op
    kFinite = "cutset.finite",                 // of all_finite: what each operand is, for people
    kForward = "cutset.forward",               // a copy of a forward op, or a form of its value
                                               // (passes/support/layout/forward_ops.h)
    kStage = "cutset.stage",                   // the stage of the op, if its device has several stages
    kDividedBefore = "cutset.divided_before",  // of a variable that replicas divide: its pieces on the tensor
                                               // axis, or empty
    kBeginsRole =
        "cutset.begins_role",  // a concat that makes a divided variable whole for the next op that reads it
    kWholeBecause = "cutset.whole";  // why every replica computes the whole op, although the batch is split

}  // namespace cutset::passes
