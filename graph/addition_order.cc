#include "graph/addition_order.h"

namespace cutset {

std::vector<AdditionOrder::Addition> AdditionOrder::next() {
  starts_.push_back(next_++);
  std::vector<Addition> additions;
  while (starts_.size() > 1 && (!along_tree_ || is_node(starts_[starts_.size() - 2], next_))) {
    additions.push_back({starts_[starts_.size() - 2], starts_.back(), next_});
    starts_.pop_back();
  }
  return additions;
}

// Whether the sum over the shards [first, last) is a node of the tree over the range.
bool AdditionOrder::is_node(int64_t first, int64_t last) const {
  int64_t from = range_.first, to = range_.last;
  while (from != first || to != last) {
    if (to - from < 2) return false;
    const int64_t middle = middle_of(from, to);
    if (last <= middle)
      to = middle;
    else if (first >= middle)
      from = middle;
    else
      return false;
  }
  return true;
}

}  // namespace cutset
