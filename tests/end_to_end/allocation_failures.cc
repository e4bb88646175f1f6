// SPDX-License-Identifier: Apache-2.0
// Lets each allocation of a run fail in turn. The runs alternate between two batch sizes, so that the program
// of the smaller batch has left the arena and binds its tensors, events and kernels again. A run whose
// allocation fails must throw std::bad_alloc or cutset::Error, and must leave the session as it was before
// the step or as it is after it. The next runs must succeed, and must compute what a session computes in
// which no allocation has failed. If a command of a device has failed, the session refuses further steps
// until its variables have been saved and loaded.
//
// Then loads a saved program of the same network, and lets each allocation of the load fail in turn. Every
// load that fails must throw one of these exceptions too, and must release what it holds, which LeakSanitizer
// checks.
//
//   cutset_allocation_failure_test DEVICES [STRATEGY]
//
// OpenCL is not tested, because PoCL 3.1 keeps a mutex locked when one of its allocations fails.
//
// Only allocations on the thread that calls the session fail. Allocations that backends make with malloc() do
// not fail.
#include <cutset/cutset.h>
#include <cutset/saved.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>

#include "tests/temporary_folder.h"

namespace {

thread_local long before_failure = -1;  // the number of allocations that still succeed; -1: all succeed

void* allocate(size_t bytes, size_t alignment) {
  if (before_failure == 0) {
    before_failure = -1;
    throw std::bad_alloc();
  }
  if (before_failure > 0) --before_failure;
  void* p = std::aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
  if (!p) throw std::bad_alloc();
  return p;
}

void* allocate_or_null(size_t bytes, size_t alignment) {
  try {
    return allocate(bytes, alignment);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

constexpr size_t kAlignment = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

using namespace cutset;

Graph network() {
  Graph g(1);
  Tensor x = g.input("x", f32, {4, 3});
  Tensor hidden = tanh(nn::dense("hidden", x, 5));
  g.minimize(mean(hidden * hidden), {.learning_rate = 0.1, .momentum = 0.9});
  return g;
}

Batch batch(int64_t rows) {
  HostTensor x({f32, {rows, 3}});
  for (float& v : x.as<float>()) v = 0.5f;
  Batch b;
  b.emplace("x", std::move(x));
  return b;
}

bool same(const Session& a, const Session& b) {
  for (const std::string& name : a.variables())
    if (const HostTensor x = a.variable(name), y = b.variable(name);
        !std::ranges::equal(x.bytes(), y.bytes()))
      return false;
  return a.step() == b.step();
}

}  // namespace

// A sanitizer has all forms of these operators, so all forms are replaced.
void* operator new(size_t bytes) { return allocate(bytes, kAlignment); }
void* operator new[](size_t bytes) { return allocate(bytes, kAlignment); }
void* operator new(size_t bytes, std::align_val_t a) { return allocate(bytes, static_cast<size_t>(a)); }
void* operator new[](size_t bytes, std::align_val_t a) { return allocate(bytes, static_cast<size_t>(a)); }
void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  return allocate_or_null(bytes, kAlignment);
}
void* operator new[](size_t bytes, const std::nothrow_t&) noexcept {
  return allocate_or_null(bytes, kAlignment);
}
void* operator new(size_t bytes, std::align_val_t a, const std::nothrow_t&) noexcept {
  return allocate_or_null(bytes, static_cast<size_t>(a));
}
void* operator new[](size_t bytes, std::align_val_t a, const std::nothrow_t&) noexcept {
  return allocate_or_null(bytes, static_cast<size_t>(a));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }
void operator delete[](void* p, size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t, const std::nothrow_t&) noexcept { std::free(p); }

namespace {

// Calls f() with one failing allocation, the one with number `n`. Returns true if no allocation failed.
bool succeeds(long n, long& other, auto&& f) {
  bool failed = false;
  before_failure = n;
  try {
    f();
    failed = before_failure < 0;
  } catch (const std::bad_alloc&) {
    failed = true;
  } catch (const Error&) {
    failed = true;
  } catch (const std::exception& e) {
    std::printf("allocation %ld: another exception: %s\n", n, e.what());
    failed = true;
    ++other;
  }
  before_failure = -1;
  return !failed;
}

// Returns whether all runs and loads behaved as they must.
bool check_runs(const CompileOptions& options, const std::string& file) {
  const Batch small = batch(4), large = batch(16);
  Session session = compile(network(), options), whole = compile(network(), options);
  for (Session* s : {&session, &whole}) {
    s->train(small);
    s->train(large);
  }
  long failed = 0, committed = 0, reloaded = 0, different = 0, other = 0;
  for (bool succeeded = false; !succeeded; ++failed) {
    const uint64_t step = session.step();
    succeeded = succeeds(failed, other, [&] { session.train(small); });
    const bool has_run = session.step() != step;
    committed += has_run && !succeeded;
    try {
      session.train(large);
    } catch (const Error&) {
      session.save(file);
      session.load(file);
      session.train(large);
      ++reloaded;
    }
    if (has_run) whole.train(small);
    whole.train(large);
    if (!same(session, whole)) {
      std::printf("allocation %ld: the variables differ from those of a session without failures\n", failed);
      ++different;
    }
  }
  std::printf(
      "%ld allocations of a run failed in turn; %ld of these steps were committed, and %ld sessions were "
      "saved and loaded; %ld different, %ld other exceptions\n",
      failed - 1, committed, reloaded, different, other);
  return different == 0 && other == 0 && failed > 20;
}

bool check_loads(const CompileOptions& options, const std::string& file) {
  save_program(network(), options, file);
  long failed = 0, other = 0;
  while (!succeeds(failed, other, [&] { load_program(file); })) ++failed;
  std::printf("%ld allocations of a load failed in turn; %ld other exceptions\n", failed, other);
  load_program(file).run("train", batch(4));
  return other == 0 && failed > 20;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const CompileOptions options{.devices = argv[1], .strategy = argc > 2 ? argv[2] : ""};
  const TemporaryFile file("program.cutset");
  const bool runs = check_runs(options, file.path), loads = check_loads(options, file.path);
  return runs && loads ? 0 : 1;
}
