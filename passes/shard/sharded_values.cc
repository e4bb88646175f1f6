// SPDX-License-Identifier: Apache-2.0
#include "passes/shard/sharded_values.h"

#include "ir/core/sum_tree.h"
#include "passes/passes.h"

using namespace mlir;
using cutset::ir::PlacedBuilder;

namespace cutset::passes {

FailureOr<ArrayRef<Value>> ShardedValues::in(Value original, Layout layout, Operation* reader) {
  Forms& forms = forms_.at(original);
  auto known = forms.of.find(layout);
  if (known == forms.of.end()) {
    auto made = convert(original, forms, layout, reader);
    if (failed(made)) return failure();
    known = forms.of.emplace(layout, *std::move(made)).first;
  }
  return ArrayRef<Value>(known->second);
}

PieceRange ShardedValues::range(Value original, Layout d, int64_t k) const {
  return range_of(cast<RankedTensorType>(original.getType()).getDimSize(static_cast<unsigned>(d)),
                  units_.of(original, d), devices_, k);
}

RankedTensorType ShardedValues::type(Value original, Layout layout, int64_t k) const {
  auto type = cast<RankedTensorType>(original.getType());
  if (layout < 0) return type;
  SmallVector<int64_t> shape(type.getShape());
  shape[static_cast<size_t>(layout)] = range(original, layout, k).size;
  return type.clone(shape);
}

Piece ShardedValues::piece(Value original, Layout layout, int64_t k) const {
  if (layout == kWhole) return {};
  return {.layout = layout,
          .index = static_cast<int32_t>(k),
          .count = static_cast<int32_t>(devices_),
          .unit = layout >= 0 ? units_.of(original, layout) : 1};
}

FailureOr<ShardedValues::Values> ShardedValues::convert(Value original, Forms& forms, Layout layout,
                                                        Operation* reader) {
  const auto whole = forms.of.find(kWhole), partial = forms.of.find(kPartial);
  if (layout != kWhole && whole != forms.of.end()) {
    Values pieces;
    for (int64_t k = 0; k < devices_; ++k) {
      PlacedBuilder build(b_, original.getLoc(), placement_of(forms, reader, k));
      pieces.push_back(slice(build, original, whole->second[static_cast<size_t>(k)], layout, k));
      if (!pieces.back()) return failure();
      label(pieces.back(), original, layout, k, reader);
    }
    return pieces;
  }
  const bool sums =
      layout == kWhole && partial != forms.of.end() && forms.of.lower_bound(0) == forms.of.end();
  if (sums && !all_reduces_) {
    if (const Layout d = scattered_dimension(original); d != kWhole) {
      auto scattered = exchange(original, forms, kPartial, d, reader);
      if (failed(scattered)) return failure();
      forms.of.emplace(d, *std::move(scattered));
    }
  } else if (sums) {
    SmallVector<int64_t> leaves;
    for (int64_t k = 0; k < devices_; ++k) leaves.append({k, k + 1});
    auto sum = ir::AllReduceOp::create(b_, original.getLoc(),
                                       SmallVector<Type>(partial->second.size(), original.getType()),
                                       partial->second, leaves);
    label(sum.getSums()[0], original, kWhole, 0, reader);
    forms.same_bits = true;
    return Values(sum.getSums());
  }
  const auto pieces = forms.of.lower_bound(0);  // pieces need fewer transfers than partial sums
  const Layout from = pieces != forms.of.end() ? pieces->first : kPartial;
  return exchange(original, forms, from, layout, reader);
}

Layout ShardedValues::scattered_dimension(Value original) const {
  Layout best = kWhole;
  auto type = cast<RankedTensorType>(original.getType());
  for (int d = 0; devices_ > 2 && d < type.getRank(); ++d)
    if (units_.can_divide(original, d) &&
        (best == kWhole ||
         type.getDimSize(static_cast<unsigned>(d)) > type.getDimSize(static_cast<unsigned>(best))))
      best = d;
  return best;
}

FailureOr<ShardedValues::Values> ShardedValues::exchange(Value original, Forms& forms, Layout from, Layout to,
                                                         Operation* reader) {
  const Values& have = forms.of.at(from);
  Values made;
  if (to == kWhole) forms.same_bits = true;
  for (int64_t k = 0; k < devices_; ++k) {
    Values parts;
    for (int64_t j = 0; j < devices_; ++j) {
      PlacedBuilder there(b_, original.getLoc(), placement_of(forms, reader, j));
      const Value part = have[static_cast<size_t>(j)];
      parts.push_back(to == kWhole ? part : slice(there, original, part, to, k));
      if (!parts.back()) return failure();
    }
    PlacedBuilder here(b_, original.getLoc(), placement_of(forms, reader, k));
    made.push_back(from == kPartial
                       ? add_along_tree(here, parts)
                       : here("concat", parts, {b_.getNamedAttr("axis", b_.getI64IntegerAttr(from))}));
    if (!made.back()) return failure();
    label(made.back(), original, to, k, reader);
  }
  return made;
}

Value ShardedValues::add_along_tree(PlacedBuilder& build, ArrayRef<Value> parts) {
  if (parts.size() == 1) return parts[0];
  const auto middle = static_cast<size_t>(middle_of(0, static_cast<int64_t>(parts.size())));
  return build("add_n", {add_along_tree(build, parts.take_front(middle)),
                         add_along_tree(build, parts.drop_front(middle))});
}

Value ShardedValues::slice(PlacedBuilder& build, Value original, Value from, Layout layout, int64_t k) {
  const auto [start, size] = range(original, layout, k);
  auto number = [&](StringRef name, int64_t v) { return b_.getNamedAttr(name, b_.getI64IntegerAttr(v)); };
  return build("slice", {from}, {number("axis", layout), number("start", start), number("length", size)});
}

ir::PlacedOpInterface ShardedValues::placing_op(const Forms& forms, Operation* reader) {
  if (auto definer = dyn_cast_or_null<ir::PlacedOpInterface>(forms.origin)) return definer;
  return dyn_cast_or_null<ir::PlacedOpInterface>(reader);
}

ir::Placement ShardedValues::placement_of(const Forms& forms, Operation* reader, int64_t k) const {
  auto op = placing_op(forms, reader);
  ir::Placement p = op ? op.placement() : ir::Placement();
  p.replica = k;
  return p;
}

void ShardedValues::label(Value made, Value original, Layout layout, int64_t k, Operation* reader) {
  int64_t number = 0;
  if (auto argument = dyn_cast<BlockArgument>(original))
    number = argument.getArgNumber();
  else
    number = number_of(original.getDefiningOp()) + cast<OpResult>(original).getResultNumber();
  Operation* op = made.getDefiningOp();
  op->setDiscardableAttr(
      kOrigin, origin_attribute(b_.getContext(), number, 0, 1, -1, {kWhole}, {piece(original, layout, k)}));
  if (auto placed_like = placing_op(forms_.at(original), reader);
      placed_like && placed_like->hasAttr(kForward))
    op->setAttr(kForward, b_.getUnitAttr());
}

}  // namespace cutset::passes
