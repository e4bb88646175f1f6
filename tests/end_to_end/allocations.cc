// SPDX-License-Identifier: Apache-2.0
// Counts the allocations on the threads of queues in the steps after the first two. Cutset itself must not
// allocate there, on one device and on several devices with messages and all-reduces between them. oneDNN may
// allocate, but must do so equally often in every step. An allocation counts as oneDNN's if libdnnl is among
// its callers. Callers in libgomp do not make an allocation oneDNN's, because Cutset's own loops also run in
// the threads of libgomp.
//
//   cutset_allocation_test DEVICES [STRATEGY]      exit code 77: a device is not available
#include <cutset/cutset.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "frontends/models/models.h"
#include "runtime/device/device.h"

extern "C" void* __libc_malloc(size_t);
extern "C" void* __libc_calloc(size_t, size_t);
extern "C" void* __libc_realloc(void*, size_t);
extern "C" void* __libc_memalign(size_t, size_t);

namespace {
std::atomic<bool> counting{false};
std::atomic<long> ours{0}, theirs{0};
thread_local int executor = -1;
thread_local bool inside = false;

// Executor threads have the name "cutset-queue".
bool on_executor() {
  if (executor < 0) {
    char name[16] = "";
    pthread_getname_np(pthread_self(), name, sizeof name);
    executor = std::strcmp(name, "cutset-queue") == 0;
  }
  return executor == 1;
}

void note() {
  if (!counting || inside || !on_executor()) return;
  inside = true;
  void* frames[48];
  const int n = backtrace(frames, 48);
  bool vendor = false;
  for (int i = 0; i < n && !vendor; ++i) {
    Dl_info info;
    vendor = dladdr(frames[i], &info) && info.dli_fname && std::strstr(info.dli_fname, "libdnnl");
  }
  ++(vendor ? theirs : ours);
  inside = false;
}
}  // namespace

extern "C" void* malloc(size_t n) {
  note();
  return __libc_malloc(n);
}
extern "C" void* calloc(size_t n, size_t each) {
  note();
  return __libc_calloc(n, each);
}
extern "C" void* realloc(void* p, size_t n) {
  note();
  return __libc_realloc(p, n);
}
extern "C" void* aligned_alloc(size_t a, size_t n) {
  note();
  return __libc_memalign(a, n);
}
extern "C" int posix_memalign(void** p, size_t a, size_t n) {
  note();
  *p = __libc_memalign(a, n);
  return *p ? 0 : 12;
}

int main(int argc, char** argv) {
  using namespace cutset;
  if (argc < 2) return 2;
  const std::string devices = argv[1], strategy = argc > 2 ? argv[2] : "";
  void* frames[4];
  backtrace(frames, 4);  // the first call allocates memory, which must not be counted
  auto described = describe_devices({.devices = devices});
  if (!described) {
    std::printf("skipped: %s: %s\n", devices.c_str(), described.error().text().c_str());
    return 77;
  }
  int failures = 0;
  Session session =
      compile(models::find("lenet").build({.batch = 8}), {.devices = devices, .strategy = strategy});
  Batch batch;
  batch.emplace("image", HostTensor({f32, {8, 1, 28, 28}}));
  batch.emplace("label", HostTensor({i32, {8}}));
  session.train(batch);
  session.train(batch);
  long vendor_before = -1;
  for (int step = 0; step < 5; ++step) {
    ours = theirs = 0;
    counting = true;
    session.train(batch);
    counting = false;
    std::printf("%s, step %d: %ld of our allocations, %ld inside oneDNN\n", devices.c_str(), step + 3,
                ours.load(), theirs.load());
    failures += ours != 0;
    failures += vendor_before >= 0 && theirs != vendor_before;
    vendor_before = theirs;
  }
  // The counter itself is tested: it must see each kind of allocation on a thread with the name of a thread
  // of a queue.
  ours = 0;
  pthread_t thread;
  pthread_create(
      &thread, nullptr,
      [](void*) -> void* {
        pthread_setname_np(pthread_self(), "cutset-queue");
        executor = -1;
        counting = true;
        void* volatile p = std::malloc(10);
        p = std::realloc(p, 20);
        void* volatile q = std::calloc(2, 10);
        void* volatile r = operator new(10);
        counting = false;
        std::free(p);
        std::free(q);
        operator delete(r);
        return nullptr;
      },
      nullptr);
  pthread_join(thread, nullptr);
  failures += ours != 4;
  std::printf("%d failures\n", failures);
  return failures != 0;
}
