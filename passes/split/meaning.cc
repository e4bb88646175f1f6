#include "passes/split/meaning.h"

#include "passes/passes.h"
#include "passes/support/next_id.h"

using namespace mlir;

namespace cutset::passes {

DenseI64ArrayAttr meaning_attribute(MLIRContext* context, int64_t number, int64_t first, int64_t last, int factor,
                                    ArrayRef<Layout> results) {
  SmallVector<int64_t> fields{number, first, last, factor};
  fields.append(results.begin(), results.end());
  return DenseI64ArrayAttr::get(context, fields);
}

void number_values(func::FuncOp function) {
  int64_t next = 0;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    function.setArgAttr(i, kMeaning, meaning_attribute(function.getContext(), next++, 0, 1, -1, {kWhole}));
  for (Operation& op : function.getBody().front().without_terminator()) {
    op.setDiscardableAttr(kMeaning, meaning_attribute(function.getContext(), next, 0, 1, -1,
                                                      SmallVector<Layout>(op.getNumResults(), kWhole)));
    next += op.getNumResults();
  }
}

int64_t number_of(Operation* op) {
  auto fields = op->getAttrOfType<DenseI64ArrayAttr>(kMeaning);
  return fields && fields.size() >= 4 ? fields[0] : kNone;
}

Meaning meaning_of(Attribute attribute, unsigned result) {
  if (auto each = dyn_cast_or_null<ArrayAttr>(attribute))  // of a bucket: a label a tensor
    return result < each.size() ? meaning_of(each[result], 0) : Meaning();
  auto fields = dyn_cast_or_null<DenseI64ArrayAttr>(attribute);
  if (!fields || fields.size() < static_cast<int64_t>(5 + result)) return {};
  return {static_cast<int32_t>(fields[0] + result), static_cast<int32_t>(fields[1]), static_cast<int32_t>(fields[2]),
          static_cast<int32_t>(fields[3]), static_cast<int32_t>(fields[4 + result])};
}
Attribute one_result(Attribute attribute, unsigned result) {
  if (!attribute) return {};
  const Meaning m = meaning_of(attribute, result);
  return meaning_attribute(attribute.getContext(), m.number, m.first, m.last, m.factor, {m.layout});
}
Meaning meaning_of(Operation* op, unsigned result) { return meaning_of(op->getDiscardableAttr(kMeaning), result); }

void give_missing_ids(ModuleOp module) {
  int64_t next = next_id(module);
  for (auto function : module.getOps<func::FuncOp>()) {
    DenseMap<int64_t, int64_t> id_of;  // by the number of the value
    function.walk([&](ir::PlacedOpInterface op) {
      if (op.placement().id) return;
      auto [it, fresh] = id_of.try_emplace(meaning_of(op, 0).number, next);
      next += fresh;
      op.placement().id = it->second;
    });
  }
  module->setAttr(kNextId, Builder(module.getContext()).getI64IntegerAttr(next));
}

}  // namespace cutset::passes
