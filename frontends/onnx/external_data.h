// The files beside a model that hold the elements of its tensors.
#pragma once
#include <span>
#include <string>

#include "runtime/files/files.h"

namespace onnx {
class TensorProto;
}  // namespace onnx

namespace cutset::onnx {

class ExternalData {
 public:
  // The files in the folder of a model and below it. Throws kUnavailable if the folder cannot be opened.
  explicit ExternalData(const std::string& model_path);

  // A part of an open file: where the elements of a tensor lie.
  struct Part {
    Descriptor file;
    uint64_t offset = 0, bytes = 0;
  };
  // Opens the file of a tensor. Throws kInvalidData if the place of the elements is malformed or not inside the file, or if the file is
  // not a regular file inside the folder with one hard link, and kUnavailable if the file cannot be opened. `what` names the tensor.
  Part open(const ::onnx::TensorProto& proto, const std::string& what) const;
  // Reads the whole part. Throws kUnavailable if the file has become shorter. `to` has part.bytes bytes.
  static void read(const Part& part, std::span<unsigned char> to, const std::string& what);

 private:
  Descriptor folder_;
};

}  // namespace cutset::onnx
