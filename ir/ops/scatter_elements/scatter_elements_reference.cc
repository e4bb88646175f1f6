// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/ops/gather/gather_shape.h"
#include "ir/ops/gather_elements/element_lines.h"
#include "ir/ops/scatter_elements/scatter_elements_rules.h"

namespace cutset::rules::scatter_elements {
namespace {

// Joins an element and an update. Integers are joined as unsigned 64-bit integers, which wrap around.
template <class T>
T join(int32_t reduction, T element, T update) {
  using Wide = std::conditional_t<std::is_floating_point_v<T>, T, uint64_t>;
  const bool is_nan = update != update;
  switch (reduction) {
    case CUTSET_SCATTER_ELEMENTS_REDUCTION_ADD:
      return static_cast<T>(static_cast<Wide>(element) + static_cast<Wide>(update));
    case CUTSET_SCATTER_ELEMENTS_REDUCTION_MUL:
      return static_cast<T>(static_cast<Wide>(element) * static_cast<Wide>(update));
    case CUTSET_SCATTER_ELEMENTS_REDUCTION_MAX:
      return update > element || is_nan ? update : element;
    case CUTSET_SCATTER_ELEMENTS_REDUCTION_MIN:
      return update < element || is_nan ? update : element;
    default:
      return update;
  }
}

}  // namespace

Status reference(const Attrs& a, Views in, Views out) {
  const ElementLines lines = lines_of_elements(in[0].shape, in[1].shape, a.axis);
  return dispatch_all(in[0].dtype, [&]<class T>(T) {
    std::copy_n(in[0].as<T>(), in[0].elements(), out[0].as<T>());
    for_each_element(lines.lines(), {lines.in_data, lines.in_indices}, [&](int64_t, const int64_t (&at)[2]) {
      T* to = out[0].as<T>() + at[0];
      bool beyond = false;
      for (int64_t k = 0; k < lines.count; ++k) {
        const int64_t i = at[1] + k * lines.index_step;
        const int64_t index = in[1].dtype == DType::i64 ? in[1].as<int64_t>()[i] : in[1].as<int32_t>()[i];
        const int64_t offset = lines.offset(index);
        beyond |= offset < 0;
        if (offset >= 0) to[offset] = join(a.reduction, to[offset], in[2].as<T>()[i]);
      }
      for (int64_t k = 0; beyond && k < lines.length; ++k) to[k * lines.data_step] = out_of_range<T>();
    });
  });
}

}  // namespace cutset::rules::scatter_elements
