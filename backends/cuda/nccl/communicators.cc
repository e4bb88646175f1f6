// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/nccl/communicators.h"

#include <chrono>
#include <thread>

#include "backends/cuda/nccl/library.h"

namespace cutset::cuda {
namespace {

bool is_error(NcclStatus status) {
  return status != NcclStatus::kSuccess && status != NcclStatus::kInProgress;
}

void refuse_equal_gpus(const std::vector<Device*>& members) {
  for (size_t i = 0; i < members.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (members[i]->id == members[j]->id)
        throw abi::Exception(
            CUTSET_UNSUPPORTED,
            "members " + std::to_string(j) + " and " + std::to_string(i) +
                " of the group are the same GPU cuda:" + std::to_string(members[i]->info.index) +
                ", which NCCL does not support (use different GPUs)");
}

// A group of calls. It must end on the thread that has started it, even after an error.
class Calls {
 public:
  explicit Calls(const NcclApi& api) : api_(api), start_(api.group_start()) {}
  ~Calls() {
    if (!ended_) end();
  }
  Calls(const Calls&) = delete;
  NcclStatus start() const { return start_; }
  NcclStatus end() {
    ended_ = true;
    return is_error(start_) ? start_ : api_.group_end();
  }

 private:
  const NcclApi& api_;
  const NcclStatus start_;
  bool ended_ = false;
};

}  // namespace

Communicators::Communicators(std::vector<Device*> members) : members_(std::move(members)) {
  if (members_.empty()) throw abi::Exception(CUTSET_INVALID_ARGUMENT, "a group needs at least one member");
  refuse_equal_gpus(members_);
  std::string why;
  api_ = open_nccl(&why);
  if (!api_) throw abi::Exception(CUTSET_UNSUPPORTED, "the GPUs cannot form a group without NCCL: " + why);
  comms_.resize(members_.size());
  try {
    connect();
  } catch (...) {
    abort_all();
    throw;
  }
}

void Communicators::connect() {
  const Current current(*members_[0]);
  NcclId id;
  if (const NcclStatus status = api_->make_id(&id); is_error(status))
    fail(CUTSET_UNSUPPORTED, "ncclGetUniqueId", status);
  Calls calls(*api_);
  if (is_error(calls.start())) fail(CUTSET_UNSUPPORTED, "ncclGroupStart", calls.start());
  NcclStatus first = NcclStatus::kSuccess;
  NcclConfig config;
  for (size_t m = 0; m < members_.size() && !is_error(first); ++m) {
    const Current of_member(*members_[m]);
    first = api_->init(&comms_[m], static_cast<int>(members_.size()), id, static_cast<int>(m), &config);
  }
  const NcclStatus last = calls.end();
  if (is_error(first)) fail(CUTSET_UNSUPPORTED, "ncclCommInitRankConfig", first);
  if (is_error(last)) fail(CUTSET_UNSUPPORTED, "ncclGroupEnd", last);
  if (const NcclStatus status = settle(); is_error(status))
    fail(CUTSET_UNSUPPORTED, "ncclCommInitRankConfig", status);
}

Communicators::~Communicators() {
  [[maybe_unused]] const cutset_error* ignored = abi::guard([&] {
    if (comms_.empty()) return;
    const Current current(*members_[0]);
    // Every communicator is released even if a call fails, because the others wait for it.
    const Calls calls(*api_);
    for (NcclComm comm : comms_) api_->destroy(comm);
  });
}

// Waits until no call is in progress, or until abort() is called. Returns the first error of a communicator.
NcclStatus Communicators::settle() {
  for (NcclComm comm : comms_)
    for (NcclStatus status = NcclStatus::kInProgress; status == NcclStatus::kInProgress;) {
      const NcclStatus call = api_->async_error(comm, &status);
      if (is_error(call)) return call;
      if (is_error(status)) return status;
      if (aborted_) return NcclStatus::kInProgress;
      if (status == NcclStatus::kInProgress) std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  return NcclStatus::kSuccess;
}

void Communicators::abort_all() {
  if (comms_.empty()) return;
  const std::vector<NcclComm> comms = std::move(comms_);
  comms_.clear();
  [[maybe_unused]] const cutset_error* ignored = abi::guard([&] {
    const Current current(*members_[0]);
    const Calls calls(*api_);
    for (NcclComm comm : comms)
      if (comm) api_->abort(comm);
  });
}

void Communicators::fail(cutset_code code, const char* call, NcclStatus status) {
  const char* text = api_->status_text(status);
  const char* more = comms_.empty() ? nullptr : api_->last_error(comms_[0]);
  failure_ = std::string("NCCL's function ") + call +
             " failed: " + (text ? text : "error " + std::to_string(static_cast<int>(status)));
  if (more && *more) failure_ += std::string(": ") + more;
  failure_ += " (the environment variable NCCL_DEBUG=WARN makes NCCL print the reason)";
  abort_all();
  throw abi::Exception(code, failure_);
}

void Communicators::all_reduce(const std::vector<Part>& parts, size_t count, NcclType type) {
  const std::lock_guard guard(mutex_);
  if (!failure_.empty()) throw abi::Exception(CUTSET_FAILED, failure_);
  if (aborted_) throw abi::Abandoned();
  const Current current(*members_[0]);
  Calls calls(*api_);
  if (is_error(calls.start())) fail(CUTSET_FAILED, "ncclGroupStart", calls.start());
  NcclStatus first = NcclStatus::kSuccess;
  for (size_t m = 0; m < parts.size() && !is_error(first); ++m)
    first =
        api_->all_reduce(reinterpret_cast<const void*>(parts[m].from), reinterpret_cast<void*>(parts[m].to),
                         count, type, kNcclSum, comms_[m], parts[m].stream);
  const NcclStatus last = calls.end();
  if (is_error(first)) fail(CUTSET_FAILED, "ncclAllReduce", first);
  if (is_error(last)) fail(CUTSET_FAILED, "ncclGroupEnd", last);
  const NcclStatus status = settle();
  if (is_error(status)) fail(CUTSET_FAILED, "ncclAllReduce", status);
  if (aborted_) throw abi::Abandoned();
}

void Communicators::check() {
  const std::lock_guard guard(mutex_);
  if (!failure_.empty()) throw abi::Exception(CUTSET_FAILED, failure_);
  for (NcclComm comm : comms_) {
    NcclStatus status = NcclStatus::kSuccess;
    if (const NcclStatus call = api_->async_error(comm, &status); is_error(call)) status = call;
    if (is_error(status)) fail(CUTSET_FAILED, "ncclAllReduce", status);
  }
}

void Communicators::abort() {
  aborted_ = true;
  const std::lock_guard guard(mutex_);
  abort_all();
}

}  // namespace cutset::cuda
