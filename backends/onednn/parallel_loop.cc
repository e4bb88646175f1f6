// SPDX-License-Identifier: Apache-2.0
#include "backends/onednn/parallel_loop.h"

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "backends/onednn/primitive.h"
#include "ir/core/op/reference_run.h"
#include "runtime/abi/reference_kernel.h"

namespace cutset::onednn {
namespace {

// With fewer bytes of operands and results, one thread finishes before the others have started.
constexpr int64_t kSmallest = 128 << 10;
// The scratch memory of each thread begins at a new cache line.
constexpr uint64_t kAlignment = 64;

// Every thread computes each result that the factor does not divide. It does so in its own memory, because
// the result may replace an operand that other threads still read. Such a result has at most this many bytes.
constexpr int64_t kLargestWhole = 64;

// Returns a parallel factor of the sharding rule, or nothing if the rule has no suitable factor. The factor
// is dimension 0 of the first result, and of every operand and other result in which it occurs. Leaves out a
// factor whose shards read their position from an attribute (first_step), because all threads have the same
// attributes.
std::optional<Factor> row_factor(const OpInfo& op, const abi::Problem& p) {
  for (const Factor& f : op.shard(p.raw->attributes, p.in_types()).factors) {
    bool of_rows = f.is_parallel() && !f.first_step;
    for (int d : f.operands) of_rows &= d == 0 || d == kAbsent;
    for (size_t r = 0; r < f.results.size(); ++r)
      of_rows &= f.results[r] == 0 ||
                 (f.results[r] == kAbsent && r > 0 && abi::type_of(*p.raw->out[r]).bytes() <= kLargestWhole);
    if (of_rows) return f;
  }
  return std::nullopt;
}

class ParallelLoop {
 public:
  static std::string supports(const cutset_device_info&, const abi::Problem& p) {
    const OpInfo& op = *find_op(p.raw->op);
    if (std::string why = abi::ReferencePlan::supports(*p.raw); !why.empty()) return why;
    int64_t bytes = 0;
    for (size_t i = 0; i < p.inputs() + p.outputs(); ++i) bytes += abi::type_of(p.tensor(i)).bytes();
    if (op.positional)
      return "the kernel supports only ops whose result elements do not depend on their index in the tensor";
    if (bytes < kSmallest)
      return "the kernel supports only problems with at least 128 KiB of operands and results";
    const auto factor = row_factor(op, p);
    if (!factor || p.out_shape(0)[0] < 2)
      return "the kernel supports only problems whose first dimension can be split";
    return "";
  }

  static uint64_t scratch(const cutset_device_info& info, const abi::Problem& p) {
    return ParallelLoop(info, p).scratch_bytes();
  }
  ParallelLoop(cutset_device device, const abi::Problem& p) : ParallelLoop(abi::host(device)->info, p) {}
  ParallelLoop(const cutset_device_info& info, const abi::Problem& p) {
    const OpInfo& op = *find_op(p.raw->op);
    const Factor factor = *row_factor(op, p);
    const int64_t rows = p.out_shape(0)[0];
    const int64_t threads = std::min<int64_t>(rows, info.threads);
    for (int64_t t = 0; t < threads; ++t) {
      Shard& shard = shards_.emplace_back();
      const int64_t first = rows * t / threads, last = rows * (t + 1) / threads;
      shard.shapes.reserve(p.inputs() + p.outputs());
      for (size_t i = 0; i < p.inputs(); ++i)
        shard.in.push_back(shard.view(*p.raw->in[i], factor.operands[i] == 0, first, last));
      for (size_t i = 0; i < p.outputs(); ++i)
        shard.out.push_back(shard.view(*p.raw->out[i], factor.results[i] == 0, first, last));
      shard.whole.resize(static_cast<size_t>(kLargestWhole) * p.outputs());
      shard.run.emplace(op, p.raw->attributes, shard.in, shard.out);
      shard.scratch = scratch_bytes_;
      scratch_bytes_ += (shard.run->scratch_bytes() + kAlignment - 1) / kAlignment * kAlignment;
    }
    for (size_t i = 0; i < p.outputs(); ++i)
      whole_.push_back(
          factor.results[i] == kAbsent ? static_cast<size_t>(abi::type_of(*p.raw->out[i]).bytes()) : 0);
  }

  uint64_t scratch_bytes() const { return scratch_bytes_; }

  void enqueue(cutset_queue queue, const abi::Operands& at) {
    char* scratch = scratch_bytes_ > 0 ? static_cast<char*>(abi::address(*at.scratch)) : nullptr;
    parallel_for(queue, static_cast<int64_t>(shards_.size()), [&](int64_t first, int64_t last) {
      for (int64_t s = first; s < last; ++s) {
        Shard& shard = shards_[static_cast<size_t>(s)];
        for (size_t i = 0; i < shard.in.size(); ++i) shard.bind(shard.in[i], i, at.in[i]);
        for (size_t i = 0; i < shard.out.size(); ++i) {
          shard.bind(shard.out[i], shard.in.size() + i, at.out[i]);
          if (whole_[i] > 0) shard.out[i].data = shard.memory_of(i);
        }
        shard.status = shard.run->run(shard.in, shard.out, scratch + shard.scratch);
      }
    });
    for (const Shard& shard : shards_)
      if (!shard.status.ok()) throw std::runtime_error(shard.status.error().what);
    for (size_t i = 0; i < whole_.size(); ++i)
      if (whole_[i] > 0) std::memcpy(abi::address(at.out[i]), shards_.front().memory_of(i), whole_[i]);
  }

 private:
  // The views of the rows that one thread computes.
  struct Shard {
    std::vector<Shape> shapes;     // the views point to these
    std::vector<int64_t> offsets;  // by operand and result: the first byte of the rows in the tensor
    std::vector<TensorView> in, out;
    std::vector<unsigned char> whole;  // the memory of results that are not divided
    std::optional<ReferenceRun> run;
    uint64_t scratch;  // the offset of the scratch memory of the thread
    Status status;

    void* memory_of(size_t result) { return whole.data() + static_cast<size_t>(kLargestWhole) * result; }

    // Returns a view of rows [first, last) of a tensor if `split`, and otherwise of the whole tensor.
    TensorView view(const cutset_type& type, bool split, int64_t first, int64_t last) {
      TensorType t = abi::type_of(type);
      offsets.push_back(split ? first * (t.bytes() / t.shape[0]) : 0);
      if (split) t.shape[0] = last - first;
      shapes.push_back(std::move(t.shape));
      return {nullptr, t.dtype, shapes.back()};
    }
    void bind(TensorView& view, size_t tensor, const cutset_slice& slice) const {
      auto* data = static_cast<char*>(abi::address(slice));
      view.data = data ? data + offsets[tensor] : nullptr;
    }
  };

  std::vector<Shard> shards_;
  std::vector<size_t> whole_;  // by result: its bytes if it is not divided, and otherwise 0
  uint64_t scratch_bytes_ = 0;
};

}  // namespace

void add_parallel_loops(abi::KernelTable& kernels) {
  for (const OpInfo* op : all_ops())
    kernels.add<ParallelLoop>(op->name, kernels.keep(std::string(op->name) + ".parallel"));
}

}  // namespace cutset::onednn
