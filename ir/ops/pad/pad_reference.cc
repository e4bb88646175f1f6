#include <cstring>

#include "ir/core/rows.h"
#include "ir/ops/pad/pad_rules.h"

namespace cutset::rules::pad {
Status reference(const PadAttrs& a, Views in, Views out) {
  const int axis = static_cast<int>(axis_from_front(a.axis, in[0].shape.size()));
  // The bits of zero are 0 in every element type.
  if (const int64_t bytes = out[0].elements() * size_of(out[0].dtype); bytes > 0)
    std::memset(out[0].data, 0, static_cast<size_t>(bytes));
  copy_rows(blocks_of(in[0].shape, axis), size_of(in[0].dtype), in[0].data, in[0].dim(axis), 0, out[0].data,
            out[0].dim(axis), a.before, in[0].dim(axis));
  return {};
}
}  // namespace cutset::rules::pad
