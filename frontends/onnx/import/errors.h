// SPDX-License-Identifier: Apache-2.0
// Throws the errors of an import. The importer adds the name of the node that is being converted.
#pragma once
#include <string>

namespace cutset::onnx {

// Throws an Error (kUnsupported).
[[noreturn]] void unsupported(const std::string& why);
// Throws an Error (kInvalidData), for models that ONNX does not allow.
[[noreturn]] void invalid(const std::string& why);

}  // namespace cutset::onnx
