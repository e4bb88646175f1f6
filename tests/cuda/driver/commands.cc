// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda/driver/commands.h"

#include <chrono>

#include "tests/cuda/driver/driver_state.h"

namespace cutset::cuda::doubles {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

void Commands::set_seed(uint64_t seed) {
  seed_ = seed;
  random_ = Random(seed);
}

void Commands::submit(const CommandPointer& command) {
  command->number = submitted_++;
  for (const CommandPointer& before : command->after)
    if (!before->done) {
      ++command->waits;
      before->followers.push_back(command);
    }
  if (command->waits == 0) ready_.push_back(command);
  command->order.release();
  if (seed_ == 0) run_until_done(command);
  if (seed_ > 1)
    while (!ready_.empty() && random_.below(4) == 0) run(random_.below(ready_.size()));
}

void Commands::run(size_t index) {
  const CommandPointer command = ready_[index];
  ready_[index] = ready_.back();
  ready_.pop_back();
  std::string error;
  command->lane->run([&] {
    for (const CommandPointer& before : command->after) before->order.acquire();
    command->order.acquire();  // after the call that has submitted the command
    if (command->work && command->context->fault == kSuccess) error = command->work();
    command->order.release();
  });
  command->seconds = now();
  if (!error.empty()) break_context(*command->context, error);
  command->done = true;
  command->work = nullptr;
  command->after.clear();
  for (const CommandPointer& follower : command->followers)
    if (--follower->waits == 0) ready_.push_back(follower);
  command->followers.clear();
}

void Commands::mark_needed(Command& command) {
  std::vector<Command*> stack = {&command};
  while (!stack.empty()) {
    Command& c = *stack.back();
    stack.pop_back();
    if (c.done || c.needed) continue;
    c.needed = true;
    for (const CommandPointer& before : c.after) stack.push_back(before.get());
  }
}

void Commands::run_until_done(const CommandPointer& command) {
  if (seed_ < 2) mark_needed(*command);
  while (!command->done) {
    size_t chosen = ready_.size();
    if (seed_ > 1)
      chosen = random_.below(ready_.size());
    else
      for (size_t i = 0; i < ready_.size(); ++i)
        if (ready_[i]->needed && (chosen == ready_.size() || ready_[i]->number > ready_[chosen]->number))
          chosen = i;
    run(chosen);
  }
}

void Commands::finish(const CommandPointer& command) {
  if (!command) return;
  run_until_done(command);
  command->order.acquire();
}

void Commands::run_one() {
  if (!ready_.empty()) run(seed_ > 1 ? random_.below(ready_.size()) : ready_.size() - 1);
}

void Commands::finish_all() {
  while (!ready_.empty()) run(0);
}

}  // namespace cutset::cuda::doubles
