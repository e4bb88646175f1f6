// SPDX-License-Identifier: Apache-2.0
#include <cutset/arguments.h>

namespace cutset {

AxisSizes::AxisSizes(std::initializer_list<int64_t> each) : sizes_(each) {}

std::vector<int64_t> AxisSizes::list(size_t axes) const {
  return sizes_.size() == 1 ? std::vector<int64_t>(axes, sizes_[0]) : sizes_;
}

AxisList::AxisList(WholeNumber one) : list_{one} {}
AxisList::AxisList(std::initializer_list<int64_t> each) : list_(each) {}

}  // namespace cutset
