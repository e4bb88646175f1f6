// SPDX-License-Identifier: Apache-2.0
#include "passes/support/placement/value_origin.h"

#include "passes/passes.h"
#include "passes/support/next_id.h"

using namespace mlir;

namespace cutset::passes {

ir::OriginAttr origin_attribute(MLIRContext* context, int64_t number, int64_t first, int64_t last, int factor,
                                ArrayRef<Layout> results, ArrayRef<Piece> pieces) {
  SmallVector<int64_t> numbers;
  if (llvm::any_of(pieces, [](const Piece& p) { return p.layout != kWhole; }))
    for (const Piece& p : pieces) numbers.append({p.layout, p.factor, p.index, p.count, p.unit});
  return ir::OriginAttr::get(context, number, first, last, factor,
                             SmallVector<int64_t>(results.begin(), results.end()), numbers);
}

SmallVector<Piece> pieces_of(Attribute attribute) {
  SmallVector<Piece> pieces;
  auto origin = dyn_cast_or_null<ir::OriginAttr>(attribute);
  if (!origin) return pieces;
  const auto i32 = [](int64_t v) { return static_cast<int32_t>(v); };
  for (ArrayRef<int64_t> n = origin.getPieces(); !n.empty(); n = n.drop_front(5))
    pieces.push_back({i32(n[0]), i32(n[1]), i32(n[2]), i32(n[3]), n[4]});
  return pieces;
}

void number_values(func::FuncOp function) {
  int64_t next = 0;
  SmallVector<DictionaryAttr> arguments;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    NamedAttrList list(function.getArgAttrDict(i));
    list.set(kOrigin, origin_attribute(function.getContext(), next++, 0, 1, -1, {kWhole}));
    arguments.push_back(list.getDictionary(function.getContext()));
  }
  function.setAllArgAttrs(arguments);
  for (Operation& op : function.getBody().front().without_terminator()) {
    op.setDiscardableAttr(kOrigin, origin_attribute(function.getContext(), next, 0, 1, -1,
                                                    SmallVector<Layout>(op.getNumResults(), kWhole)));
    next += op.getNumResults();
  }
}

int64_t number_of(Operation* op) {
  auto origin = op->getAttrOfType<ir::OriginAttr>(kOrigin);
  return origin ? origin.getValue() : kNone;
}

ValueOrigin origin_of(Attribute attribute, unsigned result) {
  if (auto each = dyn_cast_or_null<ArrayAttr>(attribute))  // a bucket has one origin per tensor
    return result < each.size() ? origin_of(each[result], 0) : ValueOrigin();
  auto origin = dyn_cast_or_null<ir::OriginAttr>(attribute);
  if (!origin || origin.getValue() == kNone || result >= origin.getLayouts().size()) return {};
  const auto i32 = [](int64_t v) {
    return static_cast<int32_t>(v);
  };  // the attribute's verifier keeps them in range
  const SmallVector<Piece> pieces = pieces_of(origin);
  return {i32(origin.getValue() + result),
          i32(origin.getFirst()),
          i32(origin.getLast()),
          i32(origin.getFactor()),
          i32(origin.getLayouts()[result]),
          pieces.empty() ? Piece() : pieces[result]};
}
Attribute one_result(Attribute attribute, unsigned result) {
  if (auto single = dyn_cast_or_null<ir::OriginAttr>(attribute);
      single && result == 0 && single.getLayouts().size() == 1)
    return attribute;
  const ValueOrigin origin = origin_of(attribute, result);
  if (origin.number == kNone) return {};
  return origin_attribute(attribute.getContext(), origin.number, origin.first, origin.last, origin.factor,
                          {origin.layout}, {origin.piece});
}
Attribute moved_origin(Attribute attribute, int64_t later) {
  auto origin = dyn_cast_or_null<ir::OriginAttr>(attribute);
  if (!origin || origin.getLayouts().size() != 1 || origin.getLayouts()[0] == kWhole) return attribute;
  return ir::OriginAttr::get(attribute.getContext(), origin.getValue(), origin.getFirst() + later,
                             origin.getLast() + later, origin.getFactor(), origin.getLayouts(),
                             origin.getPieces());
}
ValueOrigin origin_of(Operation* op, unsigned result) {
  return origin_of(op->getDiscardableAttr(kOrigin), result);
}

void give_missing_ids(ModuleOp module) {
  int64_t next = next_id(module);
  for (auto function : module.getOps<func::FuncOp>()) {
    DenseMap<int64_t, int64_t> id_of;  // number of a value -> id
    function.walk([&](ir::PlacedOpInterface op) {
      if (op.placement().id) return;
      auto [it, fresh] = id_of.try_emplace(origin_of(op, 0).number, next);
      next += fresh;
      op.placement().id = it->second;
    });
  }
  module->setAttr(kNextId, Builder(module.getContext()).getI64IntegerAttr(next));
}

}  // namespace cutset::passes
