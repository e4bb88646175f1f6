// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/import/import_context.h"

#include <cutset/ops.h>

namespace cutset::onnx {

// Constants have at most 1 KiB, so larger tensors become variables. There are no constants of truth values.
Tensor ImportContext::constant(const HostTensor& elements) {
  if (elements.dtype() == DType::i1) {
    const std::span<const unsigned char> bytes = elements.bytes();
    const HostTensor numbers({DType::u8, elements.shape()},
                             std::vector<unsigned char>(bytes.begin(), bytes.end()));
    return cast(constant(numbers), {.dtype = DType::i1});
  }
  if (elements.type().bytes() <= 1024) return graph_.constant(elements);
  return graph_.variable(variables_.fresh("constant"), elements, {.trainable = false});
}

}  // namespace cutset::onnx
