#include "ir/core/rows.h"
#include "ir/structural/part/part_rules.h"

namespace cutset::ops::part {
Status reference(const PartAttrs& a, Views in, Views out) {
  copy_rows(blocks_of(in[0].shape, a.axis), size_of(in[0].dtype), in[0].data, in[0].dim(static_cast<int>(a.axis)),
            a.start, out[0].data, a.rows, 0, a.rows);
  return {};
}
}  // namespace cutset::ops::part
