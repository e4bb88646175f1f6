// SPDX-License-Identifier: Apache-2.0
// Writes models of ONNX to files.
#pragma once
#include <string>
#include <vector>

#include "frontends/onnx/export/exporter.h"

namespace cutset::onnx {

// If the elements have more bytes in total, they are written beside the model, so that its message stays far
// below the limit of Protocol Buffers, 2 GiB - 1.
inline constexpr int64_t kMostBytesInside = int64_t{1} << 30;

// Writes the model to `path`. Writes the elements of its larger initializers to PATH.data if `external` is
// set, or if the initializers have more than kMostBytesInside bytes. Returns the files. A failure leaves both
// files as they were, unless the renaming of the second file fails.
Result<std::vector<std::string>> write_model(const std::string& path, ModelParts parts, bool external);

}  // namespace cutset::onnx
