// SPDX-License-Identifier: Apache-2.0
// The drawings of a function in the DOT language of Graphviz, one per level of detail. <cutset/session.h>
// includes this header.
#pragma once
#include <optional>
#include <string>

namespace cutset {

// What one node of a drawing stands for.
enum class DotLevel {
  kOp,     // an op, an input, an output, or one end of a transfer
  kLayer,  // the forward ops, the backward ops or the updates of a layer on one device
  kBlock,  // the same of a block: the layers whose names begin with the same scopes, such as "layer1.0"
};
// The texts of the drawings, and the level at which the function is usually drawn.
struct Drawings {
  std::string ops, layers, blocks;    // one text per level
  DotLevel usual = DotLevel::kLayer;  // kBlock if a device has more than 60 nodes in `layers`

  // Returns the drawing of this level, or of the usual level if none is given.
  const std::string& at(std::optional<DotLevel> level = {}) const {
    switch (level.value_or(usual)) {
      case DotLevel::kOp:
        return ops;
      case DotLevel::kLayer:
        return layers;
      default:
        return blocks;
    }
  }
};

}  // namespace cutset
