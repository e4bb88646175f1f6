// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/nccl/collectives.h"

#include "backends/cuda/nccl/group.h"

namespace cutset::cuda {
namespace {

using abi::guard;

// The groups that have not been released.
struct Groups {
  std::mutex mutex;
  std::vector<std::shared_ptr<Group>> all;
};
Groups& groups() {
  static auto* const all = new Groups;
  return *all;
}

Group& of(cutset_group g) { return *reinterpret_cast<Group*>(g); }

const cutset_error* create(const cutset_device* devices, size_t count, cutset_group* group) {
  return guard([&] {
    std::vector<Device*> members;
    for (size_t i = 0; i < count; ++i) members.push_back(cuda::of(devices[i]));
    auto new_group = std::make_shared<Group>(members);
    const std::lock_guard lock(groups().mutex);
    groups().all.push_back(new_group);
    *group = reinterpret_cast<cutset_group>(new_group.get());
  });
}
// Releases a group. The host calls it when no queue runs a command of the group any more, or when all members
// have been abandoned.
void release(cutset_group group) {
  std::shared_ptr<Group> last;  // is released without the lock
  const std::lock_guard lock(groups().mutex);
  auto& all = groups().all;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& g) { return g.get() == &of(group); });
  last = std::move(*found);
  all.erase(found);
}
const cutset_error* all_reduce(cutset_queue q, cutset_group g, size_t member, const cutset_slice* from,
                               const cutset_slice* to, int32_t dtype) {
  return guard([&] { of(g).all_reduce(*cuda::of(q), member, *from, *to, dtype); });
}
const cutset_error* send(cutset_queue q, cutset_group g, size_t member, size_t peer,
                         const cutset_slice* from) {
  return guard([&] { of(g).send(*cuda::of(q), member, peer, *from); });
}
const cutset_error* receive(cutset_queue q, cutset_group g, size_t member, size_t peer,
                            const cutset_slice* to) {
  return guard([&] { of(g).receive(*cuda::of(q), member, peer, *to); });
}

}  // namespace

const cutset_collective_functions& collective_functions() {
  static constexpr cutset_collective_functions kTable = {.size = sizeof kTable,
                                                         .create = create,
                                                         .release = release,
                                                         .all_reduce = all_reduce,
                                                         .send = send,
                                                         .receive = receive};
  return kTable;
}

void abandon_groups(const Device& device) {
  std::vector<std::shared_ptr<Group>> all;
  {
    const std::lock_guard lock(groups().mutex);
    all = groups().all;
  }
  for (const auto& group : all)
    if (group->contains(device)) group->abandon();
}

}  // namespace cutset::cuda
