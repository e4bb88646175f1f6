// SPDX-License-Identifier: Apache-2.0
// The links and the groups of a function, with their host memory.
#pragma once
#include "runtime/execute/bound_program.h"

namespace cutset {

class BoundTransfers {
 public:
  // The link of a channel, and the slot of the channel in this link.
  struct Ends {
    Link* link;
    size_t slot;
  };

  // Makes all links and groups. The host memory of a message belongs to the sender if the sender has pinned
  // memory, and otherwise to the receiver. Pinned memory is allocated in whole pages, so all memory of a
  // device is one block. Fails if the all-reduces of the function are invalid or if there is not enough
  // memory.
  static Result<BoundTransfers> make(BoundProgram& program, const Function& function);

  const Ends& ends(ChannelId c) const { return ends_[c.index()]; }
  Group* group(CollectiveId c) const { return groups_[c.index()].get(); }

 private:
  std::vector<std::unique_ptr<Link>> links_;    // one per pair of devices, sender and receiver
  std::vector<Ends> ends_;                      // by channel
  std::vector<std::unique_ptr<Group>> groups_;  // by collective
};

}  // namespace cutset
