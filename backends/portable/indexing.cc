// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/indexing.h"

#include "backends/portable/reduce.h"
#include "backends/portable/typed_kernels.h"

namespace cutset::portable {

std::string index_definition(DType index) { return definitions({{"INDEX", c_type(index)}}); }

Macros::value_type out_of_range_macro(DType element) {
  return {"OUT_OF_RANGE", element == DType::f32 ? "NAN" : limit_of(element, is_unsigned(element))};
}

Macros element_macros(DType element) { return {{"T", c_type(element)}, out_of_range_macro(element)}; }

}  // namespace cutset::portable
