// Kernels of the device ABI that compute a convolution by cuDNN. Where cuDNN refuses, such a kernel runs the launches of
// backends/portable instead. Which problems it supports and how much scratch memory it reserves depend on these launches
// alone, so `supports` and `scratch` need neither a GPU nor cuDNN. The portable kernels of the same ops come later in the
// backend's table and are therefore never chosen.
#pragma once
#include <memory>
#include <string>

#include "backends/cuda/cudnn/plans.h"
#include "backends/cuda/device.h"
#include "backends/portable/launches.h"
#include "ir/ops/conv2d/conv2d_shape.h"

namespace cutset::cuda {

// The convolution of a shape. It is deterministic.
Convolution convolution_of(Direction direction, const Conv2dShape& s, bool bias);

// A plan of cuDNN for a GPU of the backend.
class CudnnPlan {
 public:
  // Makes a plan with at most `most_workspace` bytes of workspace. Returns null with the reason in `*why` if cuDNN is not
  // installed, or has no such plan. A null device gets no plan.
  static std::unique_ptr<CudnnPlan> make(cutset_device device, const Convolution& c, uint64_t most_workspace,
                                         std::string* why);
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
//   using Own = the struct of backends/portable with the op's launches;
//   static Convolution convolution(const abi::Problem&);
//   static ConvolutionMemory memory(const abi::Problem&, const abi::Operands&);  // all addresses but the workspace's
template <class Op>
class CudnnKernel {
 public:
  using Own = portable::LaunchKernel<typename Op::Own>;

  static std::string supports(const cutset_device_info& info, const abi::Problem& p) { return Own::supports(info, p); }
  static uint64_t scratch(const cutset_device_info& info, const abi::Problem& p) { return Own::scratch(info, p); }

  CudnnKernel(cutset_device device, const abi::Problem& p)
      : problem_(p),
        plan_(CudnnPlan::make(device, Op::convolution(p), scratch({}, p), &refusal_)),
        own_(plan_ ? nullptr : std::make_unique<Own>(device, p)) {}

  uint64_t scratch_bytes() const { return plan_ ? plan_->workspace() : own_->scratch_bytes(); }
  void enqueue(cutset_queue queue, const abi::Operands& at) {
    if (!plan_) return own_->enqueue(queue, at);
    ConvolutionMemory memory = Op::memory(problem_, at);
    memory.workspace = plan_->workspace() ? address(*at.scratch) : 0;
    plan_->enqueue(queue, memory);
  }
  // Why cuDNN does not compute the problem; empty if it does.
  const std::string& refusal() const { return refusal_; }

 private:
  abi::Problem problem_;  // the host keeps it as long as the kernel
  std::string refusal_;
  std::unique_ptr<CudnnPlan> plan_;
  std::unique_ptr<Own> own_;  // null if there is a plan
};

}  // namespace cutset::cuda
