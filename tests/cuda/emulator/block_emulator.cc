// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda/emulator/block_emulator.h"

#include <cstring>
#include <memory>
#include <numeric>

#include "tests/cuda/emulator/cuda_thread.h"
#include "tests/cuda/emulator/fiber_pool.h"
#include "tests/cuda/emulator/launch_limits.h"
#include "tests/cuda/emulator/warp_operation.h"
#include "tests/cuda/random.h"

namespace cutset::cuda::doubles {
namespace {

enum class Schedule { kTogether, kHalf, kRunAhead };

class Emulator {
 public:
  std::string run(KernelLibrary& library, const KernelEntry& kernel, Index3 grid, Index3 block,
                  void** parameters, uint64_t seed);
  // Implement the functions of Synchronization. They run on the fiber of the thread.
  void sync_block(int line);
  void sync_warp(WarpOp op, unsigned mask, int line);
  unsigned long long shuffle(Shuffle kind, unsigned mask, unsigned long long bits, int operand, int width,
                             int line);
  unsigned ballot(unsigned mask, bool vote, int line);

 private:
  void run_block(Index3 index);
  void fill_shared();
  void run_ready_threads();
  void run_warp(unsigned warp);
  void continue_thread(unsigned index);
  static void thread_body(void* emulator);
  void leave_barrier();
  void report_deadlock();
  void follow(const Warp& warp, const WarpStep& step);
  void wake(unsigned index);
  void fail(const Thread& at, const std::string& why);
  static unsigned linear(const Position& p) {
    return (p.thread.z * p.block_size.y + p.thread.y) * p.block_size.x + p.thread.x;
  }

  FiberPool fibers_;
  // of the grid
  KernelLibrary* library_ = nullptr;
  const KernelEntry* kernel_ = nullptr;
  void** parameters_ = nullptr;
  uint64_t seed_ = 0;
  Random random_{0};
  std::unique_ptr<OrderTag[]> grid_tags_;  // the start and the end of the grid
  std::string error_;
  // of the block
  std::vector<Thread> threads_;
  std::vector<Warp> warps_;
  std::vector<unsigned> order_;       // the order in which the threads run
  std::vector<unsigned> warp_order_;  // the warp that runs ahead next comes first
  Schedule schedule_ = Schedule::kTogether;
  std::unique_ptr<OrderTag[]> barrier_tags_;
  size_t ready_ = 0, at_barrier_ = 0, returned_ = 0;
  Thread* running_ = nullptr;
};

Emulator& emulator() {
  static auto* const of_process = new Emulator;
  return *of_process;
}

void Emulator::fail(const Thread& at, const std::string& why) {
  if (!error_.empty()) return;
  error_ = std::string("kernel ") + kernel_->name + ", line " + std::to_string(at.line) + ", block " +
           text_of(at.position.block) + ", thread " + text_of(at.position.thread) + ": " + why;
}
// ---- on the fiber of a thread

void Emulator::thread_body(void* emulator) {
  auto& e = *static_cast<Emulator*>(emulator);
  e.grid_tags_[0].acquire();
  e.kernel_->call(e.parameters_);
  e.grid_tags_[1].release();
  e.running_->state = State::kReturned;
}

void Emulator::sync_block(int line) {
  Thread& t = *running_;
  t.line = line;
  t.state = State::kAtBarrier;
  OrderTag& tag = barrier_tags_[t.barriers++ % 2];
  tag.release();
  t.fiber->stop();
  tag.acquire();
}

void Emulator::sync_warp(WarpOp op, unsigned mask, int line) {
  Thread& t = *running_;
  t.line = line;
  t.op = op;
  t.mask = mask;
  t.state = State::kInWarp;
  OrderTag* tag = nullptr;
  if (has_thread_sanitizer()) {
    const Hidden hidden;
    const unsigned index = linear(t.position);
    tag = &warps_[index / kLanes].tag(mask, index % kLanes);
  }
  if (tag) tag->release();
  t.fiber->stop();
  if (tag) tag->acquire();
}

unsigned long long Emulator::shuffle(Shuffle kind, unsigned mask, unsigned long long bits, int operand,
                                     int width, int line) {
  Thread& t = *running_;
  t.sent = bits;
  t.kind = kind;
  t.operand = operand;
  t.width = width;
  sync_warp(WarpOp::kShuffle, mask, line);
  return t.received;
}

unsigned Emulator::ballot(unsigned mask, bool vote, int line) {
  Thread& t = *running_;
  t.sent = vote;
  sync_warp(WarpOp::kBallot, mask, line);
  return static_cast<unsigned>(t.received);
}

// ---- on the stack of the host thread

void Emulator::wake(unsigned index) {
  threads_[index].state = State::kReady;
  ++warps_[index / kLanes].ready;
  ++ready_;
}

// Wakes the threads that a step releases, or reports its error.
void Emulator::follow(const Warp& warp, const WarpStep& step) {
  if (step.failed) return fail(*step.failed, step.error);
  for (unsigned i = 0; i < kLanes; ++i)
    if (step.released >> i & 1) wake(linear(warp.threads[i].position));
}

void Emulator::continue_thread(unsigned index) {
  Thread& t = threads_[index];
  Warp& warp = warps_[index / kLanes];
  --ready_;
  --warp.ready;
  running_ = &t;
  library_->position = &t.position;
  if (t.fiber) {
    t.fiber->resume();
  } else {
    t.fiber = fibers_.take(threads_.size());
    t.fiber->start(thread_body, this);
  }
  if (t.state == State::kAtBarrier) ++at_barrier_;
  if (t.state == State::kInWarp) follow(warp, arrive(warp, index % kLanes));
  if (t.state != State::kReturned) return;
  fibers_.put_back(t.fiber);
  t.fiber = nullptr;
  ++returned_;
  warp.returned |= 1u << index % kLanes;
  if (warp.waiting) follow(warp, check_returned(warp, index % kLanes));
}

// Runs each thread of a warp that can run, once.
void Emulator::run_warp(unsigned warp) {
  unsigned lanes[kLanes];
  const auto count = static_cast<unsigned>(std::min<size_t>(kLanes, threads_.size() - size_t{warp} * kLanes));
  std::iota(lanes, lanes + count, warp * kLanes);
  for (unsigned i = count; i > 1; --i) std::swap(lanes[i - 1], lanes[random_.below(i)]);
  for (unsigned i = 0; i < count && error_.empty(); ++i)
    if (threads_[lanes[i]].state == State::kReady) continue_thread(lanes[i]);
}

void Emulator::run_ready_threads() {
  if (schedule_ == Schedule::kRunAhead) {
    for (unsigned warp : warp_order_)
      while (warps_[warp].ready > 0 && error_.empty()) run_warp(warp);
    random_.shuffle(warp_order_);
    return;
  }
  std::vector<bool> runs(warps_.size(), true);
  if (schedule_ == Schedule::kHalf)
    for (size_t w = 0; w < runs.size(); ++w) runs[w] = random_.below(2) == 1;
  if (seed_ > 1) random_.shuffle(order_);
  for (unsigned index : order_) {
    if (!error_.empty()) return;
    if (threads_[index].state == State::kReady && runs[index / kLanes]) continue_thread(index);
  }
}

// Lets all threads leave the barrier at which they wait.
void Emulator::leave_barrier() {
  const Thread* first = nullptr;
  for (const Thread& t : threads_)
    if (t.state == State::kAtBarrier) {
      if (!first) first = &t;
      if (t.line != first->line)
        return fail(*first, "the threads of a block wait at different barriers; " + place_of(t));
    }
  if (returned_ > 0)
    return fail(*first, std::to_string(returned_) +
                            " threads of the block have returned without reaching the barrier");
  at_barrier_ = 0;
  for (unsigned i = 0; i < threads_.size(); ++i) wake(i);
}

void Emulator::report_deadlock() {
  for (const Thread& t : threads_)
    if (t.state == State::kInWarp)
      return fail(t, "deadlock: the thread waits for other threads of its mask, and they wait at a barrier");
}

void Emulator::fill_shared() {
  char *const begin = library_->shared_begin, *const end = library_->shared_end;
  if (begin == end) return;
  std::memset(begin, 0xff, static_cast<size_t>(end - begin));
  if (!has_thread_sanitizer()) return;
  // ThreadSanitizer forgets the accesses to an allocation of Java. All of Java's memory must be announced
  // once.
  static const bool announced = (__tsan_java_init(0x7e8000000000, 0x7ffffffff000 - 0x7e8000000000), true);
  static_cast<void>(announced);
  const uintptr_t from = (reinterpret_cast<uintptr_t>(begin) + 7) / 8 * 8,
                  to = reinterpret_cast<uintptr_t>(end) / 8 * 8;
  if (from < to) __tsan_java_alloc(from, to - from);
}

void Emulator::run_block(Index3 index) {
  ready_ = at_barrier_ = returned_ = 0;
  barrier_tags_ = std::make_unique<OrderTag[]>(2);
  for (Warp& w : warps_) {
    w.waiting = w.returned = w.ready = 0;
    w.meetings.clear();
  }
  for (unsigned i = 0; i < threads_.size(); ++i) {
    threads_[i].position.block = index;
    threads_[i].fiber = nullptr;
    threads_[i].barriers = 0;
    wake(i);
  }
  schedule_ = seed_ < 2 ? Schedule::kTogether : static_cast<Schedule>(random_.below(3));
  fill_shared();
  while (error_.empty() && returned_ < threads_.size()) {
    if (ready_ > 0)
      run_ready_threads();
    else if (at_barrier_ + returned_ == threads_.size())
      leave_barrier();
    else
      report_deadlock();
  }
  if (error_.empty()) return;
  for (Thread& t : threads_)
    if (t.fiber) {
      t.fiber->abandon();
      fibers_.put_back(t.fiber);
      t.fiber = nullptr;
    }
}

std::string Emulator::run(KernelLibrary& library, const KernelEntry& kernel, Index3 grid, Index3 block,
                          void** parameters, uint64_t seed) {
  static const Synchronization synchronization = {
      [](int line) { emulator().sync_block(line); },
      [](unsigned mask, int line) { emulator().sync_warp(WarpOp::kSync, mask, line); },
      [](Shuffle kind, unsigned mask, unsigned long long bits, int operand, int width, int line) {
        return emulator().shuffle(kind, mask, bits, operand, width, line);
      },
      [](unsigned mask, bool vote, int line) { return emulator().ballot(mask, vote, line); }};
  const Hidden hidden;
  library_ = &library;
  library.synchronization = &synchronization;
  kernel_ = &kernel;
  parameters_ = parameters;
  seed_ = seed;
  random_ = Random(seed);
  error_.clear();
  threads_.resize(size_t{block.x} * block.y * block.z);
  warps_.clear();
  warps_.resize((threads_.size() + kLanes - 1) / kLanes);
  order_.resize(threads_.size());
  warp_order_.resize(warps_.size());
  std::iota(warp_order_.begin(), warp_order_.end(), 0u);
  random_.shuffle(warp_order_);
  for (unsigned i = 0; i < threads_.size(); ++i) {
    threads_[i].position = {{i % block.x, i / block.x % block.y, i / (block.x * block.y)}, {}, block, grid};
    warps_[i / kLanes].threads = &threads_[i / kLanes * kLanes];
    warps_[i / kLanes].lanes |= 1u << i % kLanes;
    order_[i] = seed == 1 ? static_cast<unsigned>(threads_.size()) - 1 - i : i;
  }

  grid_tags_ = std::make_unique<OrderTag[]>(2);
  grid_tags_[0].release();
  const uint64_t blocks = uint64_t{grid.x} * grid.y * grid.z;
  // If the step and the number of blocks have no common divisor, each block is visited once.
  uint64_t step = seed == 0 ? 1 : seed == 1 ? blocks - 1 : 1 + random_.below(blocks);
  while (std::gcd(step, blocks) != 1) ++step;
  uint64_t at = seed == 0 ? 0 : seed == 1 ? blocks - 1 : random_.below(blocks);
  for (uint64_t done = 0; done < blocks && error_.empty(); ++done, at = (at + step) % blocks)
    run_block({static_cast<unsigned>(at % grid.x), static_cast<unsigned>(at / grid.x % grid.y),
               static_cast<unsigned>(at / grid.x / grid.y)});
  grid_tags_[1].acquire();
  return error_;
}

}  // namespace

std::string run_grid(KernelLibrary& library, const KernelEntry& kernel, Index3 grid, Index3 block,
                     void** parameters, uint64_t seed) {
  return emulator().run(library, kernel, grid, block, parameters, seed);
}

}  // namespace cutset::cuda::doubles
