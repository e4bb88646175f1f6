#include "runtime/execute/prepared_kernels.h"

#include <memory>

#include "ir/core/attributes.h"
#include "ir/core/op_info.h"

namespace cutset {

Result<PreparedKernel> PreparedKernels::find_or_prepare(Handles& handles, const DeviceDescription& device, size_t queue,
                                                        const Function& function, const Instruction& i) {
  auto type_of = [&](int32_t b) -> const TensorType& { return function.buffers[static_cast<size_t>(b)].type; };
  const OpInfo* op = find_op(i.op);
  const cutset_kernel* kernel = device.find_kernel(i.kernel);
  if (!op || !kernel || i.op != kernel->op)
    return execution_failed("device '" + device.name() + "' has no kernel '" + i.kernel + "' for '" + i.op + "'");
  ProblemKey key{kernel, i.attributes, {}, {}};
  for (int32_t b : i.operands) key.in.push_back(type_of(b));
  for (int32_t b : i.results) key.out.push_back(type_of(b));
  auto& prepared = of_queue_[queue];
  auto found = prepared.find(key);
  if (found == prepared.end()) {
    CUTSET_ASSIGN(const auto problem, own_problem(*op, i.attributes, key.in, key.out));
    CUTSET_TRY(device.supports(kernel, *op, problem->attributes.data(), key.in, key.out));
    CUTSET_ASSIGN(const Handles::Prepared made, handles.prepare(kernel, problem));
    found = prepared.emplace(std::move(key), made).first;
  }
  // A saved program may have been compiled on another machine, where a kernel needs less scratch memory.
  const uint64_t planned = i.scratch == kNone ? 0 : static_cast<uint64_t>(type_of(i.scratch).bytes());
  if (const uint64_t wanted = found->second.scratch_bytes; wanted > planned)
    return invalid_argument("kernel '" + i.kernel + "' needs " + std::to_string(wanted) +
                                " bytes of scratch memory on " + device.name() + ", and the program has planned " +
                                std::to_string(planned),
                            "the program was compiled for another number of threads, or for another machine: use "
                            "that number of threads, or compile it here");
  return PreparedKernel{kernel, found->second.plan};
}

}  // namespace cutset
