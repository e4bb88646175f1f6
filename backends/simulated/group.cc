// SPDX-License-Identifier: Apache-2.0
#include "backends/simulated/group.h"

#include <cstring>

#include "ir/core/add_elements.h"
#include "ir/core/sum_tree.h"

namespace cutset::simulated {

void Group::check_member(const Queue* queue, size_t member) const {
  if (member >= members_.size() || members_[member] != queue->device)
    throw abi::Exception(CUTSET_INVALID_ARGUMENT,
                         "the queue does not belong to member " + std::to_string(member) + " of the group");
  queue->device->refuse_recording(queue);
}

void Group::poke_all() {
  for (Device* d : members_) d->poke();
}

double Group::seconds(const Queue* queue, uint64_t bytes) {
  const cutset_device_info& info = queue->device->info();
  return info.link_seconds + static_cast<double>(bytes) / info.link_bytes_per_second;
}

void Group::all_reduce(Queue* queue, size_t member, const cutset_slice& from, const cutset_slice& to,
                       DType dtype) {
  check_member(queue, member);
  if (!is_dtype(dtype))
    throw abi::Exception(CUTSET_UNSUPPORTED,
                         "element type " + std::to_string(static_cast<int>(dtype)) + " is unknown");
  if (from.bytes != to.bytes || from.bytes % static_cast<uint64_t>(size_of(dtype)) != 0)
    throw abi::Exception(CUTSET_INVALID_ARGUMENT,
                         "the slices of a sum must have the same whole number of elements");
  uint64_t number;
  {
    std::lock_guard lock(mutex_);
    number = rounds_of_[member]++;
  }
  const double time = seconds(queue, from.bytes);
  auto contribute = [this, self = shared_from_this(), number, member, from, dtype] {
    {
      std::lock_guard lock(mutex_);
      Round& round = rounds_[number];
      if (round.arrived == 0) {
        round.slices.resize(members_.size());
        round.dtype = dtype;
      }
      for (const auto& other : round.slices)
        if (!other.empty() && other.size() != from.bytes)
          throw abi::Exception(CUTSET_INVALID_ARGUMENT, "sum " + std::to_string(number) + " has slices of " +
                                                            std::to_string(other.size()) + " and of " +
                                                            std::to_string(from.bytes) + " bytes");
      if (round.dtype != dtype)
        throw abi::Exception(CUTSET_INVALID_ARGUMENT, "sum " + std::to_string(number) + " has slices of " +
                                                          name_of(round.dtype) + " and of " + name_of(dtype));
      const unsigned char* data = data_of(from);
      round.slices[member].assign(data, data + from.bytes);
      ++round.arrived;
    }
    poke_all();
  };
  auto complete = [this, number] {
    std::lock_guard lock(mutex_);
    const auto round = rounds_.find(number);
    return round != rounds_.end() && round->second.arrived == members_.size();
  };
  auto take = [this, self = shared_from_this(), number, to] {
    std::lock_guard lock(mutex_);
    Round& round = rounds_.at(number);
    if (!round.added) {
      std::vector<ShardRange> leaves;
      for (int64_t i = 0; i < static_cast<int64_t>(members_.size()); ++i) leaves.push_back({i, i + 1});
      const auto additions = additions_of(leaves);  // a single shard is always a node of the tree
      for (auto [sum, addend] : *additions) [[maybe_unused]]
        const Status added =  // the type has been checked
            add_elements(round.dtype, round.slices[sum].data(), round.slices[addend].data(),
                         static_cast<int64_t>(to.bytes) / size_of(round.dtype));
      round.added = true;
    }
    if (to.bytes) std::memcpy(data_of(to), round.slices[0].data(), to.bytes);
    if (++round.left == members_.size()) rounds_.erase(number);
  };
  queue->device->submit(queue, {.work = contribute, .seconds = time, .counts = false});
  queue->device->submit(queue, {.work = take, .ready = complete, .seconds = time});
}

void Group::send(Queue* queue, size_t member, size_t peer, const cutset_slice& from) {
  check_member(queue, member);
  if (peer >= members_.size()) throw abi::Exception(CUTSET_INVALID_ARGUMENT, "the group has no such peer");
  auto work = [this, self = shared_from_this(), member, peer, from] {
    {
      std::lock_guard lock(mutex_);
      const unsigned char* data = data_of(from);
      messages_[{member, peer}].emplace_back(data, data + from.bytes);
    }
    members_[peer]->poke();
  };
  queue->device->submit(queue, {.work = work, .seconds = seconds(queue, from.bytes)});
}

void Group::receive(Queue* queue, size_t member, size_t peer, const cutset_slice& to) {
  check_member(queue, member);
  if (peer >= members_.size()) throw abi::Exception(CUTSET_INVALID_ARGUMENT, "the group has no such peer");
  const std::pair key(peer, member);
  auto arrived = [this, key] {
    std::lock_guard lock(mutex_);
    const auto waiting = messages_.find(key);
    return waiting != messages_.end() && !waiting->second.empty();
  };
  auto work = [this, self = shared_from_this(), key, to] {
    std::lock_guard lock(mutex_);
    auto& waiting = messages_[key];
    const std::vector<unsigned char> message = std::move(waiting.front());
    waiting.pop_front();
    if (message.size() != to.bytes)
      throw abi::Exception(CUTSET_INVALID_ARGUMENT, "a message of " + std::to_string(message.size()) +
                                                        " bytes arrived where " + std::to_string(to.bytes) +
                                                        " were expected");
    if (to.bytes) std::memcpy(data_of(to), message.data(), to.bytes);
  };
  queue->device->submit(queue, {.work = work, .ready = arrived, .seconds = seconds(queue, to.bytes)});
}

}  // namespace cutset::simulated
