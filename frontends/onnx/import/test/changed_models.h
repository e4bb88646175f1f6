// SPDX-License-Identifier: Apache-2.0
// Changes models for tests.
#pragma once
#include <cutset/onnx.h>

#include <random>

#include "frontends/onnx/import/test/model_bytes.h"

namespace cutset::onnx {

// Imports `count` copies of `m`, each with one byte set to a random value, and returns how many are refused.
inline int refused_changes(const Message& m, int count) {
  std::mt19937 random(1);
  int refused = 0;
  for (int i = 0; i < count; ++i) {
    std::vector<unsigned char> bytes = bytes_of(m);
    bytes[random() % bytes.size()] = static_cast<unsigned char>(random());
    try {
      import_model(bytes);
    } catch (const Error&) {
      ++refused;
    }
  }
  return refused;
}

}  // namespace cutset::onnx
