// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/export/model_file.h"

#include <filesystem>

#include "runtime/files/files.h"

namespace cutset::onnx {
namespace {

// Initializers of fewer bytes stay in the model, because readers infer shapes from their elements.
constexpr size_t kSmall = 1024;
// The alignment in bytes of tensors in the file beside the model.
constexpr size_t kAlignment = 64;

std::string_view text_of(const HostTensor& tensor) {
  return {reinterpret_cast<const char*>(tensor.data()), tensor.bytes().size()};
}

// Adds the elements to the pieces of the file beside the model, which has `size` bytes so far, and sets their
// location in the message.
void put_outside(onnx_proto::TensorProto& to, const HostTensor& elements, const std::string& file,
                 std::vector<std::string_view>& pieces, size_t& size) {
  static const std::string kZeros(kAlignment, '\0');
  const std::string_view padding =
      std::string_view(kZeros).substr(0, (kAlignment - size % kAlignment) % kAlignment);
  pieces.push_back(padding);
  size += padding.size();
  to.set_data_location(onnx_proto::TensorProto::EXTERNAL);
  for (const auto& [key, value] : std::vector<std::pair<std::string, std::string>>{
           {"location", file},
           {"offset", std::to_string(size)},
           {"length", std::to_string(elements.bytes().size())}}) {
    auto& entry = *to.add_external_data();
    entry.set_key(key);
    entry.set_value(value);
  }
  pieces.push_back(text_of(elements));
  size += elements.bytes().size();
}

}  // namespace

Result<std::vector<std::string>> write_model(const std::string& path, ModelParts parts, bool external) {
  int64_t bytes = 0;
  for (const HostTensor& elements : parts.elements) bytes += elements.type().bytes();
  external |= bytes > kMostBytesInside;
  const std::string data_path = path + ".data",
                    data_name = std::filesystem::path(data_path).filename().string();
  std::vector<std::string_view> data;
  size_t data_bytes = 0;
  for (size_t i = 0; i < parts.elements.size(); ++i) {
    onnx_proto::TensorProto& to = *parts.model.mutable_graph()->mutable_initializer(static_cast<int>(i));
    if (external && parts.elements[i].bytes().size() >= kSmall) {
      put_outside(to, parts.elements[i], data_name, data, data_bytes);
      continue;
    }
    to.set_raw_data(parts.elements[i].data(), parts.elements[i].bytes().size());
    parts.elements[i] = {};  // so that the elements are in memory once
  }
  if (parts.model.ByteSizeLong() > kLargestMessage)
    return unsupported("the model has " + std::to_string(parts.model.ByteSizeLong()) +
                       " bytes without the elements of its weights; a file of ONNX has at most 2 GiB - 1");
  std::string message;
  if (!parts.model.SerializeToString(&message)) return execution_failed("the model cannot be made a message");
  std::vector<FileContents> files;
  if (!data.empty()) files.push_back({data_path, data});
  files.push_back({path, {message}});
  CUTSET_TRY(write_files(files));
  std::vector<std::string> names;
  for (auto file = files.rbegin(); file != files.rend(); ++file) names.push_back(file->path);
  return names;
}

}  // namespace cutset::onnx
