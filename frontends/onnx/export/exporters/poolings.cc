// SPDX-License-Identifier: Apache-2.0
// Poolings.
#include <algorithm>

#include "frontends/onnx/export/exporters.h"
#include "frontends/onnx/export/exporters/windows.h"

namespace cutset::onnx {
namespace {

// The windows of a pooling. `rest` is, per axis, the number of rows after the padded image that the last
// window covers. It is above 0 if ceil_mode adds a window. Exported nodes have padding for these rows instead
// of ceil_mode, because implementations of ONNX add different numbers of windows.
struct Windows {
  size_t axes = 0;
  std::vector<int64_t> kernel, stride, dilation, pads, rest;

  static Result<Windows> of(ExportedOp& op) {
    Windows w;
    w.axes = static_cast<size_t>(op.type(0).rank()) - 2;
    w.kernel = op.numbers("kernel");
    w.stride = op.numbers("stride").empty() ? w.kernel : op.numbers("stride");
    w.dilation = per_axis(op, "dilation", w.axes);
    w.pads = both_sides(op, w.axes);
    for (size_t d = 0; d < w.axes; ++d) {
      if (!op.sizes(0)[d + 2].is_fixed()) return unsupported("the size of its images depends on the batch");
      const int64_t size = op.type(0).shape[d + 2], windows = op.result_type().shape[d + 2];
      const int64_t end = (windows - 1) * w.stride[d] + w.dilation[d] * (w.kernel[d] - 1) + 1;
      w.rest.push_back(std::max<int64_t>(end - (w.pads[d] + size + w.pads[d + w.axes]), 0));
      if (w.has_empty_window(d, size, windows)) return unsupported("a window lies outside of the images");
    }
    return w;
  }

  // Whether some window has no element in the image. ONNX does not define such a window.
  bool has_empty_window(size_t d, int64_t size, int64_t windows) const {
    for (int64_t i = 0; i < windows; ++i) {
      bool inside = false;
      for (int64_t k = 0; k < kernel[d] && !inside; ++k) {
        const int64_t at = i * stride[d] - pads[d] + k * dilation[d];
        inside = at >= 0 && at < size;
      }
      if (!inside) return true;
    }
    return false;
  }

  // Returns the padding of the node, including the rows of `rest`.
  std::vector<int64_t> all_pads() const {
    std::vector<int64_t> all = pads;
    for (size_t d = 0; d < axes; ++d) all[d + axes] += rest[d];
    return all;
  }
  NodeAttributes attributes(const std::vector<int64_t>& with_pads) const {
    return {{"kernel_shape", kernel}, {"strides", stride}, {"dilations", dilation}, {"pads", with_pads}};
  }
  int64_t elements() const {
    int64_t product = 1;
    for (const int64_t k : kernel) product *= k;
    return product;
  }
};

Status check_type(const ExportedOp& op) {
  const DType type = op.type(0).dtype;
  if (is_float(type) || type == DType::i8 || type == DType::u8) return {};
  return unsupported("ONNX's MaxPool does not take " + std::string(name_of(type)), "cast the images to f32");
}

Exported max_pool(ExportedOp& op) {
  CUTSET_TRY(check_type(op));
  CUTSET_ASSIGN(const Windows w, Windows::of(op));
  return one(op.node("MaxPool", {op.in(0)}, w.attributes(w.all_pads())));
}

// ONNX counts the indices over all images and channels.
Exported max_pool_indices(ExportedOp& op) {
  CUTSET_TRY(check_type(op));
  CUTSET_ASSIGN(const Windows w, Windows::of(op));
  int64_t pixels = 1;
  for (size_t d = 0; d < w.axes; ++d) pixels *= op.type(0).shape[d + 2];
  const ValueNames results = op.nodes("MaxPool", {op.in(0)}, 2, w.attributes(w.all_pads()));
  return one(op.node("Mod", {results[1], op.whole(pixels)}));
}

// If there is a divisor, the result is the sum of a window divided by it. The mean counts the elements of the
// padding if count_include_pad is set, but never the rows of `rest`. A node that must tell the two apart
// reads an image to which zeros were added before.
Exported avg_pool(ExportedOp& op) {
  CUTSET_ASSIGN(const Windows w, Windows::of(op));
  const int64_t divisor = op.number("divisor_override");
  const bool counts = op.flag("count_include_pad");
  const auto pooled = [&](const std::string& x, const std::vector<int64_t>& pads, bool include) {
    NodeAttributes attributes = w.attributes(pads);
    attributes.push_back({"count_include_pad", int64_t{include}});
    return op.node("AveragePool", {x}, attributes);
  };
  if (divisor > 0) {
    const double factor = static_cast<double>(w.elements()) / static_cast<double>(divisor);
    return one(op.node("Mul", {pooled(op.in(0), w.all_pads(), true), op.scalar(op.type(0).dtype, factor)}));
  }
  const bool has_rest = std::any_of(w.rest.begin(), w.rest.end(), [](int64_t rows) { return rows > 0; });
  if (!counts || !has_rest) return one(pooled(op.in(0), w.all_pads(), counts));
  std::vector<int64_t> pads(2, 0), rest(w.axes, 0);
  pads.insert(pads.end(), w.pads.begin(), w.pads.begin() + static_cast<int64_t>(w.axes));
  pads.insert(pads.end(), 2, 0);
  pads.insert(pads.end(), w.pads.begin() + static_cast<int64_t>(w.axes), w.pads.end());
  rest.insert(rest.end(), w.rest.begin(), w.rest.end());
  return one(pooled(op.node("Pad", {op.in(0), op.list(pads)}), rest, false));
}

}  // namespace

static void export_poolings(Exporters& table) {
  table.insert({{"max_pool", max_pool}, {"max_pool_indices", max_pool_indices}, {"avg_pool", avg_pool}});
}

static const ExporterFamily kPoolingsExporters(export_poolings);

}  // namespace cutset::onnx
