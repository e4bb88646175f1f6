// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda/emulator/fiber.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>

#if defined(__x86_64__)
// Saves the registers that a function must preserve on the stack, stores the stack pointer in *from, and
// continues where the stack pointer `to` was stored. swapcontext would make two system calls.
extern "C" void cutset_cuda_double_switch(void** from, void* to);
asm(R"(
.text
.hidden cutset_cuda_double_switch
.globl cutset_cuda_double_switch
.type cutset_cuda_double_switch, @function
cutset_cuda_double_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size cutset_cuda_double_switch, .-cutset_cuda_double_switch
)");
#else
#include <ucontext.h>
#endif

namespace cutset::cuda::doubles {
namespace {

constexpr size_t kStackBytes = 128 << 10, kGuardBytes = 4 << 10;

Fiber* entering = nullptr;  // the fiber whose loop of bodies is entered next

}  // namespace

#if defined(__x86_64__)
struct Resume {
  void* stack_pointer = nullptr;
};
static void change(Resume& from, Resume& to) {
  cutset_cuda_double_switch(&from.stack_pointer, to.stack_pointer);
}
#else
struct Resume {
  ucontext_t context;
};
static void change(Resume& from, Resume& to) { swapcontext(&from.context, &to.context); }
#endif

Fiber::Fiber() : inside_(new Resume), outside_(new Resume) {
  void* const memory = mmap(nullptr, kGuardBytes + kStackBytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory, kGuardBytes, PROT_NONE) != 0) {
    std::fprintf(stderr, "cutset driver double: there is no memory for the stack of a CUDA thread\n");
    std::abort();
  }
  stack_ = static_cast<char*>(memory) + kGuardBytes;
  if (has_thread_sanitizer()) thread_ = __tsan_create_fiber(0);
}

void Fiber::prepare() {
#if defined(__x86_64__)
  auto* top = reinterpret_cast<void**>(stack_ + kStackBytes);
  *--top = nullptr;  // the alignment that a function finds after a call
  *--top = reinterpret_cast<void*>(&Fiber::enter);
  for (int saved = 0; saved < 6; ++saved) *--top = nullptr;
  inside_->stack_pointer = top;
#else
  getcontext(&inside_->context);
  inside_->context.uc_stack.ss_sp = stack_;
  inside_->context.uc_stack.ss_size = kStackBytes;
  inside_->context.uc_link = nullptr;
  makecontext(&inside_->context, &Fiber::enter, 0);
#endif
}

void Fiber::enter() {
  Fiber& fiber = *entering;
  if (__sanitizer_finish_switch_fiber)
    __sanitizer_finish_switch_fiber(nullptr, &fiber.caller_stack_, &fiber.caller_stack_bytes_);
  for (;;) {
    fiber.body_(fiber.argument_);
    fiber.switch_out();
  }
}

void Fiber::switch_in() {
  if (has_thread_sanitizer()) {
    caller_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(thread_, 1);  // 1: the switch orders nothing
  }
  if (__sanitizer_start_switch_fiber)
    __sanitizer_start_switch_fiber(&caller_fake_stack_, stack_, kStackBytes);
  change(*outside_, *inside_);
  if (__sanitizer_finish_switch_fiber) __sanitizer_finish_switch_fiber(caller_fake_stack_, nullptr, nullptr);
}

void Fiber::switch_out() {
  if (has_thread_sanitizer()) __tsan_switch_to_fiber(caller_, 1);
  if (__sanitizer_start_switch_fiber)
    __sanitizer_start_switch_fiber(&fake_stack_, caller_stack_, caller_stack_bytes_);
  change(*inside_, *outside_);
  if (__sanitizer_finish_switch_fiber)
    __sanitizer_finish_switch_fiber(fake_stack_, &caller_stack_, &caller_stack_bytes_);
}

void Fiber::start(void (*body)(void*), void* argument) {
  body_ = body;
  argument_ = argument;
  if (!entered_) {
    prepare();
    entered_ = true;
    entering = this;
  }
  switch_in();
}

void Fiber::resume() { switch_in(); }
void Fiber::stop() { switch_out(); }

void Fiber::abandon() {
  entered_ = false;
  fake_stack_ = nullptr;
  if (has_address_sanitizer()) __asan_unpoison_memory_region(stack_, kStackBytes);
}

}  // namespace cutset::cuda::doubles
