// SPDX-License-Identifier: Apache-2.0
#include "passes/split/splitter.h"

#include "passes/passes.h"
#include "passes/split/reason_for_whole.h"
#include "passes/split/split_values.h"
#include "passes/support/layout/folding.h"
#include "passes/support/placement/same_bits.h"
#include "passes/support/rewriting.h"

using namespace mlir;

namespace cutset::passes {
namespace {

class Splitter {
 public:
  // Every replica has `copies` copies of each op, one per device of its tensor axis. `divided` has the
  // variables that are divided over the replicas, and must outlive this object.
  Splitter(func::FuncOp function, Batch batch, Shards shards, int64_t copies, Data::Shard level,
           const llvm::StringMap<DividedVariable>& divided)
      : function_(function),
        batch_(std::move(batch)),
        shards_(std::move(shards)),
        copies_(copies),
        divided_(divided),
        b_(function),
        values_(shards_, copies, level, b_) {}
  LogicalResult run() {
    Block* old = &function_.getBody().front();
    Block* body = new Block;
    function_.getBody().push_back(body);
    b_.setInsertionPointToEnd(body);
    split_arguments(old, body);
    for (Operation& op : old->without_terminator())
      if (failed(visit(&op))) return failure();
    if (failed(split_results(old->getTerminator()))) return failure();
    for (Operation& op : *old) op.dropAllReferences();
    old->erase();
    erase_dead(*body);
    return success();
  }

 private:
  // Makes the arguments: one per class of shards for each input with a batch dimension, and one for each
  // other input.
  void split_arguments(Block* old, Block* body) {
    SmallVector<DictionaryAttr> attributes;
    Builder b(function_.getContext());
    for (BlockArgument a : old->getArguments()) {
      SplitValues::Forms& forms = values_.add(a);
      auto type = cast<RankedTensorType>(a.getType());
      DictionaryAttr given = function_.getArgAttrDict(a.getArgNumber());
      const int64_t number = origin_of(given ? given.get(kOrigin) : Attribute(), 0).number;
      const Layout layout = forms.layout = batch_.layouts[a.getArgNumber()];
      auto add = [&](RankedTensorType t, int64_t shard, NamedAttrList list) {
        list.set(kOrigin, origin_attribute(b.getContext(), number, shard, shard + 1, -1, {layout}));
        attributes.push_back(list.getDictionary(b.getContext()));
        return body->addArgument(t, a.getLoc());
      };
      if (layout == kWhole) {
        forms.whole.assign(static_cast<size_t>(shards_.replicas), add(type, 0, given));
        continue;
      }
      const auto d = static_cast<size_t>(layout);
      SmallVector<int64_t> shape(type.getShape());
      for (size_t shard : shards_.first_of) {
        NamedAttrList list(given);
        set_rows(list, shard, type, layout);
        if (shards_.micro_batches) list.set(kShardClass, b.getI64IntegerAttr(shards_.class_of[shard]));
        shape[d] = shards_.rows(shard, type.getDimSize(static_cast<unsigned>(layout))).size;
        forms.shards.push_back(add(type.clone(shape), static_cast<int64_t>(shard), list));
      }
    }
    argument_attributes_ = std::move(attributes);
  }

  // Sets the attributes that say which rows of a value of type `whole` the first shard of a class has.
  void set_rows(NamedAttrList& list, size_t shard, RankedTensorType whole, Layout layout) {
    const int64_t size = whole.getDimSize(static_cast<unsigned>(layout));
    list.set(kStart, b_.getI64IntegerAttr(shards_.rows(shard, size).start));
    list.set(kRows, b_.getI64IntegerAttr(size));
    if (layout > 0) list.set(kBatchDimension, b_.getI64IntegerAttr(layout));
  }

  // Reads the pieces of a variable that the readers of `op` need: the pieces inside the piece of its device
  // on the tensor axis, or all pieces.
  LogicalResult read_pieces(ir::ReadOp op, const ReplicaPieces& which) {
    const int64_t first = which.of_piece ? values_.number(which, 0) : 0;
    const int64_t count = shards_.replicas * (which.of_piece ? 1 : copies_);
    const auto type = cast<RankedTensorType>(op.getValue().getType());
    SmallVector<Value> all;
    for (int64_t i = 0; i < count; ++i) {
      auto copy = cast<ir::ReadOp>(b_.clone(*op));
      label(copy, op, 0, {.operands = {}, .results = {kWhole}}, 0, {values_.piece(which.axis, first + i)});
      copy.setReplica(static_cast<uint64_t>(first + i));
      SmallVector<int64_t> shape(type.getShape());
      shape[static_cast<size_t>(which.axis)] =
          range_of(shape[static_cast<size_t>(which.axis)], 1, count, i).size;
      copy.getValue().setType(type.clone(shape));
      all.push_back(copy.getValue());
    }
    SplitValues::Forms& forms = values_.add(op.getValue());
    const Value* held = all.begin() + (values_.number(which, 0) - first);
    forms.pieces[which].assign(held, held + shards_.replicas);
    forms.joined_along = which.axis;
    forms.to_join = std::move(all);
    forms.origin = op;
    return success();
  }

  // Copies an op that sets or updates a variable that the replicas divide.
  LogicalResult visit_pieces(Operation* op, const ReplicaPieces& which) {
    SmallVector<Layout> operands(op->getNumOperands(), which.axis), results(op->getNumResults(), which.axis);
    if (auto rules = dyn_cast<ir::CutsetOpInterface>(op)) {
      const auto rule =
          rules.op_info().shard(ir::flat_attributes(op).data(), ir::tensor_types(op->getOperands()));
      const auto factor = llvm::find_if(
          rule.factors, [&](const Factor& f) { return f.operands[0] == which.axis && f.is_parallel(); });
      if (factor == rule.factors.end())
        return op->emitOpError() << "cannot be divided along dimension " << which.axis << " of its variable";
      operands.assign(factor->operands.begin(), factor->operands.end());
      results.assign(factor->results.begin(), factor->results.end());
    }
    SmallVector<SmallVector<Value>> made(op->getNumResults());
    for (int64_t r = 0; r < shards_.replicas; ++r) {
      SmallVector<Value> given;
      for (auto [v, d] : llvm::zip(op->getOperands(), operands)) {
        auto have =
            d == kWhole ? values_.whole(v, op) : values_.pieces(v, {d, which.device, which.of_piece}, op);
        if (failed(have)) return failure();
        given.push_back((*have)[static_cast<size_t>(d == kWhole ? replica_to_assign(v, r) : r)]);
      }
      Operation* copy = b_.clone(*op);
      copy->setOperands(given);
      SmallVector<Piece> pieces;
      for (Layout d : results)
        pieces.push_back(d == kWhole ? Piece() : values_.piece(d, values_.number(which, r)));
      label(copy, op, r, {.operands = operands, .results = SmallVector<Layout>(results.size(), kWhole)}, 0,
            pieces);
      if (auto assign = dyn_cast<ir::AssignOp>(copy))
        assign.setReplica(static_cast<uint64_t>(values_.number(which, r)));
      if (auto infers = dyn_cast<InferTypeOpInterface>(copy); infers && failed(infer_again(infers)))
        return failure();
      for (auto [result, value] : llvm::enumerate(copy->getResults())) made[result].push_back(value);
    }
    for (auto [result, value] : llvm::enumerate(op->getResults())) {
      SplitValues::Forms& forms = values_.add(value);
      forms.origin = op;
      if (results[result] == kWhole)  // a state of another shape, which every replica updates
        forms.whole = std::move(made[result]);
      else
        forms.pieces.emplace(ReplicaPieces{results[result], which.device, which.of_piece},
                             std::move(made[result]));
    }
    return success();
  }

  // Copies an op, once per class of shards or once per replica.
  LogicalResult visit(Operation* op) {
    if (reads_rows_of_samples(op))
      return op->emitOpError("has rows_per_sample, which only the compiler sets (leave it out)");
    if (const ReplicaPieces which = replica_pieces(op, divided_); which.axis != kWhole)
      return isa<ir::ReadOp>(op) ? read_pieces(cast<ir::ReadOp>(op), which) : visit_pieces(op, which);
    SmallVector<Layout> have;
    for (Value v : op->getOperands()) have.push_back(values_.at(v).layout);
    OpLayout layout = layout_of(op, have, shards_.units);
    const size_t copies = layout.split ? shards_.classes() : static_cast<size_t>(shards_.replicas);
    auto rules = dyn_cast<ir::CutsetOpInterface>(op);
    const bool same_bits = keeps_copies_equal(op);
    const StringAttr reason = layout.split ? StringAttr() : whole_because(op, have);
    SmallVector<SmallVector<Value>> made(op->getNumResults());
    for (size_t c = 0; c < copies; ++c) {
      const size_t shard = layout.split ? shards_.first_of[c] : c;
      const int64_t replica = layout.split ? shards_.replica[shard] : static_cast<int64_t>(c);
      if (isa<ir::ConstantOp, ir::TypeOnlyOp>(op) && c > 0) {  // it has no device, so all copies share one op
        made[0].push_back(made[0].front());
        continue;
      }
      SmallVector<Value>
          operands;  // found before the op is cloned, because ops that make them may have to be built
      for (auto [i, v] : llvm::enumerate(op->getOperands())) {
        const Layout needed = layout.operands[i];
        if (rules && rules.op_info().reads_type_only(i)) {
          operands.push_back(values_.type_only(v, needed, c));
          continue;
        }
        const bool of_shard = needed != kWhole || (layout.split && values_.is_one_shard(v));
        auto have = of_shard ? values_.shards(v, needed, op) : values_.whole(v, op);
        if (failed(have)) return failure();
        operands.push_back(
            (*have)[of_shard ? c : static_cast<size_t>(same_bits ? replica_to_assign(v, replica) : replica)]);
      }
      Operation* copy = b_.clone(*op);
      copy->setOperands(operands);
      if (Operation* term = adds_one_value(op) ? operands[0].getDefiningOp() : nullptr;
          term && term->hasAttr(kOrigin))
        layout.factor = static_cast<int>(term->getAttrOfType<ir::OriginAttr>(kOrigin).getFactor());
      label(copy, op, replica, layout, shard, pieces_of(op->getDiscardableAttr(kOrigin)));
      if (rules && rules.op_info().positional && layout.split)
        set_first_element(copy, rows_of(op->getResult(0), 0, shard).start);
      if (reason) copy->setDiscardableAttr(kWholeBecause, reason);
      if (isa<ir::AllReduceOp>(copy))
        for (auto [result, operand] : llvm::zip(copy->getResults(), operands))
          result.setType(operand.getType());
      if (failed(set_types(copy, op, layout, shard))) return failure();
      for (auto [r, value] : llvm::enumerate(copy->getResults())) made[r].push_back(value);
    }
    enter_results(op, layout, made, reason);
    return success();
  }

  // Stores the results of the copies of an op as the forms of the results of the op.
  void enter_results(Operation* op, const OpLayout& layout, ArrayRef<SmallVector<Value>> copies,
                     StringAttr whole_because) {
    for (auto [r, value] : llvm::enumerate(op->getResults())) {
      SplitValues::Forms& forms = values_.add(value);
      forms.layout = layout.results[r];
      if (auto rows = op->getAttrOfType<IntegerAttr>(kBatchDimension);
          rows && rows.getInt() < cast<RankedTensorType>(value.getType()).getRank())
        forms.layout = static_cast<Layout>(rows.getInt());
      (forms.layout == kWhole ? forms.whole : forms.shards) = copies[r];
      forms.origin = op;
      forms.whole_because = whole_because;
    }
  }

  // Computes the types of the results of a copy again. `shard` is the shard of an op that is divided.
  LogicalResult set_types(Operation* copy, Operation* op, const OpLayout& layout, size_t shard) {
    auto infers = dyn_cast<InferTypeOpInterface>(copy);
    if (!infers) return success();
    if (const Layout d = layout.results[0]; layout.split && d >= 0)
      set_shape(copy, d, rows_of(op->getResult(0), d, shard).size);
    if (failed(infer_again(infers))) return failure();
    for (auto [r, d] : llvm::enumerate(layout.results)) {
      auto type = cast<RankedTensorType>(copy->getResult(static_cast<unsigned>(r)).getType());
      if (d >= 0 && type.getDimSize(static_cast<unsigned>(d)) !=
                        rows_of(op->getResult(static_cast<unsigned>(r)), d, shard).size)
        return op->emitOpError() << "cannot be divided along factor " << layout.factor
                                 << " of its sharding rule: shard " << shard << " has the type " << type;
    }
    return success();
  }

  // Returns the rows of a shard of a value of the original function along dimension `d`.
  Rows rows_of(Value original, Layout d, size_t shard) const {
    return shards_.rows(shard,
                        cast<RankedTensorType>(original.getType()).getDimSize(static_cast<unsigned>(d)));
  }

  // Returns why an op is computed whole although it, or an op on which it depends, reads rows of the batch;
  // null if no rows had to be joined for it.
  StringAttr whole_because(Operation* op, ArrayRef<Layout> have) {
    auto rules = dyn_cast<ir::CutsetOpInterface>(op);
    if (!rules || rules.op_info().updates > 0) return {};
    if (const std::string why = reason_for_whole(op, have, shards_.units); !why.empty())
      return b_.getStringAttr(why);
    for (Value v : op->getOperands())
      if (StringAttr since = values_.at(v).whole_because) return since;
    return {};
  }

  // Returns the replica whose value of `v` is assigned to the variable of `replica`. Replicas on different
  // devices may round a computed value differently, so all replicas assign the value of the first replica, or
  // their own value if it has the same bits.
  int64_t replica_to_assign(Value v, int64_t replica) const {
    const bool computed = v.getDefiningOp<ir::CutsetOpInterface>() && !keeps_copies_equal(v.getDefiningOp());
    return computed && values_.at(v).layout == kWhole ? 0 : replica;
  }

  // Sets the replica and the origin of the copy `copy` of `op`.
  void label(Operation* copy, Operation* op, int64_t replica, const OpLayout& layout, size_t shard,
             ArrayRef<Piece> pieces) {
    const auto number = [&](int64_t device) { return replica * copies_ + device; };
    if (auto placed = dyn_cast<ir::PlacedOpInterface>(copy))
      placed.placement().replica = number(placed.placement().replica);
    if (auto read = dyn_cast<ir::ReadOp>(copy))
      read.setReplica(number(static_cast<int64_t>(read.getReplica())));
    if (auto assign = dyn_cast<ir::AssignOp>(copy))
      assign.setReplica(number(static_cast<int64_t>(assign.getReplica())));
    const auto first = layout.split ? static_cast<int64_t>(shard) : 0;
    if (layout.split && shards_.micro_batches)
      copy->setDiscardableAttr(kShardClass, b_.getI64IntegerAttr(shards_.class_of[shard]));
    copy->setDiscardableAttr(
        kOrigin, origin_attribute(copy->getContext(), number_of(op), first, layout.split ? first + 1 : all(),
                                  layout.factor, layout.results, pieces));
  }
  int64_t all() const { return static_cast<int64_t>(shards_.count()); }

  // Makes the results: one per class of shards if a dimension of the value is the batch, and otherwise one
  // whole value.
  LogicalResult split_results(Operation* end) {
    SmallVector<Value> values;
    SmallVector<DictionaryAttr> attributes;
    SmallVector<Type> types;
    for (auto [i, v] : llvm::enumerate(end->getOperands())) {
      DictionaryAttr given = function_.getResultAttrDict(static_cast<unsigned>(i));
      if (const SplitValues::Forms& forms = values_.at(v); forms.layout >= 0) {
        for (size_t c = 0; c < shards_.classes(); ++c) {
          NamedAttrList list(given);
          set_rows(list, shards_.first_of[c], cast<RankedTensorType>(v.getType()), forms.layout);
          attributes.push_back(list.getDictionary(b_.getContext()));
          values.push_back(forms.shards[c]);
        }
      } else if (auto whole = values_.whole(v, end); succeeded(whole)) {
        values.push_back(whole->front());
        attributes.push_back(given);
      } else {
        return failure();
      }
    }
    func::ReturnOp::create(b_, end->getLoc(), values);
    for (Value v : values) types.push_back(v.getType());
    Block* body = b_.getInsertionBlock();
    function_.setType(FunctionType::get(b_.getContext(), body->getArgumentTypes(), types));
    function_.setAllArgAttrs(argument_attributes_);
    function_.setAllResultAttrs(attributes);
    return success();
  }

  func::FuncOp function_;
  const Batch batch_;
  Shards shards_;
  const int64_t copies_;
  const llvm::StringMap<DividedVariable>& divided_;
  OpBuilder b_;
  SplitValues values_;
  SmallVector<DictionaryAttr> argument_attributes_;
};

}  // namespace

LogicalResult split_function(func::FuncOp function, const Batch& batch, const Shards& shards, int64_t copies,
                             Data::Shard level, const llvm::StringMap<DividedVariable>& divided) {
  return Splitter(function, batch, shards, copies, level, divided).run();
}

}  // namespace cutset::passes
