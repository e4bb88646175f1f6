#include "backends/portable/indexing.h"

#include "backends/portable/reduce.h"

namespace cutset::portable {

Macros index_macros(DType index, DType element) {
  const bool is_unsigned =
      element == DType::u8 || element == DType::u16 || element == DType::u32 || element == DType::u64;
  return {{"INDEX", c_type(index)},
          {"T", c_type(element)},
          {"OUT_OF_RANGE", element == DType::f32 ? "NAN" : limit_of(element, is_unsigned)}};
}

}  // namespace cutset::portable
