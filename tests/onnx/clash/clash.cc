// SPDX-License-Identifier: Apache-2.0
// Imports a model in a process that has another library for ONNX.
//
// - `cutset_onnx_clash MODEL` expects that both libraries work.
// - `cutset_onnx_clash MODEL refused` expects that the import reports the other library, which has its own
//   copy of Protocol Buffers.
#include <cutset/cutset.h>
#include <cutset/onnx.h>
#include <onnx-ml.pb.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  onnx::ModelProto theirs;
  theirs.set_text("other");
  theirs.add_numbers()->set_number(7);
  onnx::ModelProto read;
  std::ifstream file(argv[1], std::ios::binary);
  const std::vector<unsigned char> bytes(std::istreambuf_iterator<char>(file), {});
  const bool refused = argc > 2 && std::strcmp(argv[2], "refused") == 0;
  try {
    const cutset::onnx::Model model = cutset::onnx::import_model(bytes);
    if (refused || model.results.size() != 1 || model.inputs.empty()) {
      std::fprintf(stderr, "the import gives %zu results\n", model.results.size());
      return 1;
    }
  } catch (const cutset::Error& e) {
    if (refused && std::strstr(e.what(), "has Protocol Buffers of its own")) return 0;
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  if (!read.ParseFromString(theirs.SerializeAsString()) || read.text() != "other" ||
      read.numbers(0).number() != 7) {
    std::fprintf(stderr, "the other library reads another message\n");
    return 1;
  }
  return 0;
}
