// The files beside a model that hold the elements of its tensors.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "runtime/files/files.h"

namespace onnx {
class TensorProto;
}  // namespace onnx

namespace cutset::onnx {

// The files in the folder of a model and below it that hold elements of its tensors (ONNX's external data). Opening one needs openat2 of
// Linux 5.6.
class ExternalData {
 public:
  // Throws kUnavailable if the folder cannot be opened.
  explicit ExternalData(const std::string& model_path);

  // A part of an open file: where the elements of a tensor lie.
  struct Part {
    Descriptor file;
    uint64_t offset = 0, bytes = 0;
  };
  // Opens the file of a tensor. Throws kInvalidData if the place of the elements is malformed or not inside the file, or if the file is
  // not a regular file inside the folder with one hard link, or if all parts of the file have more than twice its bytes, and kUnavailable if the file cannot be opened. `what` names the tensor.
  Part open(const ::onnx::TensorProto& proto, const std::string& what) const;
  // Reads the whole part. Throws kUnavailable if the file has become shorter. `to` has part.bytes bytes.
  static void read(const Part& part, std::span<unsigned char> to, const std::string& what);

 private:
  Descriptor folder_;
  mutable std::map<std::pair<uint64_t, uint64_t>, uint64_t> opened_;  // by device and inode: the bytes of all parts
};

}  // namespace cutset::onnx
