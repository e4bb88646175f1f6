// SPDX-License-Identifier: Apache-2.0
// Notes on inputs of images whose dimensions seem to be in another order than [batch, channels, height,
// width]. Convolutions and poolings accept them if the window fits, and then compute something else than the
// user means.
#pragma once
#include <string>
#include <vector>

#include "mlir/IR/BuiltinOps.h"

namespace cutset::passes {

// Returns a note per input of the graph that a convolution or a pooling reads and that
// - is square in its second and third dimension, and has 1, 3 or 4 columns: [8, 28, 28, 3];
// - has three dimensions, is square in the last two, and has 1, 3 or 4 samples: [3, 28, 28].
// Smaller squares than 16 have no note, since they are often sizes of a network and not of images. `module`
// is the module after the phase `import`. Complexity: O(ops).
std::vector<std::string> image_notes(mlir::ModuleOp module);

}  // namespace cutset::passes
