#include "runtime/abi/loop_kernel.h"

#include <string>

#include "ir/core/check_types.h"
#include "ir/core/op_info.h"
#include "runtime/abi/host_device.h"

namespace cutset::abi {
namespace {

TensorView view(const cutset_type& type, void* data) {
  return {data, static_cast<DType>(type.dtype), {type.shape, static_cast<size_t>(type.rank)}};
}

const char* supports(const cutset_problem* p) {
  for (size_t i = 0; i < p->in_count + p->out_count; ++i) {
    const cutset_type& t = i < p->in_count ? p->in[i] : p->out[i - p->in_count];
    const auto type = static_cast<DType>(t.dtype);
    if (!is_dtype(type) || !has_arithmetic(type))
      return say(std::string("no loop for ") + (is_dtype(type) ? name_of(type) : "this type"));
  }
  return nullptr;
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
    *instance = reinterpret_cast<cutset_instance>(new BoundLoop(p, from.data(), to.data()));
  });
}
const char* enqueue(cutset_queue, cutset_instance instance) { return reinterpret_cast<BoundLoop*>(instance)->run(); }
void release(cutset_instance instance) { delete reinterpret_cast<BoundLoop*>(instance); }

}  // namespace

const std::vector<cutset_kernel>& loop_kernels() {
  static const std::vector<std::string>* names = [] {
    auto* list = new std::vector<std::string>;
    for (const OpInfo* op : all_ops()) list->push_back(std::string(op->name) + ".loop");
    return list;
  }();
  static const auto* kernels = [] {
    auto* list = new std::vector<cutset_kernel>;
    for (size_t i = 0; i < names->size(); ++i)
      list->push_back({sizeof(cutset_kernel), all_ops()[i]->name, (*names)[i].c_str(), supports, scratch, instantiate,
                       enqueue, release});
    return list;
  }();
  return *kernels;
}

BoundLoop::BoundLoop(const cutset_problem* problem, void* const* in, void* const* out)
    : op_(find_op(problem->op)), attributes_(problem->attributes) {
  for (size_t i = 0; i < problem->in_count; ++i) in_.push_back(view(problem->in[i], in[i]));
  for (size_t i = 0; i < problem->out_count; ++i) out_.push_back(view(problem->out[i], out[i]));
}

const char* BoundLoop::run() const {
  const Status status = op_->reference(attributes_, in_, out_);
  return status.ok() ? nullptr : say(status.error().what);
}

}  // namespace cutset::abi
