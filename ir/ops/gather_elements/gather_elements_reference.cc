// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/gather/gather_shape.h"
#include "ir/ops/gather_elements/element_lines.h"
#include "ir/ops/gather_elements/gather_elements_rules.h"

namespace cutset::rules::gather_elements {

Status reference(const Attrs& a, Views in, Views out) {
  const ElementLines lines = lines_of_elements(in[0].shape, in[1].shape, a.axis);
  return dispatch_all(in[0].dtype, [&]<class T>(T) {
    for_each_element(lines.lines(), {lines.in_data, lines.in_indices}, [&](int64_t, const int64_t (&at)[2]) {
      const T* data = in[0].as<T>() + at[0];
      for (int64_t k = 0; k < lines.count; ++k) {
        const int64_t i = at[1] + k * lines.index_step;
        const int64_t index = in[1].dtype == DType::i64 ? in[1].as<int64_t>()[i] : in[1].as<int32_t>()[i];
        const int64_t offset = lines.offset(index);
        out[0].as<T>()[i] = offset < 0 ? out_of_range<T>() : data[offset];
      }
    });
  });
}

}  // namespace cutset::rules::gather_elements
