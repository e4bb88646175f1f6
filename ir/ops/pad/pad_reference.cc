// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "ir/core/rows.h"
#include "ir/ops/pad/pad_rows.h"
#include "ir/ops/pad/pad_rules.h"

namespace cutset::rules {

Status pad::reference(const Attrs& a, Views in, Views out) {
  const int axis = static_cast<int>(axis_from_front(a.axis, in[0].shape.size()));
  const int64_t rows = in[0].dim(axis), all = out[0].dim(axis), element = size_of(in[0].dtype);
  const Blocks blocks = blocks_of(in[0].shape, axis);
  // The bits of zero are 0 in every element type.
  if (const int64_t bytes = out[0].elements() * element; bytes > 0)
    std::memset(out[0].data, 0, static_cast<size_t>(bytes));
  copy_rows(blocks, element, in[0].data, rows, 0, out[0].data, all, a.before, rows);
  for_each_copy(padding_of(a), rows, [&](int64_t row, int64_t from) {
    copy_rows(blocks, element, in[0].data, rows, from, out[0].data, all, row, 1);
  });
  return {};
}

Status pad_backward::reference(const Attrs& a, Views in, Views out) {
  const int axis = static_cast<int>(axis_from_front(a.axis, in[0].shape.size()));
  const int64_t rows = out[0].dim(axis), all = in[0].dim(axis);
  const Blocks blocks = blocks_of(in[0].shape, axis);
  copy_rows(blocks, size_of(in[0].dtype), in[0].data, all, a.before, out[0].data, rows, 0, rows);
  return dispatch_float(in[0].dtype, [&]<class T>(T) {
    const T* g = in[0].as<T>();
    T* d = out[0].as<T>();
    for_each_copy(padding_of(a), rows, [&](int64_t row, int64_t from) {
      for (int64_t k = 0; k < blocks.count; ++k)
        for (int64_t i = 0; i < blocks.inner; ++i)
          d[(k * rows + from) * blocks.inner + i] += g[(k * all + row) * blocks.inner + i];
    });
  });
}

}  // namespace cutset::rules
