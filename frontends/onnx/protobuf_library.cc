// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/protobuf_library.h"

#include <dlfcn.h>

#include <string>

#include "frontends/onnx/messages.h"
#include "frontends/onnx/names.h"
#include "ir/core/error.h"

namespace cutset::onnx {

void check_protobuf_library() {
  Dl_info ours = {}, found = {};
  if (!dladdr(reinterpret_cast<const void*>(&check_protobuf_library), &ours) ||
      !dladdr(reinterpret_cast<const void*>(&google::protobuf::internal::VerifyVersion), &found))
    return;
  const std::string path = found.dli_fname ? found.dli_fname : "";
  if (found.dli_fbase == ours.dli_fbase || path.substr(path.rfind('/') + 1).starts_with("libprotobuf"))
    return;
  throw Error(
      ErrorCode::kUnavailable,
      "the library '" + shown(path, 256) +
          "' of this process has Protocol Buffers of its own, which the dynamic "
          "linker takes in place of libprotobuf",
      "",
      "read and write ONNX models in a process without this library, for example with the command cutset");
}

}  // namespace cutset::onnx
