// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/nccl/group.h"

#include <algorithm>

namespace cutset::cuda {
namespace {

// Returns NCCL's name of an element type, or no value if NCCL does not add elements of the type.
std::optional<NcclType> nccl_type(DType type) {
  switch (type) {
    case DType::f32:
      return NcclType::kF32;
    case DType::bf16:
      return NcclType::kBF16;
    case DType::f16:
      return NcclType::kF16;
    case DType::f64:
      return NcclType::kF64;
    case DType::i8:
      return NcclType::kI8;
    case DType::u8:
      return NcclType::kU8;
    case DType::i32:
      return NcclType::kI32;
    case DType::u32:
      return NcclType::kU32;
    case DType::i64:
      return NcclType::kI64;
    case DType::u64:
      return NcclType::kU64;
    case DType::i1:
    case DType::i16:
    case DType::u16:
      break;
  }
  return std::nullopt;
}

abi::Exception invalid(const std::string& message) { return {CUTSET_INVALID_ARGUMENT, message}; }

}  // namespace

Group::Group(const std::vector<Device*>& members)
    : members_(members), communicators_(members), messages_(members), sums_of_(members.size()) {}

bool Group::contains(const Device& device) const {
  return std::find(members_.begin(), members_.end(), &device) != members_.end();
}

void Group::check_member(const Queue& queue, size_t member, const char* function) const {
  if (member >= members_.size() || members_[member] != &queue.device())
    throw invalid("the queue does not belong to member " + std::to_string(member) + " of the group");
  queue.refuse_recording(function);
}

void Group::refuse_abandoned() const {
  if (abandoned_) throw abi::Abandoned();
}

void Group::all_reduce(Queue& queue, size_t member, const cutset_slice& from, const cutset_slice& to,
                       int32_t dtype) {
  check_member(queue, member, "all_reduce");
  const auto type = static_cast<DType>(dtype);
  if (!nccl_type(type))
    throw abi::Exception(CUTSET_UNSUPPORTED,
                         "NCCL does not add elements of type number " + std::to_string(dtype));
  if (from.bytes != to.bytes || from.bytes % static_cast<uint64_t>(size_of(type)) != 0)
    throw invalid("the slices of a sum must have the same whole number of elements");
  uint64_t number;
  {
    const std::lock_guard guard(Queue::lock());
    number = sums_of_[member]++;
  }
  queue.submit_collective([self = shared_from_this(), number, member, &queue, from, to, type](Stream stream) {
    self->arrive(number, member, {&queue, address(from), address(to), from.bytes, type, stream});
  });
}

void Group::arrive(uint64_t number, size_t member, const Part& part) {
  refuse_abandoned();
  Round& round = rounds_[number];
  round.parts.resize(members_.size());
  round.parts[member] = part;
  part.queue->watch(shared_from_this());
  if (++round.arrived < members_.size()) return part.queue->hold();
  const Round complete = std::move(round);
  rounds_.erase(number);
  try {
    issue(number, complete);
  } catch (const abi::Exception& e) {
    fail(complete, e, member);
    throw;
  }
  for (size_t m = 0; m < members_.size(); ++m)
    if (m != member) complete.parts[m]->queue->release();
}

void Group::issue(uint64_t number, const Round& round) {
  const Part& first = *round.parts[0];
  std::vector<Communicators::Part> parts;
  for (const auto& part : round.parts) {
    if (part->bytes != first.bytes || part->dtype != first.dtype)
      throw invalid("sum " + std::to_string(number) + " has slices of " + std::to_string(first.bytes) +
                    " bytes of " + name_of(first.dtype) + " and of " + std::to_string(part->bytes) +
                    " bytes of " + name_of(part->dtype));
    parts.push_back({part->from, part->to, part->stream});
  }
  const size_t count = first.bytes / static_cast<uint64_t>(size_of(first.dtype));
  if (count > 0) communicators_.all_reduce(parts, count, *nccl_type(first.dtype));
}

void Group::fail(const Round& round, const abi::Exception& error, size_t except) {
  for (size_t m = 0; m < round.parts.size(); ++m)
    if (m != except && round.parts[m]) round.parts[m]->queue->fail(error);
}

void Group::send(Queue& queue, size_t member, size_t peer, const cutset_slice& from) {
  check_member(queue, member, "send");
  if (peer >= members_.size()) throw invalid("the group has no member " + std::to_string(peer));
  queue.submit_collective([self = shared_from_this(), member, peer, from](Stream stream) {
    self->refuse_abandoned();
    self->messages_.send(member, peer, from, stream);
  });
}

void Group::receive(Queue& queue, size_t member, size_t peer, const cutset_slice& to) {
  check_member(queue, member, "receive");
  if (peer >= members_.size()) throw invalid("the group has no member " + std::to_string(peer));
  queue.submit_collective([self = shared_from_this(), member, peer, &queue, to](Stream stream) {
    self->refuse_abandoned();
    self->messages_.receive(queue, peer, member, to, stream);
  });
}

void Group::abandon() {
  communicators_.abort();  // without the lock, because a thread that waits for a sum may hold it
  const std::lock_guard guard(Queue::lock());
  abandoned_ = true;
  for (const auto& [number, round] : rounds_) fail(round, abi::Abandoned(), members_.size());
  rounds_.clear();
  messages_.fail(abi::Abandoned());
}

}  // namespace cutset::cuda
