#include "runtime/execute/prepared_kernels.h"

#include <memory>

#include "ir/core/attributes.h"
#include "ir/core/op_info.h"

namespace cutset {
namespace {

// The data that a plan points to.
struct Problem {
  FlatAttrs attributes;
  std::unique_ptr<AbiProblem> abi;
};

}  // namespace

size_t PreparedKernels::Hash::operator()(const Key& key) const {
  size_t hash = std::hash<const void*>()(key.kernel) ^ key.queue;
  auto add = [&](int64_t number) { hash = (hash ^ static_cast<size_t>(number)) * 0x9e3779b97f4a7c15u; };
  for (const Types* types : {&key.in, &key.out})
    for (const TensorType& t : *types) {
      add(static_cast<int64_t>(t.dtype));
      for (int64_t d : t.shape) add(d);
    }
  return hash;
}

Result<Handles::Prepared> PreparedKernels::find_or_prepare(Handles& handles, const DeviceDescription& device,
                                                           size_t queue, const Function& function,
                                                           const Instruction& i) {
  auto type_of = [&](int32_t b) -> const TensorType& { return function.buffers[static_cast<size_t>(b)].type; };
  const OpInfo* op = find_op(i.op);
  Key key{queue, device.find_kernel(i.kernel), i.attributes, {}, {}};
  if (!op || !key.kernel || i.op != key.kernel->op)
    return execution_failed("device '" + device.name() + "' has no kernel '" + i.kernel + "' for '" + i.op + "'");
  for (int32_t b : i.operands) key.in.push_back(type_of(b));
  for (int32_t b : i.results) key.out.push_back(type_of(b));
  auto found = plans_.find(key);
  if (found == plans_.end()) {
    auto problem = std::make_shared<Problem>();
    CUTSET_ASSIGN(problem->attributes, FlatAttrs::pack(op->schema, i.attributes));
    CUTSET_TRY(device.supports(key.kernel, *op, problem->attributes.data(), key.in, key.out));
    problem->abi = std::make_unique<AbiProblem>(*op, problem->attributes.data(), key.in, key.out);
    CUTSET_ASSIGN(const Handles::Prepared made, handles.prepare(key.kernel, problem->abi->get(), problem));
    found = plans_.emplace(std::move(key), made).first;
  }
  // A saved program may have been compiled on another machine, where a kernel needs less scratch memory.
  const uint64_t planned = i.scratch == kNone ? 0 : static_cast<uint64_t>(type_of(i.scratch).bytes());
  if (const uint64_t wanted = found->second.scratch_bytes; wanted > planned)
    return invalid_argument("kernel '" + i.kernel + "' needs " + std::to_string(wanted) +
                                " bytes of scratch memory on " + device.name() + ", and the program has planned " +
                                std::to_string(planned),
                            "the program was compiled for another number of threads, or for another machine: use "
                            "that number of threads, or compile it here");
  return found->second;
}

}  // namespace cutset
