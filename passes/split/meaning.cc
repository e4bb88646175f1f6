#include "passes/split/meaning.h"

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

}  // namespace cutset::passes
