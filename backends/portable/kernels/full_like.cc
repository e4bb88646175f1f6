// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/halves.h"
#include "backends/portable/typed_kernels.h"
#include "ir/core/convert.h"
#include "ir/structural/full_like/full_like_attrs.h"

namespace cutset::portable {
namespace {

// The bits of the value are passed as an unsigned integer.
const char* kSource = R"(
KERNEL(full_like)(TENSOR(T, y), T value, int n) {
  BIND(T, y);
  int i = ITEM;
  if (i < n) y[i] = value;
}
)";

struct FullLike {
  static std::string supports(const abi::Problem& p) { return check_stored_types(p); }
  // Returns the value in the element type of the result, converted as in the reference kernel.
  static Argument argument(DType type, double value) {
    if (is_half(type)) return Argument::Short{to_half(value, type)};
    switch (type) {
      case DType::i32:
        return static_cast<int32_t>(convert<int32_t>(value));
      case DType::i64:
        return Argument::Wide{static_cast<uint64_t>(convert<int64_t>(value))};
      case DType::i8:
        return Argument::Byte{static_cast<uint8_t>(convert<int8_t>(value))};
      case DType::i16:
        return Argument::Short{static_cast<uint16_t>(convert<int16_t>(value))};
      case DType::u16:
        return Argument::Short{convert<uint16_t>(value)};
      case DType::u32:
        return static_cast<int32_t>(convert<uint32_t>(value));
      case DType::u64:
        return Argument::Wide{convert<uint64_t>(value)};
      case DType::u8:
        return Argument::Byte{convert<uint8_t>(value)};
      case DType::i1:
        return Argument::Byte{convert<bool>(value)};
      default:
        return static_cast<float>(value);
    }
  }
  static void build(Launches& list, const abi::Problem& p) {
    const int64_t n = elements(p.out_shape(0));
    const DType type = p.out_type(0);
    const TypedKernel kernel = moving_kernel("full_like", size_of(type), kSource);
    list.add_flat(kernel.source, kernel.name, n,
                  {out(0), argument(type, p.attributes<FullLikeAttrs>().value), n});
  }
};

}  // namespace

void register_full_like(abi::KernelTable& kernels) { add_kernel<FullLike>(kernels, "full_like"); }

}  // namespace cutset::portable
