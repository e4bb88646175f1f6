// SPDX-License-Identifier: Apache-2.0
// The drawings of a function in the DOT language of Graphviz, one per level of detail. <cutset/explain.h>
// includes this header.
#pragma once
#include <optional>
#include <string>

#include "passes/inspect/dot_level.h"

namespace cutset {

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
