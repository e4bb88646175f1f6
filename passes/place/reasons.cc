// SPDX-License-Identifier: Apache-2.0
#include "passes/place/reasons.h"

#include "llvm/Support/FormatVariadic.h"
#include "passes/support/placement/value_origin.h"

namespace cutset::passes {

std::string copy_text(const FittedStrategy& strategy, int64_t copy) {
  const int64_t devices = strategy.tensor_devices(), replicas = strategy.replicas();
  std::string text =
      replicas == 1 ? "" : llvm::formatv("replica {0} of {1}", copy / devices + 1, replicas).str();
  if (devices == 1) return text;
  if (!text.empty()) text += ", ";
  return text + llvm::formatv("device {0} of {1} of the tensor axis", copy % devices + 1, devices).str();
}

std::string piece_text(const FittedStrategy& strategy, mlir::Operation* op) {
  if (strategy.tensor_devices() == 1 || op->getNumResults() == 0) return "";
  const ValueOrigin origin = origin_of(op);
  if (origin.number == kNone) return "";  // a step on the way from one form of a value to another one
  const Piece& piece = origin.piece;
  if (piece.layout == kPartial) return ": a partial sum";
  return piece.layout >= 0 ? ": dimension " + std::to_string(piece.layout) + " is divided" : ": whole";
}

std::string names_text(const DeviceList& devices) {
  std::string names;
  for (const auto& d : devices) names += (names.empty() ? "" : ",") + d->name();
  return names;
}

std::string line_text(int64_t line) {
  return line ? "line " + std::to_string(line) + " of the plan" : "the plan";
}

}  // namespace cutset::passes
