// SPDX-License-Identifier: Apache-2.0
// Memory of the host that the devices of a session copy fast.
//
//   Session session = compile(graph, {.devices = "cuda:0"});
//   auto samples = data::fashion_mnist("train").batch(64).pin(session.pinned_memory());
//   for (auto& batch : samples) session.train(batch);
//   HostTensor image = session.pinned_memory().zeros({f32, {64, 1, 28, 28}});
#pragma once
#include <cutset/host_tensor.h>

#include <memory>
#include <source_location>

namespace cutset {

namespace data {
class Dataset;
}

// Pinned (page-locked) memory of the host, which a GPU copies without the help of a processor.
// Session::pinned_memory() and SavedProgram::pinned_memory() return it. On devices that share the memory of
// the host, it is ordinary memory.
//
// Tensors in this memory are used as all others. They and this object may outlive the session. A tensor that
// is destroyed leaves its memory to a later tensor, so a program that makes a tensor per step allocates
// memory once. Free memory is kept until the last copy of this object and the session are gone. If the system
// gives no more pinned memory, tensors have ordinary memory; their copies are slower, and nothing else
// differs.
//
// Copies of the object stand for the same memory. Several threads may use it at the same time. It belongs to
// the process of the session: a child that fork() made must not use the tensors.
class PinnedMemory {
 public:
  // Returns a tensor of zeros. Throws as HostTensor(type) does.
  HostTensor zeros(TensorType type, std::source_location source = std::source_location::current()) const;

 private:
  friend class Session;
  friend class SavedProgram;
  friend class data::Dataset;
  explicit PinnedMemory(std::shared_ptr<HostPool> pool) : pool_(std::move(pool)) {}
  std::shared_ptr<HostPool> pool_;
};

}  // namespace cutset
