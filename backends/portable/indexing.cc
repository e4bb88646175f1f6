#include "backends/portable/indexing.h"

#include "backends/portable/reduce.h"

namespace cutset::portable {

std::string index_macros(DType index, DType element) {
  const bool is_unsigned =
      element == DType::u8 || element == DType::u16 || element == DType::u32 || element == DType::u64;
  return std::string("#define INDEX ") + c_type(index) + "\n#define T " + c_type(element) + "\n#define OUT_OF_RANGE " +
         (element == DType::f32 ? "NAN" : limit_of(element, is_unsigned)) + "\n";
}

}  // namespace cutset::portable
