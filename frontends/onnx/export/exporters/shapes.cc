// SPDX-License-Identifier: Apache-2.0
// Ops that change shapes.
#include <algorithm>

#include "frontends/onnx/export/exporters.h"
#include "ir/core/convert.h"
#include "ir/core/tensor_view.h"

namespace cutset::onnx {
namespace {

// In Cutset and in ONNX, a size of 0 keeps the size of x. A shape must not have both an inferred size and an
// open size at another index.
Exported reshape(ExportedOp& op) { return one(op.node("Reshape", {op.in(0), op.list(op.numbers("shape"))})); }

Exported reshape_like(ExportedOp& op) {
  return one(op.node("Reshape", {op.in(0), op.list_of(op.result_sizes())}, {{"allowzero", int64_t{1}}}));
}

// The dimensions that are inserted before the first dimension of x need no node, because Expand adds them.
Exported expand(ExportedOp& op) {
  const auto& axes = op.numbers("axes");
  const int64_t rank = op.result_type().rank();
  int64_t left = op.type(0).rank(), first = rank;  // the first dimension of the result that is one of x
  for (int64_t d = rank; d-- > 0 && left > 0;)
    if (std::find(axes.begin(), axes.end(), d) == axes.end()) {
      first = d;
      --left;
    }
  std::vector<int64_t> inserted;
  for (const int64_t axis : axes)
    if (axis > first)
      inserted.push_back(axis - rank);  // counted from the end, so that the number is right for both ranks
  std::string x = op.in(0);
  if (!inserted.empty()) x = op.node("Unsqueeze", {x, op.list(inserted)});
  if (inserted.empty() && op.sizes(0) == op.result_sizes()) return one(x);
  return one(op.node("Expand", {x, op.list_of(op.result_sizes())}));
}

// Returns the operand, because a model has no gradients.
Exported detach(ExportedOp& op) { return one(op.in(0)); }

// Makes a tensor whose elements are all the value. A scalar is a constant.
Exported full_like(ExportedOp& op) {
  const DType type = op.result_type().dtype;
  HostTensor value({type, {1}});
  if (is_float(type))
    value.set(0, op.real("value"));
  else
    CUTSET_TRY(dispatch_all(type, [&]<class T>(T) { value.as<T>()[0] = convert<T>(op.real("value")); }));
  if (op.result_type().rank() == 0) return one(op.constant(value.reshaped({})));
  return one(op.node("ConstantOfShape", {op.list_of(op.result_sizes())}, {{"value", value}}));
}

Exported transpose(ExportedOp& op) {
  return one(op.node("Transpose", {op.in(0)}, {{"perm", op.numbers("permutation")}}));
}

}  // namespace

static void export_shapes(Exporters& table) {
  table.insert({{"reshape", reshape},
                {"reshape_like", reshape_like},
                {"detach", detach},
                {"expand", expand},
                {"full_like", full_like},
                {"transpose", transpose}});
}

static const ExporterFamily kShapesExporters(export_shapes);

}  // namespace cutset::onnx
