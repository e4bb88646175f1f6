#include "ir/ops/transpose/transpose_mlir.h"

using namespace mlir;

namespace cutset::ir {

void TransposeOp::gradient(PlacedBuilder& b, ValueRange gradients, MutableArrayRef<Value> into) {
  SmallVector<int64_t> inverse(getPermutation().size());
  for (auto [i, p] : llvm::enumerate(getPermutation())) inverse[static_cast<size_t>(p)] = static_cast<int64_t>(i);
  into[0] = b("transpose", {gradients[0]}, {b.attribute("permutation", inverse)});
}

}  // namespace cutset::ir
