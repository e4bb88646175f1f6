#include "runtime/abi/reference_kernel.h"

#include <string>

#include "ir/core/check_types.h"
#include "ir/core/op_info.h"
#include "runtime/abi/host_device.h"

namespace cutset::abi {
namespace {

TensorView view(const cutset_type& type, void* data) {
  return {data, static_cast<DType>(type.dtype), {type.shape, static_cast<size_t>(type.rank)}};
}

const char* scratch(const cutset_device_info*, const cutset_problem*, uint64_t* bytes) {
  *bytes = 0;
  return nullptr;
}
const char* instantiate(cutset_device, const cutset_problem* p, const cutset_tensor* in, const cutset_tensor* out,
                        cutset_tensor, cutset_instance* instance) {
  return guard([&] {
    std::vector<void*> from, to;
    for (size_t i = 0; i < p->in_count; ++i) from.push_back(in[i] ? host(in[i])->data : nullptr);
    for (size_t i = 0; i < p->out_count; ++i) to.push_back(host(out[i])->data);
    *instance = reinterpret_cast<cutset_instance>(new BoundReference(p, from.data(), to.data()));
  });
}
const char* enqueue(cutset_queue, cutset_instance instance) {
  return reinterpret_cast<BoundReference*>(instance)->run();
}
void release(cutset_instance instance) { delete reinterpret_cast<BoundReference*>(instance); }

}  // namespace

const std::vector<cutset_kernel>& reference_kernels() {
  static const std::vector<std::string>* names = [] {
    auto* list = new std::vector<std::string>;
    for (const OpInfo* op : all_ops()) list->push_back(std::string(op->name) + ".reference");
    return list;
  }();
  static const auto* kernels = [] {
    auto* list = new std::vector<cutset_kernel>;
    for (size_t i = 0; i < names->size(); ++i)
      list->push_back({.size = sizeof(cutset_kernel),
                       .op = all_ops()[i]->name,
                       .name = (*names)[i].c_str(),
                       .supports = BoundReference::supports,
                       .scratch = scratch,
                       .instantiate = instantiate,
                       .enqueue = enqueue,
                       .release = release});
    return list;
  }();
  return *kernels;
}

const char* BoundReference::supports(const cutset_problem* p) {
  for (size_t i = 0; i < p->in_count + p->out_count; ++i) {
    const int32_t type = i < p->in_count ? p->in[i].dtype : p->out[i - p->in_count].dtype;
    const auto dtype = static_cast<DType>(type);
    if (!is_dtype(dtype)) return keep_message("element type " + std::to_string(type) + " is unknown");
    if (!has_arithmetic(dtype)) return keep_message(std::string("no reference kernel computes in ") + name_of(dtype));
  }
  return nullptr;
}

BoundReference::BoundReference(const cutset_problem* problem, void* const* in, void* const* out)
    : op_(find_op(problem->op)), attributes_(problem->attributes) {
  for (size_t i = 0; i < problem->in_count; ++i) in_.push_back(view(problem->in[i], in[i]));
  for (size_t i = 0; i < problem->out_count; ++i) out_.push_back(view(problem->out[i], out[i]));
}

const char* BoundReference::run() const {
  const Status status = op_->reference(attributes_, in_, out_);
  return status.ok() ? nullptr : keep_message(status.error().what);
}

}  // namespace cutset::abi
