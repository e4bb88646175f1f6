// SPDX-License-Identifier: Apache-2.0
#include "passes/split/split_values.h"

#include <set>

#include "ir/core/sum_tree.h"
#include "passes/passes.h"
#include "passes/split/reason_for_whole.h"

using namespace mlir;
using cutset::ir::PlacedBuilder;

namespace cutset::passes {
namespace {

// Returns the number that number_values gave to the value.
int64_t number_of_value(Value original) {
  if (auto argument = dyn_cast<BlockArgument>(original)) return argument.getArgNumber();
  Operation* op = original.getDefiningOp();
  if (isa<ir::AllReduceOp>(op)) return number_of(op);  // all results are the sum
  return number_of(op) + cast<OpResult>(original).getResultNumber();
}

}  // namespace

bool adds_one_value(Operation* op) {
  if (isa<ir::AllReduceOp>(op)) return true;
  if (!ir::is_op(op, "add_n")) return false;
  const int64_t number = number_of(op);  // an op inside of a tree of sums has no number
  return number == kNone || llvm::any_of(op->getOperands(), [&](Value v) {
           return v.getDefiningOp() && number_of_value(v) == number;
         });
}

// Returns the piece that number_values and `shard` gave to the value, for the origin of an op that makes
// another form of it.
Piece SplitValues::piece_of_value(Value original) {
  auto result = dyn_cast<OpResult>(original);
  return result ? origin_of(result.getOwner(), result.getResultNumber()).piece : Piece();
}

// Returns the placement of the op that computed the value. A read, a sum and an argument have no placement;
// for them, returns the placement of the op that reads the value.
ir::Placement SplitValues::placement_of(Operation* computed_by, int64_t replica, Operation* reader) const {
  ir::Placement p;
  if (auto definer = dyn_cast_or_null<ir::PlacedOpInterface>(computed_by))
    p = definer.placement();
  else if (auto user = dyn_cast_or_null<ir::PlacedOpInterface>(reader))
    p = user.placement();
  p.replica += replica * copies_;
  return p;
}

FailureOr<ArrayRef<Value>> SplitValues::whole(Value original, Operation* reader) {
  Forms& forms = forms_.at(original);
  if (gathers_for_reader(original, forms, reader)) {
    if (failed(gather_for(original, forms, reader))) return failure();
    return ArrayRef<Value>(forms.whole);
  }
  if (!forms.whole.empty()) return ArrayRef<Value>(forms.whole);
  const auto complete = llvm::find_if(forms.pieces, [&](const auto& p) { return is_complete(p.first); });
  if (!forms.to_join.empty()) {
    if (failed(join(original, forms, forms.to_join, forms.joined_along, reader))) return failure();
  } else if (complete != forms.pieces.end()) {
    if (failed(join(original, forms, complete->second, complete->first.axis, reader))) return failure();
  } else if (forms.layout == kPartial ||
             (forms.layout != kWhole && shards_.micro_batches && is_one_shard(original))) {
    // A value of one shard is the only summand of its sum.
    if (failed(sum(original, forms))) return failure();
  } else if (forms.layout == kWhole) {
    return reader->emitOpError()
           << "reads what an update makes of a variable that is divided over all devices (read the "
              "variable in the next step instead)";
  } else if (shards_.micro_batches) {
    return refuse_joined_rows(original, reader);
  } else if (failed(join(original, forms, forms.shards, forms.layout, reader))) {
    return failure();
  }
  return ArrayRef<Value>(forms.whole);
}

bool SplitValues::gathers_for_reader(Value original, const Forms& forms, Operation* reader) const {
  return divided_ == Data::Shard::kParameters && !shards_.micro_batches && !forms.to_join.empty() &&
         !reader->hasTrait<OpTrait::IsTerminator>() &&
         cast<RankedTensorType>(original.getType()).getRank() >= 2;
}

LogicalResult SplitValues::gather_for(Value original, Forms& forms, Operation* reader) {
  if (forms.gathered_for == reader) return success();
  SmallVector<Value>
      read;  // again, because what a device has received stays in its memory until the last reader
  for (Value piece : forms.to_join) read.push_back(b_.clone(*piece.getDefiningOp())->getResult(0));
  forms.whole.clear();
  if (failed(join(original, forms, read, forms.joined_along, reader))) return failure();
  for (Value whole : forms.whole) whole.getDefiningOp()->setDiscardableAttr(kBeginsRole, b_.getUnitAttr());
  forms.gathered_for = reader;
  return success();
}

LogicalResult SplitValues::join(Value original, Forms& forms, ArrayRef<Value> parts, Layout axis,
                                Operation* reader) {
  for (int64_t r = 0; r < shards_.replicas; ++r) {
    PlacedBuilder build(b_, original.getLoc(), placement_of(forms.origin, r, reader));
    auto* whole = build.op("concat", parts, {b_.getNamedAttr("axis", b_.getI64IntegerAttr(axis))});
    if (!whole) return failure();
    whole->setDiscardableAttr(kOrigin, origin_of_whole(original));
    forms.whole.push_back(whole->getResult(0));
  }
  return success();
}

Piece SplitValues::piece(Layout axis, int64_t number) const {
  return {.layout = axis,
          .index = static_cast<int32_t>(number),
          .count = static_cast<int32_t>(shards_.replicas * copies_),
          .unit = 1};
}

PieceRange SplitValues::range(const ReplicaPieces& which, int64_t size, int64_t replica) const {
  return which.of_piece ? range_of(size, 1, shards_.replicas, replica)
                        : range_of(size, 1, shards_.replicas * copies_, number(which, replica));
}

Value SplitValues::cut_piece(PlacedBuilder& build, Value from, const ReplicaPieces& which, int64_t replica) {
  const int64_t size = cast<RankedTensorType>(from.getType()).getDimSize(static_cast<unsigned>(which.axis));
  const auto [start, length] = range(which, size, replica);
  auto number = [&](StringRef name, int64_t v) { return b_.getNamedAttr(name, b_.getI64IntegerAttr(v)); };
  return build("slice", {from},
               {number("axis", which.axis), number("start", start), number("length", length)});
}

FailureOr<ArrayRef<Value>> SplitValues::pieces(Value original, const ReplicaPieces& which,
                                               Operation* reader) {
  Forms& forms = forms_.at(original);
  if (auto known = forms.pieces.find(which); known != forms.pieces.end())
    return ArrayRef<Value>(known->second);
  if (divided_ >= Data::Shard::kGradients && forms.layout == kPartial && forms.whole.empty()) {
    if (failed(scatter(original, forms, which, reader))) return failure();
    return ArrayRef<Value>(forms.pieces[which]);
  }
  if (failed(whole(original, reader))) return failure();
  SmallVector<Value> made;
  for (int64_t r = 0; r < shards_.replicas; ++r) {
    PlacedBuilder build(b_, original.getLoc(), placement_of(forms.origin, r, reader));
    made.push_back(cut_piece(build, forms.whole[static_cast<size_t>(r)], which, r));
    if (!made.back()) return failure();
    made.back().getDefiningOp()->setDiscardableAttr(
        kOrigin, origin_attribute(b_.getContext(), number_of_value(original), 0, count(), -1, {kWhole},
                                  piece(which.axis, number(which, r))));
  }
  return ArrayRef<Value>(forms.pieces[which] = std::move(made));
}

LogicalResult SplitValues::scatter(Value original, Forms& forms, const ReplicaPieces& which,
                                   Operation* reader) {
  if (failed(sum_replicas(original, forms))) return failure();
  const auto& ranges = forms.ranges;
  SmallVector<Value> made;
  for (int64_t r = 0; r < shards_.replicas; ++r) {
    const Piece its_piece = piece(which.axis, number(which, r));
    SmallVector<Value> parts;
    for (Value v :
         forms.sums) {  // each device cuts the piece from its sum, so that only the piece is transferred
      Operation* definer = v.getDefiningOp();
      const ValueOrigin its = origin_of(definer);
      ir::Placement at = placement_of(forms.origin, shards_.replica[static_cast<size_t>(its.first)], reader);
      PlacedBuilder build(b_, original.getLoc(), at);
      parts.push_back(cut_piece(build, v, which, r));
      if (!parts.back()) return failure();
      parts.back().getDefiningOp()->setDiscardableAttr(
          kOrigin, range_origin(original, its.first, its.last, its_piece));
    }
    PlacedBuilder build(b_, original.getLoc(), placement_of(forms.origin, r, reader));
    size_t next = 0;
    const auto add = [&](auto& self, int64_t first, int64_t last) -> Value {
      if (ranges[2 * next] == first && ranges[2 * next + 1] == last) return parts[next++];
      const int64_t middle = middle_of(first, last);
      const Value left = self(self, first, middle), right = self(self, middle, last);
      if (!left || !right) return {};
      const Value sum = build("add_n", {left, right});
      if (sum)
        sum.getDefiningOp()->setDiscardableAttr(
            kOrigin, range_origin(original, origin_of(left.getDefiningOp()).first,
                                  origin_of(right.getDefiningOp()).last, its_piece));
      return sum;
    };
    made.push_back(add(add, 0, ranges.back()));
    if (!made.back()) return failure();
  }
  forms.pieces[which] = std::move(made);
  return success();
}

FailureOr<ArrayRef<Value>> SplitValues::shards(Value original, Layout layout, Operation* reader) {
  Forms& forms = forms_.at(original);
  if (forms.layout == layout) return ArrayRef<Value>(forms.shards);
  if (is_one_shard(original)) return ArrayRef<Value>(forms.shards);
  if (forms.layout == kWhole && shards_.count() == 1) {  // the rows of the one shard are the whole value
    const auto all = whole(original, reader);            // a variable may have to be joined from its pieces
    if (failed(all)) return failure();
    forms.rows[layout].assign(1, (*all)[static_cast<size_t>(shards_.replica[0])]);
    return ArrayRef<Value>(forms.rows[layout]);
  }
  if (shards_.micro_batches && forms.layout != kWhole) return refuse_joined_rows(original, reader);
  const int64_t size = cast<RankedTensorType>(original.getType()).getDimSize(static_cast<unsigned>(layout));
  if (shards_.micro_batches && size % shards_.batch() != 0)
    return reader->emitOpError() << "reads rows of a value that is computed for the whole batch, and its "
                                 << size << " rows are no multiple of the " << shards_.batch()
                                 << " samples, so micro-batches cannot share the op (use a strategy without "
                                    "micro-batches)";
  if (failed(whole(original, reader))) return failure();
  SmallVector<Value>& rows = forms.rows[layout];
  for (size_t c = rows.size(); c < shards_.classes(); ++c) {
    const size_t s = shards_.first_of[c];
    PlacedBuilder build(b_, original.getLoc(), placement_of(forms.origin, shards_.replica[s], reader));
    auto number = [&](StringRef name, int64_t v) { return b_.getNamedAttr(name, b_.getI64IntegerAttr(v)); };
    const auto [start, length] = shards_.rows(s, size);
    SmallVector<NamedAttribute> attributes = {number("axis", layout), number("start", start),
                                              number("length", length)};
    // The micro-batches of a class share the op. The call for a later micro-batch reads later rows.
    if (shards_.micro_batches) attributes.push_back(number("rows_per_sample", size / shards_.batch()));
    Operation* slice = build.op("slice", {forms.whole[static_cast<size_t>(shards_.replica[s])]}, attributes);
    if (!slice) return failure();
    if (shards_.micro_batches)
      slice->setDiscardableAttr(kShardClass, b_.getI64IntegerAttr(static_cast<int64_t>(c)));
    const auto first = static_cast<int64_t>(s);
    slice->setDiscardableAttr(kOrigin, origin_attribute(b_.getContext(), number_of_value(original), first,
                                                        first + 1, -1, {layout}, piece_of_value(original)));
    rows.push_back(slice->getResult(0));
  }
  return ArrayRef<Value>(rows);
}

LogicalResult SplitValues::refuse_joined_rows(Value original, Operation* reader) const {
  Operation* made_by = forms_.at(original).origin;
  auto e = reader->emitOpError() << "needs the rows of all micro-batches at once";
  if (made_by)
    e << ", and the rows are computed by '" << made_by->getName().stripDialect() << "' ("
      << ir::source_of(made_by->getLoc()) << ") in one micro-batch after the other";
  auto rules = dyn_cast<ir::CutsetOpInterface>(reader);
  SmallVector<Layout> have;
  for (Value v : reader->getOperands()) have.push_back(forms_.at(v).layout);
  if (const std::string why = reason_for_whole(reader, have, shards_.units); !why.empty()) e << "; " << why;
  if (rules && rules.op_info().updates > 0)
    e << " (freeze the variable, whose rows are the rows of the batch, or use a strategy without "
         "micro-batches)";
  else
    e << " (use a strategy without micro-batches, or an op that works on each row or sums over the batch)";
  return failure();
}

Value SplitValues::type_only(Value original, Layout layout, size_t shard_class) {
  auto type = cast<RankedTensorType>(original.getType());
  SmallVector<int64_t> shape(type.getShape());
  if (const auto d = static_cast<size_t>(layout); layout >= 0)
    shape[d] = shards_.rows(shards_.first_of[shard_class], shape[d]).size;
  return ir::TypeOnlyOp::create(b_, original.getLoc(), type.clone(shape));
}

LogicalResult SplitValues::sum_replicas(Value original, Forms& forms) {
  if (!forms.sums.empty()) return success();
  if (shards_.micro_batches && !shards_.along_tree)
    sum_each_replica(original, forms);
  else
    gather(original, forms, 0, count());
  return failure(llvm::is_contained(forms.sums, Value()));
}

LogicalResult SplitValues::sum(Value original, Forms& forms) {
  if (failed(sum_replicas(original, forms))) return failure();
  if (shards_.replicas == 1) {
    forms.whole = {forms.sums[0]};
    return success();
  }
  auto reduced = ir::AllReduceOp::create(
      b_, original.getLoc(), SmallVector<Type>(static_cast<size_t>(shards_.replicas), original.getType()),
      forms.sums, forms.ranges);
  reduced->setDiscardableAttr(kOrigin, origin_of_whole(original));
  forms.whole.assign(reduced.getSums().begin(), reduced.getSums().end());
  return success();
}

void SplitValues::sum_each_replica(Value original, Forms& forms) {
  for (size_t first = 0, end = 0; first < shards_.count(); first = end) {
    end = shards_.end_of_replica(first);
    const auto number = static_cast<int64_t>(forms.sums.size());
    forms.sums.push_back(add(original, forms, static_cast<int64_t>(first), static_cast<int64_t>(end)));
    forms.ranges.append({number, number + 1});
  }
}

void SplitValues::gather(Value original, Forms& forms, int64_t first, int64_t last) {
  const auto replica = [&](int64_t shard) { return shards_.replica[static_cast<size_t>(shard)]; };
  if (replica(first) == replica(last - 1)) {  // the shards of a replica are consecutive
    forms.sums.push_back(add(original, forms, first, last));
    forms.ranges.append({first, last});
    return;
  }
  const int64_t middle = middle_of(first, last);
  gather(original, forms, first, middle);
  gather(original, forms, middle, last);
}

Value SplitValues::add(Value original, Forms& forms, int64_t first, int64_t last) {
  if (shards_.micro_batches) {
    std::set<int64_t> classes;
    for (int64_t s = first; s < last; ++s) classes.insert(shards_.class_of[static_cast<size_t>(s)]);
    SmallVector<Value> partials;
    for (int64_t c : classes) partials.push_back(forms.shards[static_cast<size_t>(c)]);
    auto summed =
        ir::SumMicroBatchesOp::create(b_, original.getLoc(), original.getType(), partials, first, last);
    summed->setDiscardableAttr(kOrigin, range_origin(original, first, last));
    return summed.getSum();
  }
  // A sum over the devices of a tensor axis belongs to no device until an op reads it, so a device copies it
  // first.
  const bool of_devices = isa_and_nonnull<ir::AllReduceOp>(forms.origin);
  if (last - first == 1 && !of_devices) return forms.shards[static_cast<size_t>(first)];
  SmallVector<Value> terms;
  if (const int64_t middle = middle_of(first, last); last - first > 1)
    terms = {add(original, forms, first, middle), add(original, forms, middle, last)};
  else
    terms = {forms.shards[static_cast<size_t>(first)]};
  ir::Placement at = placement_of(forms.origin, shards_.replica[static_cast<size_t>(first)]);
  if (of_devices) at.replica += cast<OpResult>(original).getResultNumber();
  PlacedBuilder build(b_, original.getLoc(), at);
  Operation* sum = build.op("add_n", terms);
  if (!sum) return {};
  sum->setDiscardableAttr(kOrigin, range_origin(original, first, last));
  return sum->getResult(0);
}

ir::OriginAttr SplitValues::range_origin(Value original, int64_t first, int64_t last,
                                         const Piece& piece) const {
  const bool all = last - first == count();
  return origin_attribute(b_.getContext(), number_of_value(original), first, last,
                          all ? -1 : factor_of(original), {all ? kWhole : kPartial}, piece);
}

int SplitValues::factor_of(Value original) const {
  Operation* op = original.getDefiningOp();
  if (adds_one_value(op)) return factor_of(op->getOperand(0));
  SmallVector<Layout> have;
  for (Value v : op->getOperands()) have.push_back(forms_.at(v).layout);
  return layout_of(op, have, shards_.units).factor;
}

ir::OriginAttr SplitValues::origin_of_whole(Value original) const {
  return origin_attribute(b_.getContext(), number_of_value(original), 0, count(), -1, {kWhole},
                          piece_of_value(original));
}

}  // namespace cutset::passes
