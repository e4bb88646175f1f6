// SPDX-License-Identifier: Apache-2.0
// The levels of detail of a drawing. <cutset/session.h> includes this header.
#pragma once

namespace cutset {

// What one node of a drawing stands for.
enum class DotLevel {
  kOp,     // an op, an input, an output, or one end of a transfer
  kLayer,  // the forward ops, the backward ops or the updates of a layer on one device
  kBlock,  // the same of a block: the layers whose names begin with the same scopes, such as "layer1.0"
};

}  // namespace cutset
