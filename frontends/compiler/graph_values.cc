// SPDX-License-Identifier: Apache-2.0
#include "frontends/compiler/graph_values.h"

#include "llvm/ADT/DenseMap.h"
#include "passes/passes.h"

using namespace mlir;

namespace cutset {

constexpr int kArgument = -1, kErased = -2;

std::vector<ValuePlace> places_of(func::FuncOp function, ArrayRef<Value> values) {
  DenseMap<Operation*, int> number;
  for (Operation& op : function.front()) number.try_emplace(&op, static_cast<int>(number.size()));
  std::vector<ValuePlace> places;
  for (Value v : values) {
    if (!v)
      places.push_back({kErased, 0});
    else if (auto argument = dyn_cast<BlockArgument>(v))
      places.push_back({kArgument, argument.getArgNumber()});
    else
      places.push_back({number.at(v.getDefiningOp()), cast<OpResult>(v).getResultNumber()});
  }
  return places;
}

std::vector<Value> values_at(func::FuncOp function, ArrayRef<ValuePlace> places) {
  SmallVector<Operation*> ops;
  for (Operation& op : function.front()) ops.push_back(&op);
  std::vector<Value> values;
  for (const ValuePlace& p : places)
    values.push_back(p.op == kErased     ? Value()
                     : p.op == kArgument ? Value(function.getArgument(p.number))
                                         : Value(ops[static_cast<size_t>(p.op)]->getResult(p.number)));
  return values;
}

std::string input_name(func::FuncOp function, Value argument) {
  return function.getArgAttrOfType<StringAttr>(cast<BlockArgument>(argument).getArgNumber(), passes::kInput)
      .str();
}

std::optional<size_t> id_of_input(func::FuncOp function, ArrayRef<Value> values, const std::string& name) {
  for (size_t id = 0; id < values.size(); ++id)
    if (auto argument = dyn_cast_or_null<BlockArgument>(values[id]);
        argument && input_name(function, argument) == name)
      return id;
  return {};
}

std::string missing_input(func::FuncOp function, Value value, const DenseSet<Value>& given,
                          DenseSet<Operation*>& seen) {
  SmallVector<Value> work{value};
  while (!work.empty()) {
    const Value v = work.pop_back_val();
    if (isa<BlockArgument>(v)) {
      if (!given.contains(v)) return input_name(function, v);
    } else if (seen.insert(v.getDefiningOp()).second) {
      llvm::append_range(work, v.getDefiningOp()->getOperands());
    }
  }
  return {};
}

}  // namespace cutset
