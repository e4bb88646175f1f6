// SPDX-License-Identifier: Apache-2.0
#include "runtime/files/convert_floats.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ir/core/half.h"
#include "ir/core/number_text.h"
#include "runtime/files/uninitialized.h"

namespace cutset {

bool can_convert_floats(DType from, DType to) {
  if (to != DType::f32 && to != DType::f64) return false;
  return from != to && is_float(from);
}

Result<HostTensor> converted_floats(const HostTensor& tensor, DType to) {
  HostTensor converted = uninitialized({to, tensor.shape()});
  const DType from = tensor.dtype();
  if (is_half(from)) {
    const auto exact = [from](uint16_t bits) { return from_half(bits, from); };
    if (to == DType::f32)
      std::ranges::transform(tensor.as<uint16_t>(), converted.as<float>().begin(), exact);
    else
      std::ranges::transform(tensor.as<uint16_t>(), converted.as<double>().begin(), exact);
  } else if (from == DType::f32) {
    std::ranges::copy(tensor.as<float>(), converted.as<double>().begin());
  } else {
    const auto elements = tensor.as<double>();
    const auto large = std::ranges::find_if(elements, [](double v) {
      return std::isfinite(v) && std::abs(v) > static_cast<double>(std::numeric_limits<float>::max());
    });
    if (large != elements.end())
      return invalid_data("element " + std::to_string(large - elements.begin()) + " is " +
                          shortest_text(*large) + ", which f32 cannot hold");
    std::ranges::transform(elements, converted.as<float>().begin(),
                           [](double v) { return static_cast<float>(v); });
  }
  return converted;
}

}  // namespace cutset
