// The description of an op outside of MLIR: names, flags, and pointers to the functions of its op folder.
//
// ir/generate/generate.py generates one OpInfo per op from the op's .td, whose fields ir/dialect/base.td describes. All
// objects live as long as the process. The functions have no state, so any thread may call them.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/core/attributes.h"
#include "ir/core/cost.h"
#include "ir/core/op_case.h"
#include "ir/core/sharding_rule.h"
#include "ir/core/tensor_view.h"

namespace cutset {

struct OpInfo {
  const char* name;  // "conv2d"
  const char*
      family;  // the ops of a family share attributes, infer, cost and mostly shard; by default the op's own name
  const char* summary;
  const char* folder;   // "ir/ops/conv2d"
  bool structural;      // passes may name the op, because they build it or have a rule for it
  bool differentiable;  // the op has a gradient
  bool view;            // the result is the memory of operand 0 under another shape, so the op has no kernel
  bool positional;     // elements depend on their index in the whole tensor; attribute first_element is the first index
  int updates;         // results 0 to updates - 1 overwrite the operands of the same index in place
  uint32_t type_only;  // bit i is set if the op reads only the type of operand i (a `like` operand)
  bool reads_type_only(size_t operand) const { return operand < 32 && (type_only >> operand & 1) != 0; }
  int optional;                                // the last `optional` operands may be absent
  bool variadic;                               // the op's only operand stands for one or more operands
  std::vector<const char*> operands, results;  // their names
  AttrSchema schema;

  // The functions of the op folder. `attrs` is the flat struct that FlatAttrs::pack made with `schema`. `in` holds the
  // types of the operands, or for `reference` the operands. Their number must have passed check_operand_count.

  // The types of the results. Fails if the operands violate a constraint of the op ("C1: ...").
  Result<Types> (*infer)(const void* attrs, const Types& in);
  // How the op may be split over devices, for types that `infer` accepts.
  ShardingRule (*shard)(const void* attrs, const Types& in);
  // The cost of one execution, for types that `infer` accepts.
  Cost (*cost)(const void* attrs, const Types& in);
  // The reference kernel, which defines the results. It allocates no memory. An operand and a result share memory only
  // if `updates` or `view` requires it.
  Status (*reference)(const void* attrs, Views in, Views out);
  // The op's test problems.
  OpCases (*cases)();
};

// Fails, naming both numbers, if `op` does not take `count` operands.
Status check_operand_count(const OpInfo& op, size_t count);

// All ops, in alphabetical order.
std::span<const OpInfo* const> all_ops();
// The op with this name, without "cutset.", or null if there is none.
const OpInfo* find_op(std::string_view name);

}  // namespace cutset
