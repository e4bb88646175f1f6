// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/import/errors.h"

#include "ir/core/error.h"

namespace cutset::onnx {

void unsupported(const std::string& why) { throw Error(ErrorCode::kUnsupported, why, "", ""); }
void invalid(const std::string& why) { throw Error(ErrorCode::kInvalidData, why, "", ""); }

}  // namespace cutset::onnx
