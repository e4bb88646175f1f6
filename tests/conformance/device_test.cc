// SPDX-License-Identifier: Apache-2.0
// Tests the device ABI of every backend directly: slices, order, plans, abandoned devices, and the optional
// tables except collectives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <numeric>
#include <thread>

#include "frontends/cpp/checks/failure.h"
#include "runtime/device/backend_library.h"
#include "tests/conformance/on_device.h"

namespace cutset::testing {
namespace {

using Floats = std::vector<float>;

class DeviceAbi : public ::testing::TestWithParam<std::string> {
 protected:
  DeviceAbi() : device_(open_device(GetParam())), api_(device_->api()) {}

  cutset_queue queue() { return check(device_->queue()); }
  cutset_event event() { return check(device_->own().event()); }
  // Returns a slice of `count` floats in a new buffer. The slice begins after `before` units of alignment.
  cutset_slice floats(size_t count, uint64_t before = 1) {
    const uint64_t bytes = count * sizeof(float), offset = before * device_->alignment();
    return {check(device_->own().allocate(offset + bytes)), offset, bytes};
  }
  // Returns a slice that holds the `count` floats first, first + 1, ...
  cutset_slice holding(cutset_queue q, size_t count, float first) {
    const cutset_slice slice = floats(count);
    Floats values(count);
    std::iota(values.begin(), values.end(), first);
    check(device_->write_now(q, slice, values.data()));
    return slice;
  }
  Floats read(cutset_queue q, const cutset_slice& slice) {
    Floats values(slice.bytes / sizeof(float), -1);
    check(device_->read_now(q, slice, values.data()));
    return values;
  }
  void ok(const cutset_error* e) { EXPECT_EQ(e, nullptr) << e->message; }
  static Floats counting(size_t count, float first) {
    Floats values(count);
    std::iota(values.begin(), values.end(), first);
    return values;
  }

  // The kernel that the device chooses for the sum of two vectors, prepared for vectors of `count` floats.
  struct Sum {
    const cutset_kernel* kernel;
    Handles::Prepared made;
    cutset_slice scratch;
  };
  Sum sum_of(size_t count) {
    const OpInfo& op = *find_op("add");
    const TensorType vector{DType::f32, {static_cast<int64_t>(count)}};
    const Types in{vector, vector}, out{vector};
    const auto problem = check(own_problem(op, {}, in, out));
    const KernelChoice choice = check(device_->description().choose(op, problem->attributes.data(), in, out));
    const auto made = check(device_->own().prepare(choice.kernel, problem));
    return {choice.kernel, made, {check(device_->own().allocate(made.scratch_bytes)), 0, made.scratch_bytes}};
  }
  void enqueue(cutset_queue q, const Sum& sum, const cutset_slice& x, const cutset_slice& y,
               const cutset_slice& z) {
    const cutset_slice in[] = {x, y};
    const cutset_run run = {.size = sizeof run, .step = 1};
    ok(sum.kernel->enqueue(q, sum.made.plan, in, &z, &sum.scratch, &run));
  }

  std::unique_ptr<OpenDevice> device_;
  const cutset_backend& api_;
};
// Returns the kinds of devices whose backend has this optional table.
template <class Table>
std::vector<std::string> kinds_with(const Table* cutset_backend::* table) {
  std::vector<std::string> kinds;
  for (const std::string& kind : kinds_here())
    if (check(load_backend(kind))->*table) kinds.push_back(kind);
  return kinds;
}
class DeviceMemory : public DeviceAbi {};
class DeviceCapture : public DeviceAbi {};
class DeviceTime : public DeviceAbi {};
const auto kName = [](const auto& info) { return info.param; };
INSTANTIATE_TEST_SUITE_P(All, DeviceAbi, ::testing::ValuesIn(kinds_here()), kName);
INSTANTIATE_TEST_SUITE_P(All, DeviceMemory, ::testing::ValuesIn(kinds_with(&cutset_backend::memory)), kName);
INSTANTIATE_TEST_SUITE_P(All, DeviceCapture, ::testing::ValuesIn(kinds_with(&cutset_backend::capture)),
                         kName);
INSTANTIATE_TEST_SUITE_P(All, DeviceTime, ::testing::ValuesIn(kinds_with(&cutset_backend::time)), kName);

TEST_P(DeviceAbi, CopiesTouchTheirSliceOnly) {
  const cutset_queue q = queue();
  const uint64_t step = device_->alignment();
  const size_t count = 3 * step / sizeof(float);
  const cutset_buffer buffer = check(device_->own().allocate(3 * step)),
                      other = check(device_->own().allocate(2 * step));
  const cutset_slice whole = {buffer, 0, 3 * step}, middle = {buffer, step, 8}, empty = {buffer, 3 * step, 0};
  Floats values = counting(count, 0);
  ok(api_.write(q, &whole, values.data()));
  const Floats two = {-5, -6};
  ok(api_.write(q, &middle, two.data()));
  ok(api_.write(q, &empty, nullptr));
  ok(api_.read(q, &empty, nullptr));
  ok(api_.finish(q));
  values[step / sizeof(float)] = -5;
  values[step / sizeof(float) + 1] = -6;
  EXPECT_EQ(read(q, whole), values);
  const cutset_slice there = {other, step, 8};
  ok(api_.copy(q, &middle, &there));
  ok(api_.copy(q, &empty, &empty));
  EXPECT_EQ(read(q, there), two);
}

// A plan is bound to no memory: two executions with different slices run one after the other without a wait.
TEST_P(DeviceAbi, APlanServesManySlices) {
  constexpr size_t kCount = 1000;
  const cutset_queue q = queue();
  const Sum sum = sum_of(kCount);
  const cutset_slice a = holding(q, kCount, 0), b = holding(q, kCount, 100), c = floats(kCount, 2),
                     d = floats(kCount, 3);
  for (int i = 0; i < 20; ++i) {
    enqueue(q, sum, a, b, c);
    enqueue(q, sum, b, b, d);
    enqueue(q, sum, c, d, c);
  }
  // c = (a + b) + 2 b, and d = 2 b
  for (size_t i = 0; const float v : read(q, c)) EXPECT_EQ(v, 4 * static_cast<float>(i++) + 300);
  for (size_t i = 0; const float v : read(q, d)) EXPECT_EQ(v, 2 * static_cast<float>(i++) + 200);
}

// The second queue reads the results of the first queue, in 50 rounds without a wait of the host. A separate
// thread enqueues the waits, because they may block.
TEST_P(DeviceAbi, EventsOrderQueues) {
  constexpr size_t kCount = 4096;
  const cutset_queue first = queue(), second = queue();
  const cutset_event written = event(), taken = event();
  const cutset_slice one = floats(kCount), sums = holding(second, kCount, 0);
  const Sum sum = sum_of(kCount);
  std::vector<Floats> values;
  for (int i = 0; i < 50; ++i) values.emplace_back(kCount, static_cast<float>(i + 1));
  std::thread writer([&] {
    for (uint64_t i = 1; i <= 50; ++i) {
      ok(api_.wait(first, taken, i - 1));
      ok(api_.write(first, &one, values[i - 1].data()));
      ok(api_.signal(first, written, i));
    }
    ok(api_.finish(first));
  });
  for (uint64_t i = 1; i <= 50; ++i) {
    ok(api_.wait(second, written, i));
    enqueue(second, sum, sums, one, sums);
    ok(api_.signal(second, taken, i));
  }
  writer.join();
  const Floats result = read(second, sums);
  for (size_t i = 0; i < kCount; ++i) EXPECT_EQ(result[i], static_cast<float>(i) + 50 * 51 / 2);
}

TEST_P(DeviceAbi, AnAbandonedDeviceStaysReadable) {
  const cutset_queue q = queue(), waiting = queue();
  const cutset_event never = event();
  const cutset_slice kept = holding(q, 100, 7);
  std::thread blocked([&] {
    const cutset_error* e = api_.wait(waiting, never, 1);
    if (!e) e = api_.finish(waiting);
    ASSERT_NE(e, nullptr);
    EXPECT_EQ(e->code, CUTSET_ABANDONED) << e->message;
    EXPECT_GE(e->size, sizeof *e);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  device_->abandon();
  blocked.join();
  EXPECT_EQ(read(q, kept), counting(100, 7));
}

// A device that resumes waits again, and runs kernels and copies.
TEST_P(DeviceAbi, AResumedDeviceRunsCommands) {
  ASSERT_NE(api_.resume, nullptr);
  const cutset_queue q = queue(), waiting = queue();
  const cutset_event ready = event();
  const cutset_slice a = holding(q, 64, 1), b = holding(q, 64, 2), c = holding(q, 64, 0),
                     d = holding(q, 64, 0);
  const Sum sum = sum_of(64);
  for (uint64_t epoch = 1; epoch <= 3; ++epoch) {
    device_->abandon();
    const cutset_error* e = api_.wait(waiting, ready, epoch);
    if (!e) e = api_.finish(waiting);
    ASSERT_NE(e, nullptr) << "an abandoned device waits";
    device_->drain();
    check(device_->resume());
    std::thread later([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      enqueue(q, sum, a, b, c);
      ok(api_.signal(q, ready, epoch));
    });
    ok(api_.wait(waiting, ready, epoch));
    ok(api_.copy(waiting, &c, &d));
    ok(api_.finish(waiting));
    later.join();
    ok(api_.finish(q));
    Floats want = counting(64, 3);
    for (size_t i = 0; i < want.size(); ++i) want[i] += static_cast<float>(i);
    EXPECT_EQ(read(q, d), want);
    ok(api_.copy(q, &a, &d));
  }
}

TEST_P(DeviceAbi, AnUnsupportedProblemIsToldFromAFailure) {
  const OpInfo& op = *find_op("add");
  const FlatAttrs attributes = check(FlatAttrs::pack(op.schema, {}));
  const TensorType unknown{static_cast<DType>(42), {2}};
  const Types in{unknown, unknown}, out{unknown};
  const AbiProblem problem(op, attributes.data(), in, out);
  for (size_t i = 0; i < api_.kernel_count; ++i) {
    if (std::string_view(api_.kernels[i]->op) != "add") continue;
    const cutset_error* e = api_.kernels[i]->supports(&device_->description().info(), problem.get());
    ASSERT_NE(e, nullptr) << api_.kernels[i]->name;
    EXPECT_EQ(e->code, CUTSET_UNSUPPORTED);
  }
}

TEST_P(DeviceAbi, ExhaustedMemoryIsToldFromAFailure) {
  cutset_buffer buffer = nullptr;
  const cutset_error* e = api_.allocate(device_->handle(), uint64_t{1} << 60, &buffer);
  ASSERT_NE(e, nullptr);
  EXPECT_EQ(e->code, CUTSET_OUT_OF_MEMORY) << e->message;
}

TEST_P(DeviceMemory, PinnedMemoryAndPeers) {
  const cutset_queue q = queue();
  void* pinned = nullptr;
  ok(api_.memory->allocate_host(device_->handle(), 400, &pinned));
  std::iota(static_cast<float*>(pinned), static_cast<float*>(pinned) + 100, 3.f);
  const cutset_slice here = floats(100);
  ok(api_.write(q, &here, pinned));
  ok(api_.finish(q));
  api_.memory->free_host(device_->handle(), pinned);
  auto other = open_device(GetParam());
  ok(api_.memory->can_copy_peer(device_->handle(), other->handle()));
  const cutset_queue there = check(other->queue());
  const cutset_slice copy = {check(other->own().allocate(400)), 0, 400};
  ok(api_.memory->copy_peer(there, device_->handle(), &here, &copy));
  Floats values(100);
  check(other->read_now(there, copy, values.data()));
  EXPECT_EQ(values, counting(100, 3));
}

TEST_P(DeviceCapture, ACaptureRunsWhatWasRecorded) {
  const cutset_queue q = queue();
  const cutset_slice a = holding(q, 64, 1), b = holding(q, 64, 0), c = holding(q, 64, 0);
  const Sum sum = sum_of(64);
  ok(api_.capture->begin(q));
  enqueue(q, sum, a, b, b);
  ok(api_.copy(q, &b, &c));
  EXPECT_NE(api_.capture->begin(q), nullptr) << "a queue that is being recorded was begun again";
  const cutset_error* refused = api_.write(q, &a, nullptr);
  ASSERT_NE(refused, nullptr) << "a transfer was recorded";
  EXPECT_EQ(refused->code, CUTSET_UNSUPPORTED);
  cutset_capture capture = nullptr;
  ok(api_.capture->end(q, &capture));
  ASSERT_NE(capture, nullptr);
  EXPECT_EQ(read(q, b), counting(64, 0)) << "a recorded command ran";
  for (int i = 0; i < 3; ++i) ok(api_.capture->launch(q, capture));
  ok(api_.finish(q));
  api_.capture->release(capture);
  for (size_t i = 0; const float v : read(q, c)) EXPECT_EQ(v, 4 * static_cast<float>(i++) + 3);  // b + 3 a
}

TEST_P(DeviceTime, TimestampsGrow) {
  const cutset_queue q = queue();
  const cutset_slice a = holding(q, 1 << 16, 0);
  const Sum sum = sum_of(1 << 16);
  cutset_timestamp stamps[3] = {};
  for (cutset_timestamp& t : stamps) ok(api_.time->create(device_->handle(), &t));
  ok(api_.time->record(q, stamps[0]));
  for (int i = 0; i < 20; ++i) enqueue(q, sum, a, a, a);
  ok(api_.time->record(q, stamps[1]));
  ok(api_.time->record(q, stamps[2]));
  ok(api_.finish(q));
  // A timestamp is taken when the device executes it, and not when it is enqueued.
  const cutset_queue other = queue();
  const cutset_event gate = event();
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ok(api_.signal(other, gate, 1));
    ok(api_.finish(other));
  });
  cutset_timestamp late = nullptr;
  ok(api_.time->create(device_->handle(), &late));
  ok(api_.wait(q, gate, 1));
  ok(api_.time->record(q, late));
  ok(api_.finish(q));
  opener.join();
  double waited = 0;
  ok(api_.time->elapsed(stamps[2], late, &waited));
  EXPECT_GE(waited, 0.03);
  api_.time->release(device_->handle(), late);
  double kernels = 0, none = 0, back = 0;
  ok(api_.time->elapsed(stamps[0], stamps[1], &kernels));
  ok(api_.time->elapsed(stamps[1], stamps[2], &none));
  ok(api_.time->elapsed(stamps[1], stamps[0], &back));
  EXPECT_GT(kernels, 0);
  EXPECT_GE(none, 0);
  EXPECT_EQ(back, -kernels);
  for (cutset_timestamp t : stamps) api_.time->release(device_->handle(), t);
}

}  // namespace
}  // namespace cutset::testing
