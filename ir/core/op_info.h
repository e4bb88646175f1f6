// What is known of an op outside MLIR: one `OpInfo` an op, generated from its room, with the room's
// functions behind plain pointers. Lists are in alphabetical order and live as long as the process;
// everything here is pure and may be called from any thread.
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
  const char* name;    // "conv2d"
  const char* family;  // whose rules it shares; its own name where it has none
  const char* summary;
  const char* room;  // "ir/ops/conv2d"
  bool structural;   // passes may speak of it by name
  bool differentiable;
  bool sums;           // parts of a split reduction add up to the whole
  bool view;           // the result is the first operand's memory under another shape
  bool positional;     // the attribute first_element says where in the whole tensor the result begins
  int updates;         // results that replace the operand of the same number in place, from 0 on
  uint32_t type_only;  // bit i: operand i is read for its type only
  bool reads_type_only(size_t operand) const { return operand < 32 && (type_only >> operand & 1) != 0; }
  int optional;   // so many operands at the end may be left out
  bool variadic;  // the one operand stands for any number, one at least
  std::vector<const char*> operands, results;
  AttrSchema schema;

  Result<Types> (*infer)(const void* attrs, const Types& in);
  ShardingRule (*shard)(const void* attrs, const Types& in);
  Cost (*cost)(const void* attrs, const Types& in);
  // Defines the numbers. Allocates nothing; `in` and `out` may share memory where `updates` says so.
  Status (*reference)(const void* attrs, Views in, Views out);
  OpCases (*cases)();
};

// Fails, with a sentence that names the counts, where `op` does not take so many operands.
Status check_operand_count(const OpInfo& op, size_t count);

std::span<const OpInfo* const> all_ops();
const OpInfo* find_op(std::string_view name);  // null: no such op

}  // namespace cutset
