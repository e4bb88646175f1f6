// SPDX-License-Identifier: Apache-2.0
// The files beside a model that hold the elements of its tensors.
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
// the model or below it. A symbolic link there may lead to another file of this folder, or, if the file of
// the model is itself a link, to the folder of the file that this link leads to: so do the caches of model
// hubs lay out a model. Opening a file needs openat2 of Linux 5.6.
class ExternalData {
 public:
  // Opens the model in a file, if it exists. With `hard_links`, files may have several hard links.
  ExternalData(const std::string& model_path, bool hard_links);

  // The bytes of the model. Throws kUnavailable if the file cannot be read.
  std::string read_model();

  // A part of an open file: where the elements of a tensor lie.
  struct Part {
    Descriptor file;
    uint64_t offset = 0, bytes = 0;
  };
  // Opens the file of a tensor. Throws kInvalidData if the place of the elements is malformed or not inside
  // the file, if the file is not a regular file in the folders above, if it has several hard links, or if all
  // parts of the file have more than twice its bytes, and kUnavailable if the file cannot be opened. `what`
  // names the tensor.
  Part open(const onnx_proto::TensorProto& proto, const std::string& what) const;
  // Reads the whole part. Throws kUnavailable if the file has become shorter. `to` has part.bytes bytes.
  static void read(const Part& part, std::span<unsigned char> to, const std::string& what);

 private:
  Descriptor open_file(const std::string& location, const std::string& what) const;
  Descriptor open_target(const std::string& location, const std::string& what) const;

  std::string path_;
  bool hard_links_;
  Descriptor folder_;  // the folder of the path
  Descriptor
      model_;  // the file of the model, whose bytes were read; closed if it is not known to be this one
  mutable std::map<std::pair<uint64_t, uint64_t>, uint64_t>
      opened_;  // by device and inode: the bytes of all parts
};

}  // namespace cutset::onnx
