// SPDX-License-Identifier: Apache-2.0
// Describes an op outside of MLIR: names, flags, and pointers to the functions of its op folder.
//
// ir/generate/generate.py generates one OpInfo per op from the op's .td, whose fields ir/dialect/base.td
// describes. All objects live until the process ends. The functions have no state, so any thread may call
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

// One operand of an op, as its .td declares it. An optional operand may be left out. A variadic operand
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

// A state that an optimizer keeps for a variable.
struct VariableState {
  TensorType type;
  double first = 0;  // the value of each element before the first step
};

struct OpInfo {
  const char* name;  // "conv"
  const char*
      family;  // the ops of a family share attributes, infer, cost and mostly shard; default: the op's name
  const char* summary;
  const char* folder;  // "ir/ops/conv"
  bool structural;     // passes may name the op, because they build it or have a rule for it
  bool view;           // the result is the memory of operand 0 under another shape, so the op has no kernel
  bool positional;  // elements depend on their index in the whole tensor; the attribute first_element is the
                    // first index
  // The reference kernel takes f16 and bf16. Reference kernels of other ops take f32 instead
  // (reference_run.h).
  bool converts_halves;
  // The op is part of an update. Its kernels round alike on all devices, and its operands are bitwise equal
  // in all replicas. So its result is bitwise equal in all replicas. The same holds for every op with
  // `updates`.
  bool rounds_alike;
  int updates;  // results 0 to updates - 1 overwrite the operands of the same index in place
  std::vector<OperandInfo> operands;
  std::vector<const char*> results;  // their names
  bool variadic_results;  // the only name stands for one or more results; `infer` returns their number
  AttrSchema schema;

  // Returns the entry of `operands` for operand `index` of an op. Operands before a `like` operand are
  // required, so `type_only` of the entry is always right. For an op with operand segments, use
  // operand_ranges.
  const OperandInfo& operand(size_t index) const { return operands[std::min(index, operands.size() - 1)]; }
  bool reads_type_only(size_t index) const { return operand(index).type_only; }
  // Whether a backend needs a kernel to support the op. Two kinds of ops never run: a view, whose result is
  // its operand's memory, and an op that reads only types, which is folded when a program is lowered.
  bool needs_kernel() const {
    return !view &&
           !std::all_of(operands.begin(), operands.end(), [](const OperandInfo& o) { return o.type_only; });
  }

  // The functions of the op folder. `attrs` is the flat struct that FlatAttrs::pack made with `schema`. `in`
  // holds the types of the operands, or for `reference` the operands. They must have passed operand_ranges.

  // Returns the types of the results. Fails if the operands violate a constraint of the op ("C1: ...").
  Result<Types> (*infer)(const void* attrs, const Types& in);
  // Returns how the op may be split over devices, for types that `infer` accepts.
  ShardingRule (*shard)(const void* attrs, const Types& in);
  // Returns the cost of one execution, for types that `infer` accepts.
  Cost (*cost)(const void* attrs, const Types& in);
  // The reference kernel, which defines the results. ReferenceRun calls it. The kernel allocates no memory.
  // An operand and a result share memory only if `updates` or `view` requires it.
  Status (*reference)(const void* attrs, Views in, Views out);
  // Returns the test problems of the op.
  OpCases (*cases)();
  // Builds the gradients of the operands (ir/core/op/gradient.h). Null if the op is not differentiable.
  GraphValues (*gradient)(GradientBuilder&, const void* attrs, const Differentiated& op);
  // Returns the states that an optimizer keeps for a variable of type `variable`. They are operands 1 to
  // updates - 1 of the op, in this order. A state with the shape of the variable is divided as the variable
  // is. A state with another shape is not divided: every device that updates the variable has the whole
  // state. Null if the op has no states.
  std::vector<VariableState> (*states)(const void* attrs, const TensorType& variable);
};

// Returns the operands that belong to each entry of OpInfo::operands, for an op with `count` operands. If
// several entries are optional or variadic, the attribute kOperandSegments says how many operands each entry
// has. Fails, naming the op and the numbers, if the op does not take these operands.
Result<std::vector<OperandRange>> operand_ranges(const OpInfo& op, const Attributes& attributes,
                                                 size_t count);

// Returns all ops, in alphabetical order.
std::span<const OpInfo* const> all_ops();
// Returns the op with this name, without "cutset.", or null if there is none.
const OpInfo* find_op(std::string_view name);

}  // namespace cutset
