// SPDX-License-Identifier: Apache-2.0
#include "runtime/abi/reference_kernel.h"

#include "ir/core/op/op_library.h"
#include "runtime/abi/host_device.h"
#include "runtime/abi/kernel.h"

namespace cutset::abi::inline v2 {
namespace {

TensorView view(const cutset_type& type) {
  return {nullptr, static_cast<DType>(type.dtype), {type.shape, static_cast<size_t>(type.rank)}};
}
std::vector<TensorView> views(const cutset_type* const* types, size_t count) {
  std::vector<TensorView> list;
  for (size_t i = 0; i < count; ++i) list.push_back(view(*types[i]));
  return list;
}

class ReferenceKernel {
 public:
  static std::string supports(const cutset_device_info&, const Problem& p) {
    return ReferencePlan::supports(*p.raw);
  }
  static uint64_t scratch(const cutset_device_info&, const Problem& p) {
    return ReferencePlan::scratch(*p.raw);
  }
  ReferenceKernel(cutset_device, const Problem& p) : plan_(*p.raw) {}
  uint64_t scratch_bytes() const { return plan_.scratch_bytes(); }
  void enqueue(cutset_queue, const Operands& at) {
    for (size_t i = 0; i < plan_.inputs(); ++i) plan_.set_input(i, address(at.in[i]));
    for (size_t i = 0; i < plan_.outputs(); ++i) plan_.set_output(i, address(at.out[i]));
    if (plan_.scratch_bytes() > 0) plan_.set_scratch(address(*at.scratch));
    if (const cutset_error* e = plan_.run()) throw Exception(static_cast<cutset_code>(e->code), e->message);
  }

 private:
  ReferencePlan plan_;
};

}  // namespace

const std::vector<const cutset_kernel*>& reference_kernels() {
  static const KernelTable* table = [] {
    close_op_registry();
    auto* new_table = new KernelTable;
    for (const OpInfo* op : all_ops())
      new_table->add<ReferenceKernel>(op->name, new_table->keep(std::string(op->name) + ".reference"));
    return new_table;
  }();
  return table->kernels();
}

std::string ReferencePlan::supports(const cutset_problem& p) {
  for (size_t i = 0; i < p.in_count + p.out_count; ++i) {
    const int32_t type = Problem{&p}.tensor(i).dtype;
    if (!is_dtype(static_cast<DType>(type))) return "element type " + std::to_string(type) + " is unknown";
  }
  return "";
}

ReferencePlan::ReferencePlan(const cutset_problem& problem)
    : in_(views(problem.in, problem.in_count)),
      out_(views(problem.out, problem.out_count)),
      run_(*find_op(problem.op), problem.attributes, in_, out_) {}

const cutset_error* ReferencePlan::run() {
  const Status status = run_.run(in_, out_, scratch_);
  return status.ok() ? nullptr : keep_error(CUTSET_FAILED, status.error().what);
}

}  // namespace cutset::abi::inline v2
