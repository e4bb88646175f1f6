// SPDX-License-Identifier: Apache-2.0
#include "passes/inspect/image_notes.h"

#include <set>

#include "ir/core/number_text.h"
#include "ir/dialect/dialect.h"
#include "ir/structural/structural.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/passes.h"

using namespace mlir;

namespace cutset::passes {
namespace {

bool is_colours(int64_t size) { return size == 1 || size == 3 || size == 4; }
bool is_square(int64_t height, int64_t width) {
  constexpr int64_t kSmallestImage = 16;
  return height == width && height >= kSmallestImage;
}

// Returns a text that says how a convolution reads an input of this shape, and what the user can do if the
// input is meant in another way. Returns an empty text if the shape is not suspicious.
std::string misread(ArrayRef<int64_t> shape) {
  const auto n = [](int64_t size) { return std::to_string(size); };
  if (shape.size() == 4 && is_square(shape[1], shape[2]) && is_colours(shape[3]))
    return "images of " + n(shape[1]) + " channels, " + n(shape[2]) + " rows and " +
           counted(static_cast<size_t>(shape[3]), "column") +
           "; if the channels are the last dimension, transpose(x, {0, 3, 1, 2}) moves them";
  if (shape.size() == 3 && is_square(shape[1], shape[2]) && is_colours(shape[0]))
    return counted(static_cast<size_t>(shape[0]), "sequence") + " of " + n(shape[1]) + " channels and " +
           n(shape[2]) + " elements; if it is one image, give it a batch: [1, " + n(shape[0]) + ", " +
           n(shape[1]) + ", " + n(shape[2]) + "]";
  return "";
}

// Whether the op moves a window over the operand, as convolutions and poolings do. Such an op has the
// attributes stride and padding.
bool moves_window(OpOperand& use) {
  const ArrayRef<StringAttr> names = use.getOwner()->getName().getAttributeNames();
  const auto has = [&](StringRef name) { return llvm::is_contained(names, name); };
  return use.getOperandNumber() == 0 && has("stride") && has("padding");
}

}  // namespace

std::vector<std::string> image_notes(ModuleOp module) {
  std::vector<std::string> notes;
  std::set<StringRef> seen;  // inputs that have a note; several functions may share an input
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal()) continue;
    for (BlockArgument argument : function.getArguments()) {
      auto input = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), kInput);
      if (!input || seen.contains(input.getValue())) continue;
      for (OpOperand& use : argument.getUses()) {
        if (!moves_window(use)) continue;
        const auto shape = cast<RankedTensorType>(argument.getType()).getShape();
        if (const std::string how = misread(shape); !how.empty() && seen.insert(input.getValue()).second)
          notes.push_back("'" + use.getOwner()->getName().stripDialect().str() + "' (" +
                          ir::source_of(use.getOwner()->getLoc()) + ") reads the input '" + input.str() +
                          "' as " + how);
      }
    }
  }
  return notes;
}

}  // namespace cutset::passes
