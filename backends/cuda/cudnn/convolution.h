// SPDX-License-Identifier: Apache-2.0
// Kernels of the device ABI that compute a convolution with cuDNN. If cuDNN refuses a problem, the host uses
// the portable kernel of the same op, which comes later in the backend's table. A kernel with cuDNN supports
// the same problems as the portable kernel. The limit of its workspace depends on the problem alone. Thus
// `supports` and `scratch` need neither a GPU nor cuDNN.
#pragma once
#include <memory>
#include <string>

#include "backends/cuda/cudnn/plans.h"
#include "backends/cuda/device.h"
#include "backends/portable/launches.h"
#include "ir/ops/conv/conv_shape.h"

namespace cutset::cuda {

// Returns the convolution of a shape. It is deterministic.
Convolution convolution_of(Direction direction, const ConvShape& s, bool bias);

// Returns the largest workspace that a plan may take, in bytes: four times the memory of x and the filter, at
// least 1 MiB and at most 128 MiB. A program reserves this memory before cuDNN is asked, so a small
// convolution reserves little.
uint64_t most_workspace(const Convolution& c);

// A plan of cuDNN for a GPU of the backend.
class CudnnPlan {
 public:
  // Makes a plan with at most `most_workspace` bytes of workspace. Throws abi::Exception with
  // CUTSET_UNSUPPORTED and the reason if cuDNN is not installed or has no such plan, or if the device is
  // null.
  static std::unique_ptr<CudnnPlan> make(cutset_device device, const Convolution& c, uint64_t most_workspace);
  // Returns the text of cutset_kernel::identity for kernels that use such plans. Throws abi::Exception.
  static const char* identity(cutset_device device);
  ~CudnnPlan();
  CudnnPlan(const CudnnPlan&) = delete;

  uint64_t workspace() const { return api_->workspace(plan_); }
  // Appends an execution. `memory.workspace` is an address of workspace() bytes. Throws abi::Exception.
  void enqueue(cutset_queue queue, const ConvolutionMemory& memory) const;

 private:
  CudnnPlan(const PlanApi& api, Device& device, std::shared_ptr<PlanDevice> opened)
      : api_(&api), device_(&device), opened_(std::move(opened)) {}

  const PlanApi* api_;
  Device* device_;
  std::shared_ptr<PlanDevice> opened_;  // is shared by all plans of the device
  Plan* plan_ = nullptr;
};

// The kernel of an op. `Op` has these members:
// - `Own` is the struct of backends/portable with the launches that compute the problems that cuDNN refuses.
// - `static Convolution convolution(const abi::Problem&)` returns the convolution.
// - `static ConvolutionMemory memory(const abi::Problem&, const abi::Operands&)` returns all addresses except
//   the address of the workspace.
template <class Op>
class CudnnKernel {
 public:
  static constexpr bool kMayRefuse = true;
  static const char* identity(cutset_device device) { return CudnnPlan::identity(device); }

  static std::string supports(const cutset_device_info& info, const abi::Problem& p) {
    return Own::supports(info, p);
  }
  static uint64_t scratch(const cutset_device_info&, const abi::Problem& p) {
    return most_workspace(Op::convolution(p));
  }

  CudnnKernel(cutset_device device, const abi::Problem& p)
      : problem_(p), plan_(CudnnPlan::make(device, Op::convolution(p), scratch({}, p))) {}

  uint64_t scratch_bytes() const { return plan_->workspace(); }
  void enqueue(cutset_queue queue, const abi::Operands& at) {
    ConvolutionMemory memory = Op::memory(problem_, at);
    memory.workspace = plan_->workspace() ? address(*at.scratch) : 0;
    plan_->enqueue(queue, memory);
  }

 private:
  using Own = portable::LaunchKernel<typename Op::Own>;

  abi::Problem problem_;  // the host keeps it as long as the kernel
  std::unique_ptr<CudnnPlan> plan_;
};

}  // namespace cutset::cuda
