// SPDX-License-Identifier: Apache-2.0
// bucket-all-reduces: merges the all-reduces of gradients into buckets.
//
//   %a, %b = cutset.call @backward                  %a, %b = cutset.call @backward
//   cutset.all_reduce_start %a collective 0         cutset.all_reduce_start %a, %b collective 0
//   cutset.all_reduce_start %b collective 1   ->    %x, %y = cutset.all_reduce_wait collective 0
//   %x = cutset.all_reduce_wait collective 0        %f = cutset.call @check(%x, %y)
//   %y = cutset.all_reduce_wait collective 1        cutset.commit %f
//   %f = cutset.call @check(%x, %y)
//   cutset.commit %f
//
// A sum is merged only if nothing but updates and the finite check reads it, so no other role waits for a
// bucket.
//
// Problem: sum the gradients in few transfers, and overlap the first transfers with the remaining backward
//   ops.
// Method: greedy. The sums are visited in the order in which the first device makes the gradients. A bucket
//   is closed when it holds `bucket_bytes` bytes, or when the next sum has another element type or other
//   devices. The waits are placed directly before the finite check, in the order of the starts.
// Source: Li et al., "PyTorch Distributed: Experiences on Accelerating Data Parallel Training", VLDB 2020,
//   sections 3.2.2 and 3.2.3.
// Complexity: O(n log n) for n sums. Failure: none.
#include "ir/structural/structural.h"
#include "passes/passes.h"
#include "passes/support/placement/value_origin.h"

using namespace mlir;

namespace cutset::passes {

#define GEN_PASS_DEF_BUCKETALLREDUCES
#include "passes/passes.h.inc"

namespace {

// One collective: its start on every device that has a partial sum, and its wait on every device that reads
// the sum.
struct CollectiveOps {
  int64_t number = 0;
  SmallVector<ir::AllReduceStartOp> starts;
  SmallVector<ir::AllReduceWaitOp> waits;
  bool only_updates = true;  // the sum is read only by updates and by the finite check

  int64_t bytes() { return ir::tensor_type(starts[0].getValues()[0].getType())->bytes(); }
  Type element() { return cast<RankedTensorType>(starts[0].getValues()[0].getType()).getElementType(); }
};

// The positions of the actions of all schedules before any action is moved, and the commit of each schedule.
struct Actions {
  DenseMap<Operation*, size_t> position;
  DenseMap<Block*, ir::CommitOp> commit;

  explicit Actions(ModuleOp module) {
    for (auto schedule : module.getOps<ir::ScheduleOp>())
      for (Operation& action : schedule.getActions().front()) {
        position.try_emplace(&action, position.size());
        if (auto found = dyn_cast<ir::CommitOp>(action)) commit.try_emplace(action.getBlock(), found);
      }
  }
  bool before(Operation* a, Operation* b) const { return position.lookup(a) < position.lookup(b); }
  bool after_commit(Operation* action) const {
    Operation* committed = commit.lookup(action->getBlock());
    return committed && before(committed, action);
  }
};

// Whether the action is a call that computes the flag of a commit.
bool is_check(Operation* op) {
  return llvm::any_of(op->getUsers(), [](Operation* user) { return isa<ir::CommitOp>(user); });
}

// Whether both collectives have the same element type, the same shards on the same devices, and waits on the
// same devices.
bool can_share_bucket(CollectiveOps& a, CollectiveOps& b) {
  if (a.element() != b.element() || a.starts.size() != b.starts.size() || a.waits.size() != b.waits.size())
    return false;
  for (auto [x, y] : llvm::zip(a.starts, b.starts))
    if (x->getParentOp() != y->getParentOp() || x.getShards() != y.getShards()) return false;
  for (auto [x, y] : llvm::zip(a.waits, b.waits))
    if (x->getParentOp() != y->getParentOp()) return false;
  return true;
}

struct BucketAllReduces : ModulePass<BucketAllReduces, impl::BucketAllReducesBase> {
  using ModulePass::ModulePass;

  LogicalResult run(ModuleOp module) {
    const Actions actions(module);
    llvm::MapVector<StringAttr, std::map<int64_t, CollectiveOps>> functions;
    for (auto schedule : module.getOps<ir::ScheduleOp>()) {
      auto& all = functions[schedule.getFunctionAttr()];
      schedule.walk([&](ir::AllReduceStartOp s) {
        CollectiveOps& collective = all[static_cast<int64_t>(s.getCollective())];
        collective.starts.push_back(s);
        if (s.getValues().size() != 1) collective.only_updates = false;
      });
      schedule.walk([&](ir::AllReduceWaitOp w) {
        CollectiveOps& collective = all[static_cast<int64_t>(w.getCollective())];
        collective.waits.push_back(w);
        if (w.getSums().size() != 1) collective.only_updates = false;  // the collective is a bucket already
        for (Operation* user : w.getSums()[0].getUsers())
          collective.only_updates &= isa<ir::CallOp>(user) && (actions.after_commit(user) || is_check(user));
      });
    }
    for (auto& [function, all] : functions) {
      SmallVector<CollectiveOps*> order;
      for (auto& [number, collective] : all) {
        collective.number = number;
        if (collective.only_updates && !collective.starts.empty() && !collective.waits.empty())
          order.push_back(&collective);
      }
      // Sorts by the order in which the first device makes the gradients.
      llvm::sort(order, [&](const CollectiveOps* a, const CollectiveOps* b) {
        Operation *x = a->starts[0], *y = b->starts[0];
        return x->getParentOp() == y->getParentOp() ? actions.before(x, y) : a->number < b->number;
      });
      SmallVector<CollectiveOps*> bucket;  // the bucket that is being filled
      int64_t bytes = 0;
      for (CollectiveOps* collective : order) {
        if (!bucket.empty() && (bytes >= config.bucket_bytes || !can_share_bucket(*bucket[0], *collective))) {
          finish(bucket, actions);
          bytes = 0;
        }
        bucket.push_back(collective);
        bytes += collective->bytes();
      }
      finish(bucket, actions);
      renumber(all, IntegerType::get(&getContext(), 64));
    }
    return success();
  }

  // Merges the collectives of the bucket, moves their waits to the finite check, and empties the bucket.
  static void finish(SmallVector<CollectiveOps*>& bucket, const Actions& actions) {
    if (bucket.empty()) return;
    if (bucket.size() > 1) merge(bucket, actions);
    for (ir::AllReduceWaitOp wait : bucket[0]->waits)
      if (auto commit = actions.commit.lookup(wait->getBlock()))
        wait->moveBefore(commit.getFlags().empty() ? commit : commit.getFlags()[0].getDefiningOp());
    bucket.clear();
  }

  // Makes one collective of all collectives of the bucket. The merged start is at the position of the last
  // start.
  static void merge(ArrayRef<CollectiveOps*> bucket, const Actions& actions) {
    CollectiveOps& first = *bucket[0];
    for (ir::AllReduceStartOp& start : first.starts) {
      const size_t i = static_cast<size_t>(&start - first.starts.begin());
      SmallVector<Value> values;
      Operation* last = start;
      for (CollectiveOps* e : bucket) {
        values.append(e->starts[i].getValues().begin(), e->starts[i].getValues().end());
        if (actions.before(last, e->starts[i])) last = e->starts[i];
      }
      OpBuilder b(last);
      auto merged = ir::AllReduceStartOp::create(b, start.getLoc(), values, start.getCollectiveAttr(),
                                                 start.getShardsAttr());
      for (CollectiveOps* e : bucket) e->starts[i].erase();
      start = merged;
    }
    for (ir::AllReduceWaitOp& wait : first.waits) {
      const size_t i = static_cast<size_t>(&wait - first.waits.begin());
      SmallVector<Type> types;
      SmallVector<Attribute> origins;
      for (CollectiveOps* e : bucket) {
        types.push_back(e->waits[i].getSums()[0].getType());
        origins.push_back(e->waits[i]->getDiscardableAttr(kOrigin));
      }
      OpBuilder b(wait);
      auto merged = ir::AllReduceWaitOp::create(b, wait.getLoc(), types, wait.getCollectiveAttr());
      if (origins[0]) merged->setDiscardableAttr(kOrigin, b.getArrayAttr(origins));
      for (auto [e, sum] : llvm::zip(bucket, merged.getSums()))
        e->waits[i].getSums()[0].replaceAllUsesWith(sum);
      for (CollectiveOps* e : bucket) e->waits[i].erase();
      wait = merged;
    }
    for (CollectiveOps* e : bucket.drop_front()) {
      e->starts.clear();
      e->waits.clear();
    }
  }

  // Renumbers the collectives of a function from 0, because the runtime allocates one object per number.
  static void renumber(std::map<int64_t, CollectiveOps>& all, Type i64) {
    int64_t next = 0;
    for (auto& [old, collective] : all) {
      if (collective.starts.empty() && collective.waits.empty()) continue;
      const auto number = IntegerAttr::get(i64, next++);
      for (ir::AllReduceStartOp start : collective.starts) start.setCollectiveAttr(number);
      for (ir::AllReduceWaitOp wait : collective.waits) wait.setCollectiveAttr(number);
    }
  }
};

}  // namespace

std::unique_ptr<Pass> create_bucket_all_reduces(const CompileConfig& config) {
  return std::make_unique<BucketAllReduces>(config);
}

}  // namespace cutset::passes
