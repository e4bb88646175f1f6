// SPDX-License-Identifier: Apache-2.0
#include "passes/cut/roles/frames.h"

#include "passes/passes.h"

using namespace mlir;

namespace cutset::passes {
namespace {

// Identifies a frame by the role that computes its values and the roles that read them. No role reads partial
// sums. `sums` then has the first and the last micro-batch of the sum, and `producers` the roles that compute
// its partial sums, by class.
struct FrameKey {
  StringRef device;
  RoleKey producer;
  std::vector<RoleKey> readers, producers;
  std::pair<int64_t, int64_t> sums = {-1, -1};
  bool operator<(const FrameKey& o) const {
    return std::tie(device, producer, readers, producers, sums) <
           std::tie(o.device, o.producer, o.readers, o.producers, o.sums);
  }
};

class FrameFinder {
 public:
  explicit FrameFinder(const Partition& partition) : partition_(partition) {}

  // Returns the op of a micro-batch that computes the value; null: none does.
  static Operation* definer_of(Value v) {
    Operation* definer = v.getDefiningOp();
    return definer && definer->hasAttr(kShardClass) ? definer : nullptr;
  }
  // Returns the key of a value that other roles of micro-batches read.
  std::optional<FrameKey> key_of(Value v) const {
    Operation* definer = definer_of(v);
    if (!definer) return std::nullopt;
    const StringAttr device = partition_.device.lookup(definer);
    FrameKey key{.device = device.getValue(),
                 .producer = partition_.role.lookup(definer),
                 .readers = {},
                 .producers = {}};
    for (Operation* user : v.getUsers()) {
      if (!user->hasAttr(kShardClass) || partition_.device.lookup(user) != device) return std::nullopt;
      if (const RoleKey reader = partition_.role.lookup(user); reader != key.producer)
        key.readers.push_back(reader);
    }
    llvm::sort(key.readers);
    key.readers.erase(llvm::unique(key.readers), key.readers.end());
    return key.readers.empty() ? std::nullopt : std::optional(key);
  }
  // Returns the key of the partial sums of `sum`. Returns none if another op reads one of them, or if one is
  // not computed on the device of `sum`.
  std::optional<FrameKey> key_of(ir::SumMicroBatchesOp sum) const {
    const StringAttr device = partition_.device.lookup(sum);
    FrameKey key{.device = device.getValue(),
                 .producer = {},
                 .readers = {},
                 .producers = {},
                 .sums = {static_cast<int64_t>(sum.getFirst()), static_cast<int64_t>(sum.getLast())}};
    for (Value v : sum.getPartials()) {
      Operation* definer = definer_of(v);
      if (!definer || !v.hasOneUse() || partition_.device.lookup(definer) != device) return std::nullopt;
      key.producers.push_back(partition_.role.lookup(definer));
    }
    return key;
  }

 private:
  const Partition& partition_;
};

}  // namespace

Type ValueGroup::type() const {
  return frame ? TupleType::get(key().getContext(), llvm::to_vector(ValueRange(values).getTypes()))
               : key().getType();
}

SmallVector<Type> types_of(ArrayRef<ValueGroup> groups) {
  SmallVector<Type> types;
  for (const ValueGroup& g : groups) llvm::append_range(types, ValueRange(g.values).getTypes());
  return types;
}

Frames::Frames(func::FuncOp function, const Partition& partition) {
  const FrameFinder finder(partition);
  std::map<FrameKey, int64_t> known;
  const auto add = [&](const FrameKey& key, Value v) {
    const auto [at, first] = known.try_emplace(key, static_cast<int64_t>(frames_.size()));
    if (first) frames_.emplace_back();
    frames_[static_cast<size_t>(at->second)].push_back(v);
    number_[v] = at->second;
  };
  for (Operation& op : function.getBody().front()) {
    if (auto sum =
            dyn_cast<ir::SumMicroBatchesOp>(op)) {  // all classes have the values in the order of the sums
      auto key = finder.key_of(sum);
      if (!key) continue;
      for (auto [producer, v] : llvm::zip(std::vector(key->producers), sum.getPartials())) {
        key->producer = producer;
        add(*key, v);
      }
    } else {
      for (Value v : op.getResults())
        if (const auto key = finder.key_of(v)) add(*key, v);
    }
  }
}

int64_t Frames::number_of(Value value) const {
  const auto at = number_.find(value);
  return at == number_.end() ? -1 : at->second;
}

SmallVector<ValueGroup> Frames::groups_of(ArrayRef<Value> values) const {
  SmallVector<ValueGroup> groups;
  DenseSet<int64_t> met;
  for (Value v : values) {
    const int64_t number = number_of(v);
    if (number < 0)
      groups.push_back({{v}});
    else if (met.insert(number).second)
      groups.push_back({llvm::to_vector<1>(frames_[static_cast<size_t>(number)]), true});
  }
  return groups;
}

}  // namespace cutset::passes
