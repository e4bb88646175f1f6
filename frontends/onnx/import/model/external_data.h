// SPDX-License-Identifier: Apache-2.0
// Opens the files beside a model that hold the elements of its tensors.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "runtime/files/files.h"

namespace cutset::onnx_proto {
class TensorProto;
}  // namespace cutset::onnx_proto

namespace cutset::onnx {

// The files that hold elements of the tensors of a model (ONNX's external data). They are in the folder of
// the model or below it. A symbolic link there may lead to another file below this folder. If the file of the
// model is itself a link to a file, a link may also lead below the folder of that file, because the caches of
// model hubs store models in this way. Opening a file needs openat2 of Linux 5.6.
class ExternalData {
 public:
  // Opens the model in a file, if it exists. With `hard_links`, files may have several hard links.
  ExternalData(const std::string& model_path, bool hard_links);

  // Reads the bytes of the model. Throws kUnavailable if the file cannot be read.
  std::string read_model();

  // The part of an open file that has the elements of a tensor.
  struct Part {
    Descriptor file;
    uint64_t offset = 0, bytes = 0;
  };
  // Opens the file of a tensor. `what` names the tensor in errors. Throws kUnavailable if the file cannot be
  // opened, and kInvalidData in these cases:
  // - The location of the elements is malformed or not inside the file.
  // - The file is not a regular file below the folders above.
  // - The file has several hard links.
  // - All opened parts of the file together have more than twice its bytes.
  Part open(const onnx_proto::TensorProto& proto, const std::string& what) const;
  // Reads the whole part. Throws kUnavailable if the file has become shorter. `to` has part.bytes bytes.
  static void read(const Part& part, std::span<unsigned char> to, const std::string& what);

 private:
  Descriptor open_file(const std::string& location, const std::string& what) const;
  Descriptor open_target(const std::string& location, const std::string& what) const;

  std::string path_;
  bool hard_links_;
  Descriptor folder_;  // the folder in the path of the model
  Descriptor model_;   // the file of the model; closed if its bytes could not be read from it
  mutable std::map<std::pair<uint64_t, uint64_t>, uint64_t>
      opened_;  // by device and inode of a file: the bytes of all its opened parts
};

}  // namespace cutset::onnx
