// SPDX-License-Identifier: Apache-2.0
#include "ir/core/op/reference_run.h"

#include "ir/core/half.h"

namespace cutset {

ReferenceRun::ReferenceRun(const OpInfo& op, const void* attributes, Views in, Views out)
    : op_(op), attributes_(attributes) {
  if (op.converts_halves) return;
  widen(in, false, in_);
  widen(out, true, out_);
}

void ReferenceRun::widen(Views views, bool result, std::vector<TensorView>& wide) {
  for (size_t i = 0; i < views.size(); ++i) {
    wide.push_back(views[i]);
    if (!is_half(views[i].dtype)) continue;
    wide.back().dtype = DType::f32;
    if (!result && op_.reads_type_only(i)) continue;
    const int64_t n = views[i].elements();
    halves_.push_back({result, i, views[i].dtype, n, scratch_bytes_});
    scratch_bytes_ += static_cast<uint64_t>(n) * sizeof(float);
  }
}

Status ReferenceRun::run(Views in, Views out, void* scratch) {
  if (op_.converts_halves) return op_.reference(attributes_, in, out);
  for (size_t i = 0; i < in.size(); ++i) in_[i].data = in[i].data;
  for (size_t i = 0; i < out.size(); ++i) out_[i].data = out[i].data;
  for (const Half& h : halves_) {
    auto* wide = reinterpret_cast<float*>(static_cast<char*>(scratch) + h.offset);
    (h.result ? out_ : in_)[h.index].data = wide;
    if (!h.result) from_halves(in[h.index].as<uint16_t>(), wide, h.elements, h.type);
  }
  CUTSET_TRY(op_.reference(attributes_, in_, out_));
  for (const Half& h : halves_)
    if (h.result) to_halves(out_[h.index].as<float>(), out[h.index].as<uint16_t>(), h.elements, h.type);
  return {};
}

Status run_reference(const OpInfo& op, const void* attributes, Views in, Views out) {
  ReferenceRun run(op, attributes, in, out);
  std::vector<float> scratch(run.scratch_bytes() / sizeof(float));
  return run.run(in, out, scratch.data());
}

}  // namespace cutset
