#include "runtime/abi/reference_kernel.h"

#include "ir/core/check_types.h"
#include "ir/core/op_library.h"
#include "runtime/abi/host_device.h"
#include "runtime/abi/kernel.h"

namespace cutset::abi::inline v2 {
namespace {

TensorView view(const cutset_type& type) {
  return {nullptr, static_cast<DType>(type.dtype), {type.shape, static_cast<size_t>(type.rank)}};
}

class ReferenceKernel : public NoScratch {
 public:
  static std::string supports(const cutset_device_info&, const Problem& p) { return ReferencePlan::supports(*p.raw); }
  ReferenceKernel(cutset_device, const Problem& p) : plan_(*p.raw) {}
  void enqueue(cutset_queue, const Operands& at) {
    for (size_t i = 0; i < plan_.inputs(); ++i) plan_.set_input(i, address(at.in[i]));
    for (size_t i = 0; i < plan_.outputs(); ++i) plan_.set_output(i, address(at.out[i]));
    if (const cutset_error* e = plan_.run()) throw Exception(static_cast<cutset_code>(e->code), e->message);
  }

 private:
  ReferencePlan plan_;
};

}  // namespace

const std::vector<const cutset_kernel*>& reference_kernels() {
  static const KernelTable* table = [] {
    close_op_registry();
    auto* made = new KernelTable;
    for (const OpInfo* op : all_ops())
      made->add<ReferenceKernel>(op->name, made->keep(std::string(op->name) + ".reference"));
    return made;
  }();
  return table->kernels();
}

std::string ReferencePlan::supports(const cutset_problem& p) {
  for (size_t i = 0; i < p.in_count + p.out_count; ++i) {
    const int32_t type = Problem{&p}.tensor(i).dtype;
    const auto dtype = static_cast<DType>(type);
    if (!is_dtype(dtype)) return "element type " + std::to_string(type) + " is unknown";
    if (!has_arithmetic(dtype)) return std::string("no reference kernel computes in ") + name_of(dtype);
  }
  return "";
}

ReferencePlan::ReferencePlan(const cutset_problem& problem)
    : op_(*find_op(problem.op)), attributes_(problem.attributes) {
  for (size_t i = 0; i < problem.in_count; ++i) in_.push_back(view(*problem.in[i]));
  for (size_t i = 0; i < problem.out_count; ++i) out_.push_back(view(*problem.out[i]));
}

const cutset_error* ReferencePlan::run() const {
  const Status status = op_.reference(attributes_, in_, out_);
  return status.ok() ? nullptr : keep_error(CUTSET_FAILED, status.error().what);
}

}  // namespace cutset::abi::inline v2
