// bucket: all-reduces of small tensors that updates wait for become one.
//
//   call @train/cpu:0/backward1 -> %a, %b           call @train/cpu:0/backward1 -> %a, %b
//   all_reduce_start %a collective 3          ->    all_reduce_start %a, %b collective 3
//   all_reduce_start %b collective 4                %x, %y = all_reduce_wait collective 3
//   %x = all_reduce_wait collective 3
//   %y = all_reduce_wait collective 4
//
// Buckets are filled in the order in which backward makes gradients; one is closed when it has `bytes`, so the first
// ones are under way while the rest of backward runs. Waits stand in the order of starts, right before the check that
// precedes the commit: a sum that is there is taken while later ones are computed. Only sums that nothing but that check
// and updates read are bucketed, so no role waits longer than it has to.
#include "ir/structural/structural.h"
#include "passes/passes.h"
#include "passes/split/meaning.h"

using namespace mlir;

namespace cutset::passes {
namespace {

// One collective: its start on every device that has a part, its wait on every device that wants the sum.
struct Ends {
  int64_t number = 0;
  SmallVector<ir::AllReduceStartOp> starts;
  SmallVector<ir::AllReduceWaitOp> waits;
  bool onlyUpdates = true;

  int64_t bytes() { return ir::tensorType(starts[0].getValues()[0].getType())->bytes(); }
  Type element() { return cast<RankedTensorType>(starts[0].getValues()[0].getType()).getElementType(); }
};

bool after_commit(Operation* op) {
  for (Operation* before = op; before; before = before->getPrevNode())
    if (isa<ir::CommitOp>(before)) return true;
  return false;
}

// Looks at the sums for the commit.
bool is_check(Operation* op) {
  return llvm::any_of(op->getUsers(), [](Operation* user) { return isa<ir::CommitOp>(user); });
}

// The same parts on the same devices, wanted by the same devices.
bool alike(Ends& a, Ends& b) {
  if (a.element() != b.element() || a.starts.size() != b.starts.size() || a.waits.size() != b.waits.size())
    return false;
  for (auto [x, y] : llvm::zip(a.starts, b.starts))
    if (x->getParentOp() != y->getParentOp() || x.getShards() != y.getShards()) return false;
  for (auto [x, y] : llvm::zip(a.waits, b.waits))
    if (x->getParentOp() != y->getParentOp()) return false;
  return true;
}

struct Bucket : ModulePass<Bucket> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Bucket)
  static constexpr const char* kFlag = "bucket";
  static constexpr const char* kSummary = "Gradients that are summed together";
  Bucket() = default;
  Bucket(const Bucket& o) : ModulePass(o) {}
  Option<int64_t> bytes{*this, "bytes", llvm::cl::desc("close a bucket that has so many; 0: no buckets"),
                        llvm::cl::init(1 << 20)};

  LogicalResult run(ModuleOp module) {
    llvm::MapVector<StringAttr, std::map<int64_t, Ends>> functions;
    for (auto schedule : module.getOps<ir::ScheduleOp>()) {
      auto& all = functions[schedule.getFunctionAttr()];
      schedule.walk([&](ir::AllReduceStartOp s) {
        Ends& ends = all[static_cast<int64_t>(s.getCollective())];
        ends.starts.push_back(s);
        if (s.getValues().size() != 1) ends.onlyUpdates = false;
      });
      schedule.walk([&](ir::AllReduceWaitOp w) {
        Ends& ends = all[static_cast<int64_t>(w.getCollective())];
        ends.waits.push_back(w);
        if (w.getSums().size() != 1) ends.onlyUpdates = false;  // a bucket already
        for (Operation* user : w.getSums()[0].getUsers())
          ends.onlyUpdates &= isa<ir::CallOp>(user) && (after_commit(user) || is_check(user));
      });
    }
    for (auto& [function, all] : functions) {
      SmallVector<Ends*> order;
      for (auto& [number, ends] : all) {
        ends.number = number;
        if (ends.onlyUpdates && !ends.starts.empty() && !ends.waits.empty()) order.push_back(&ends);
      }
      llvm::sort(order, [](const Ends* a, const Ends* b) {  // as the first device makes them
        Operation *x = a->starts[0], *y = b->starts[0];
        return x->getParentOp() == y->getParentOp() ? x->isBeforeInBlock(y) : a->number < b->number;
      });
      SmallVector<Ends*> bucket;  // open
      int64_t held = 0;
      for (Ends* ends : order) {
        if (!bucket.empty() && (held >= bytes || !alike(*bucket[0], *ends))) finish(bucket), held = 0;
        bucket.push_back(ends), held += ends->bytes();
      }
      finish(bucket);
      renumber(module, function);
    }
    return success();
  }

  static void finish(SmallVector<Ends*>& bucket) {
    if (bucket.empty()) return;
    if (bucket.size() > 1) merge(bucket);
    for (ir::AllReduceWaitOp wait : bucket[0]->waits)
      for (Operation& op : llvm::make_early_inc_range(*wait->getBlock()))
        if (auto commit = dyn_cast<ir::CommitOp>(op))
          wait->moveBefore(commit.getFlags().empty() ? &op : commit.getFlags()[0].getDefiningOp());
    bucket.clear();
  }

  // Starts meet where the last of them is.
  static void merge(ArrayRef<Ends*> bucket) {
    Ends& first = *bucket[0];
    for (ir::AllReduceStartOp& start : first.starts) {
      const size_t i = static_cast<size_t>(&start - first.starts.begin());
      SmallVector<Value> values;
      Operation* last = start;
      for (Ends* e : bucket) {
        values.append(e->starts[i].getValues().begin(), e->starts[i].getValues().end());
        if (last->isBeforeInBlock(e->starts[i])) last = e->starts[i];
      }
      OpBuilder b(last);
      auto merged =
          ir::AllReduceStartOp::create(b, start.getLoc(), values, start.getCollectiveAttr(), start.getShardsAttr());
      for (Ends* e : bucket) e->starts[i].erase();
      start = merged;
    }
    for (ir::AllReduceWaitOp& wait : first.waits) {
      const size_t i = static_cast<size_t>(&wait - first.waits.begin());
      SmallVector<Type> types;
      SmallVector<Attribute> meanings;
      for (Ends* e : bucket) {
        types.push_back(e->waits[i].getSums()[0].getType());
        meanings.push_back(e->waits[i]->getDiscardableAttr(kMeaning));
      }
      OpBuilder b(wait);
      auto merged = ir::AllReduceWaitOp::create(b, wait.getLoc(), types, wait.getCollectiveAttr());
      if (meanings[0]) merged->setDiscardableAttr(kMeaning, b.getArrayAttr(meanings));
      for (auto [e, sum] : llvm::zip(bucket, merged.getSums())) e->waits[i].getSums()[0].replaceAllUsesWith(sum);
      for (Ends* e : bucket) e->waits[i].erase();
      wait = merged;
    }
  }

  // Numbers without gaps: the runtime makes one object a number.
  static void renumber(ModuleOp module, StringAttr function) {
    std::map<int64_t, int64_t> numbers;
    Builder b(module.getContext());
    for (bool assign : {false, true}) {
      auto visit = [&](auto op) {
        if (op->template getParentOfType<ir::ScheduleOp>().getFunctionAttr() != function) return;
        if (assign)
          op.setCollectiveAttr(b.getI64IntegerAttr(numbers.at(static_cast<int64_t>(op.getCollective()))));
        else
          numbers[static_cast<int64_t>(op.getCollective())];
      };
      module.walk([&](ir::AllReduceStartOp op) { visit(op); });
      module.walk([&](ir::AllReduceWaitOp op) { visit(op); });
      int64_t next = 0;
      for (auto& [old, fresh] : numbers) fresh = next++;
    }
  }
};

}  // namespace

std::unique_ptr<Pass> createBucket(int64_t bytes) {
  auto pass = std::make_unique<Bucket>();
  pass->bytes = bytes;
  return pass;
}

}  // namespace cutset::passes
