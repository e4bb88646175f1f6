// SPDX-License-Identifier: Apache-2.0
// The description of an op outside of MLIR: names, flags, and pointers to the functions of its op folder.
//
// ir/generate/generate.py generates one OpInfo per op from the op's .td, whose fields ir/dialect/base.td
// describes. All objects live as long as the process. The functions have no state, so any thread may call
// them.
#pragma once
#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/core/attributes.h"
#include "ir/core/op/cost.h"
#include "ir/core/op/gradient.h"
#include "ir/core/op/op_case.h"
#include "ir/core/op/operand_range.h"
#include "ir/core/op/sharding_rule.h"
#include "ir/core/tensor_view.h"

namespace cutset {

// One operand of an op, as its .td declares it. An optional operand may be left out, and a variadic one
// stands for one or more operands.
struct OperandInfo {
  enum class Kind { kRequired, kOptional, kVariadic };
  const char* name;
  Kind kind = Kind::kRequired;
  bool type_only = false;  // the op reads only the type of the operand (a `like` operand)
  bool operator==(const OperandInfo& o) const {
    return std::string_view(name) == o.name && kind == o.kind && type_only == o.type_only;
  }
};

// A state that an optimizer keeps of a variable.
struct VariableState {
  TensorType type;
  double first = 0;  // the value of each element before the first step
};

struct OpInfo {
  const char* name;    // "conv"
  const char* family;  // the ops of a family share attributes, infer, cost and mostly shard; by default the
                       // op's own name
  const char* summary;
  const char* folder;  // "ir/ops/conv"
  bool structural;     // passes may name the op, because they build it or have a rule for it
  bool view;           // the result is the memory of operand 0 under another shape, so the op has no kernel
  bool positional;     // elements depend on their index in the whole tensor; attribute first_element is the
                       // first index
  // The reference kernel takes f16 and bf16 itself. Those of other ops take f32 instead (reference_run.h).
  bool converts_halves;
  // The op is part of an update: its kernels round alike on all devices, and its copies in the replicas get
  // operands with the same bits, as those of an op with `updates` do. So its result has the same bits in
  // every replica.
  bool rounds_alike;
  int updates;  // results 0 to updates - 1 overwrite the operands of the same index in place
  std::vector<OperandInfo> operands;
  std::vector<const char*> results;  // their names
  bool variadic_results;  // the only name stands for one or more results; `infer` tells their number
  AttrSchema schema;

  // The entry of `operands` of operand `index` of an op. Operands before a `like` operand are required, so
  // the entry is right wherever `type_only` is asked for. Of an op with operand segments, operand_ranges
  // tells the entries.
  const OperandInfo& operand(size_t index) const { return operands[std::min(index, operands.size() - 1)]; }
  bool reads_type_only(size_t index) const { return operand(index).type_only; }
  // Whether a backend needs a kernel to support the op. Two kinds of ops never run: a view, whose result is
  // its operand's memory, and an op that reads nothing but types, which is folded when a program is lowered.
  bool needs_kernel() const {
    return !view &&
           !std::all_of(operands.begin(), operands.end(), [](const OperandInfo& o) { return o.type_only; });
  }

  // The functions of the op folder. `attrs` is the flat struct that FlatAttrs::pack made with `schema`. `in`
  // holds the types of the operands, or for `reference` the operands. They must have passed operand_ranges.

  // The types of the results. Fails if the operands violate a constraint of the op ("C1: ...").
  Result<Types> (*infer)(const void* attrs, const Types& in);
  // How the op may be split over devices, for types that `infer` accepts.
  ShardingRule (*shard)(const void* attrs, const Types& in);
  // The cost of one execution, for types that `infer` accepts.
  Cost (*cost)(const void* attrs, const Types& in);
  // The reference kernel, which defines the results. ReferenceRun calls it. It allocates no memory. An
  // operand and a result share memory only if `updates` or `view` requires it.
  Status (*reference)(const void* attrs, Views in, Views out);
  // The op's test problems.
  OpCases (*cases)();
  // Builds the gradients of the operands (ir/core/op/gradient.h). Null if the op is not differentiable.
  GraphValues (*gradient)(GradientBuilder&, const void* attrs, const Differentiated& op);
  // The states that an optimizer keeps of a variable of type `variable`, which are its operands 1 to updates
  // - 1, in this order. A state of the shape of the variable is divided as the variable is, and any other
  // state is kept whole by every device that updates the variable. Null if the op has no states.
  std::vector<VariableState> (*states)(const void* attrs, const TensorType& variable);
};

// The operands that belong to each entry of OpInfo::operands, for an op with `count` operands. If several
// entries are optional or variadic, the attribute kOperandSegments says how many operands each has. Fails,
// naming the op and the numbers, if the op does not take these operands.
Result<std::vector<OperandRange>> operand_ranges(const OpInfo& op, const Attributes& attributes,
                                                 size_t count);

// All ops, in alphabetical order.
std::span<const OpInfo* const> all_ops();
// The op with this name, without "cutset.", or null if there is none.
const OpInfo* find_op(std::string_view name);

}  // namespace cutset
