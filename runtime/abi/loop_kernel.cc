#include "runtime/abi/loop_kernel.h"

#include <string>

#include "ir/core/op_info.h"
#include "runtime/abi/host_device.h"

namespace cutset::abi {
namespace {

struct LoopInstance {
  const OpInfo* op;
  const cutset_problem* problem;
  std::vector<TensorView> in, out;
};

TensorView view(const cutset_type& type, void* data) {
  return {data, static_cast<DType>(type.dtype), {type.shape, static_cast<size_t>(type.rank)}};
}
bool has_loop(int32_t dtype) {
  switch (static_cast<DType>(dtype)) {
    case DType::f32:
    case DType::f64:
    case DType::i32:
    case DType::i64:
    case DType::u8:
    case DType::i1:
      return true;
    default:
      return false;
  }
}

const char* supports(const cutset_problem* p) {
  for (size_t i = 0; i < p->in_count + p->out_count; ++i) {
    const cutset_type& t = i < p->in_count ? p->in[i] : p->out[i - p->in_count];
    if (!has_loop(t.dtype)) return say(std::string("no loop for ") + name_of(static_cast<DType>(t.dtype)));
  }
  return nullptr;
}
const char* scratch(const cutset_device_info*, const cutset_problem*, uint64_t* bytes) {
  *bytes = 0;
  return nullptr;
}
const char* instantiate(cutset_device, const cutset_problem* p, const cutset_tensor* in, const cutset_tensor* out,
                        cutset_tensor, cutset_instance* instance) {
  auto made = std::make_unique<LoopInstance>();
  made->op = find_op(p->op);
  made->problem = p;
  for (size_t i = 0; i < p->in_count; ++i) made->in.push_back(view(p->in[i], in[i] ? host(in[i])->data : nullptr));
  for (size_t i = 0; i < p->out_count; ++i) made->out.push_back(view(p->out[i], host(out[i])->data));
  *instance = reinterpret_cast<cutset_instance>(made.release());
  return nullptr;
}
const char* enqueue(cutset_queue, cutset_instance instance) {
  auto* i = reinterpret_cast<LoopInstance*>(instance);
  Status status = i->op->reference(i->problem->attributes, i->in, i->out);
  return status.ok() ? nullptr : say(status.error().what);
}
void release(cutset_instance instance) { delete reinterpret_cast<LoopInstance*>(instance); }

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

const char* run_loop(const cutset_problem* p, void* const* in, void* const* out) {
  constexpr size_t kOnStack = 64;
  const size_t count = p->in_count + p->out_count;
  TensorView on_stack[kOnStack];
  std::vector<TensorView> more(count > kOnStack ? count : 0);
  TensorView* views = count > kOnStack ? more.data() : on_stack;
  for (size_t i = 0; i < p->in_count; ++i) views[i] = view(p->in[i], in[i]);
  for (size_t i = 0; i < p->out_count; ++i) views[p->in_count + i] = view(p->out[i], out[i]);
  const OpInfo* op = find_op(p->op);
  Status status = op->reference(p->attributes, {views, p->in_count}, {views + p->in_count, p->out_count});
  return status.ok() ? nullptr : say(status.error().what);
}

}  // namespace cutset::abi
