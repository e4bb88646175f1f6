// SPDX-License-Identifier: Apache-2.0
// Tests groups of GPUs with the doubles of the driver and of NCCL: failures of NCCL, errors of commands that
// were kept, captures, and refused calls. The tests are skipped unless CUTSET_CUDA_NCCL names the double
// (cuda_double.collectives_* in tests/CMakeLists.txt). tests/conformance/collectives_test.cc tests the
// contract.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "frontends/cpp/checks/failure.h"
#include "runtime/device/backend_library.h"
#include "tests/conformance/on_device.h"

namespace cutset::testing {
namespace {

using Floats = std::vector<float>;

// Returns the code of an error, or 0.
int32_t code(const cutset_error* e) { return e ? e->code : 0; }

class CudaGroup : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* const file = std::getenv("CUTSET_CUDA_NCCL");
    void* const library = file ? dlopen(file, RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (!library) GTEST_SKIP() << "CUTSET_CUDA_NCCL does not name the double";
    reset_ = reinterpret_cast<decltype(reset_)>(dlsym(library, "cutset_nccl_double_reset"));
    communicators_ =
        reinterpret_cast<decltype(communicators_)>(dlsym(library, "cutset_nccl_double_communicators"));
    ASSERT_TRUE(reset_ && communicators_);
    api_ = check(load_backend("cuda"));
    const auto described = check(describe_devices({.devices = "cuda:0,cuda:1"}));
    for (const auto& d : described) {
      devices_.push_back(check(OpenDevice::open(d)));
      handles_.push_back(devices_.back()->handle());
      queues_.push_back(check(devices_.back()->queue()));
    }
    before_ = communicators_();
  }
  void TearDown() override {
    if (!api_) return;
    if (group_) api_->collectives->release(group_);
    fault("");
    EXPECT_EQ(communicators_(), before_) << "a communicator was not released";
  }

  // Requests faults, counted from now on.
  void fault(const std::string& requests) {
    setenv("CUTSET_CUDA_DOUBLE_FAULTS", requests.c_str(), 1);
    reset_();
  }
  const cutset_error* create() {
    return api_->collectives->create(handles_.data(), handles_.size(), &group_);
  }
  const cutset_error* all_reduce(size_t member, const cutset_slice& data) {
    return api_->collectives->all_reduce(queues_[member], group_, member, &data, &data, CUTSET_F32);
  }
  cutset_slice holding(size_t member, const Floats& values) {
    const cutset_slice slice = {check(devices_[member]->own().allocate(values.size() * 4)), 0,
                                values.size() * 4};
    check(devices_[member]->write_now(queues_[member], slice, values.data()));
    return slice;
  }
  Floats read(size_t member, const cutset_slice& from) {
    Floats values(from.bytes / 4);
    check(devices_[member]->read_now(queues_[member], from, values.data()));
    return values;
  }
  // Expects that an error has a code and a text.
  static void expect(const cutset_error* e, cutset_code want, const std::string& text) {
    ASSERT_NE(e, nullptr);
    EXPECT_EQ(e->code, want) << e->message;
    EXPECT_NE(std::string(e->message).find(text), std::string::npos) << e->message;
  }

  void (*reset_)() = nullptr;
  size_t (*communicators_)() = nullptr;
  size_t before_ = 0;
  const cutset_backend* api_ = nullptr;
  std::vector<std::unique_ptr<OpenDevice>> devices_;
  std::vector<cutset_device> handles_;
  std::vector<cutset_queue> queues_;
  cutset_group group_ = nullptr;
};

TEST_F(CudaGroup, AFailureOfNcclMakesNoGroup) {
  for (const std::string function :
       {"ncclGetUniqueId:1", "ncclGroupStart:1", "ncclCommInitRankConfig:1", "ncclCommInitRankConfig:2",
        "ncclGroupEnd:1", "ncclCommGetAsyncError:1"}) {
    SCOPED_TRACE(function);
    fault(function + ":3");
    const bool is_poll = function.starts_with("ncclCommGetAsyncError");
    expect(create(), CUTSET_UNSUPPORTED,
           is_poll ? "ncclCommInitRankConfig" : function.substr(0, function.size() - 2));
    EXPECT_EQ(group_, nullptr);
    EXPECT_EQ(communicators_(), before_);
  }
  fault("");
  EXPECT_EQ(create(), nullptr);
}

// The last member gets the error from its call. The first member gets it from finish, once. Both queues are
// usable afterwards.
TEST_F(CudaGroup, AFailureOfNcclEndsASum) {
  for (const std::string function : {"ncclGroupStart:1", "ncclAllReduce:1", "ncclAllReduce:2",
                                     "ncclGroupEnd:1", "ncclCommGetAsyncError:1"}) {
    SCOPED_TRACE(function);
    fault("");
    ASSERT_EQ(create(), nullptr);
    const cutset_slice a = holding(0, {1, 2}), b = holding(1, {3, 4}), c = holding(0, {5, 6});
    fault(function + ":3");
    EXPECT_EQ(all_reduce(0, a), nullptr);
    EXPECT_EQ(api_->copy(queues_[0], &a, &c), nullptr);  // the failure of the sum drops this copy
    expect(all_reduce(1, b), CUTSET_FAILED, "nccl");
    expect(api_->finish(queues_[0]), CUTSET_FAILED, "nccl");
    EXPECT_EQ(api_->finish(queues_[0]), nullptr);
    (void)api_->finish(queues_[1]);
    EXPECT_EQ(read(0, c), (Floats{5, 6}));
    EXPECT_EQ(read(1, b), (Floats{3, 4}));
    EXPECT_EQ(communicators_(), before_) << "the communicators were not aborted";
    EXPECT_EQ(all_reduce(0, a), nullptr);
    expect(all_reduce(1, b), CUTSET_FAILED, "nccl");
    for (cutset_queue q : queues_) (void)api_->finish(q);
    api_->collectives->release(group_);
    group_ = nullptr;
  }
}

TEST_F(CudaGroup, AnErrorDuringASumIsReportedToAllMembers) {
  ASSERT_EQ(create(), nullptr);
  const cutset_slice a = holding(0, {1, 2}), b = holding(1, {3, 4});
  EXPECT_EQ(all_reduce(0, a), nullptr);
  EXPECT_EQ(all_reduce(1, b), nullptr);
  fault("ncclCommGetAsyncError:1:6");
  for (cutset_queue q : queues_) expect(api_->finish(q), CUTSET_FAILED, "remote process exited");
  for (cutset_queue q : queues_) EXPECT_EQ(api_->finish(q), nullptr);
}

// The host gets no error if a communicator cannot be released.
TEST_F(CudaGroup, FailuresOfTheReleaseAreIgnored) {
  ASSERT_EQ(create(), nullptr);
  fault("ncclCommAbort:1:3");
  for (auto& device : devices_) device->abandon();
  ASSERT_EQ(code(all_reduce(0, holding(0, {1}))), CUTSET_ABANDONED);
  before_ = communicators_();
  api_->collectives->release(group_);
  fault("");
  ASSERT_EQ(create(), nullptr);
  fault("ncclCommDestroy:1:3");
  api_->collectives->release(group_);
  group_ = nullptr;
  before_ = communicators_();
}

TEST_F(CudaGroup, TheSameGpuTwiceIsRefused) {
  handles_[1] = handles_[0];
  expect(create(), CUTSET_UNSUPPORTED, "are the same GPU cuda:0");
}

TEST_F(CudaGroup, SumsOfDifferentSizesAreRefused) {
  ASSERT_EQ(create(), nullptr);
  const cutset_slice a = holding(0, {1, 2}), b = holding(1, {3});
  EXPECT_EQ(all_reduce(0, a), nullptr);
  expect(all_reduce(1, b), CUTSET_INVALID_ARGUMENT, "8 bytes of f32 and of 4 bytes of f32");
  expect(api_->finish(queues_[0]), CUTSET_INVALID_ARGUMENT, "8 bytes");
  EXPECT_EQ(api_->finish(queues_[0]), nullptr);
}

TEST_F(CudaGroup, AMessageOfTheWrongSizeIsRefused) {
  ASSERT_EQ(create(), nullptr);
  const cutset_slice a = holding(0, {1, 2}), b = holding(1, {3});
  EXPECT_EQ(api_->collectives->receive(queues_[0], group_, 0, 1, &a), nullptr);
  EXPECT_EQ(api_->collectives->send(queues_[1], group_, 1, 0, &b), nullptr);
  expect(api_->finish(queues_[0]), CUTSET_INVALID_ARGUMENT,
         "a message of 4 bytes arrived where 8 were expected");
  EXPECT_EQ(api_->finish(queues_[1]), nullptr);
}

TEST_F(CudaGroup, ACommandThatFailsLaterDropsThoseBehindIt) {
  ASSERT_EQ(create(), nullptr);
  const cutset_slice a = holding(0, {1, 2}), b = holding(1, {3, 4}), c = holding(0, {5, 6});
  EXPECT_EQ(all_reduce(0, a), nullptr);
  EXPECT_EQ(api_->copy(queues_[0], &b, &c), nullptr);  // memory of another GPU
  EXPECT_EQ(api_->copy(queues_[0], &a, &c), nullptr);
  EXPECT_EQ(all_reduce(1, b), nullptr);
  EXPECT_EQ(code(api_->copy(queues_[0], &a, &c)), CUTSET_FAILED);
  expect(api_->finish(queues_[0]), CUTSET_FAILED, "cuMemcpyDtoDAsync");
  EXPECT_EQ(api_->finish(queues_[1]), nullptr);
  EXPECT_EQ(read(0, a), (Floats{4, 6}));
  EXPECT_EQ(read(0, c), (Floats{5, 6}));
}

// A queue that waits for another member can record a capture, and a capture that is launched then runs after
// the sum.
TEST_F(CudaGroup, ACaptureIsRecordedWhileItsQueueWaits) {
  ASSERT_EQ(create(), nullptr);
  const cutset_slice a = holding(0, {1, 2}), b = holding(1, {3, 4}), c = holding(0, {5, 6});
  EXPECT_EQ(all_reduce(0, a), nullptr);
  EXPECT_EQ(api_->capture->begin(queues_[0]), nullptr);
  EXPECT_EQ(code(all_reduce(0, a)), CUTSET_UNSUPPORTED);
  EXPECT_EQ(api_->copy(queues_[0], &a, &c), nullptr);
  cutset_capture capture = nullptr;
  ASSERT_EQ(api_->capture->end(queues_[0], &capture), nullptr);
  EXPECT_EQ(all_reduce(1, b), nullptr);
  EXPECT_EQ(read(0, c), (Floats{5, 6})) << "a recorded command ran";
  EXPECT_EQ(all_reduce(0, a), nullptr);
  EXPECT_EQ(api_->capture->launch(queues_[0], capture), nullptr);
  EXPECT_EQ(all_reduce(1, b), nullptr);
  EXPECT_EQ(read(0, c), (Floats{8, 12}));
  api_->capture->release(capture);
  EXPECT_EQ(read(1, b), (Floats{8, 12}));
}

// NCCL is turned off or cannot tell its version (cuda_double.no_nccl_* in tests/CMakeLists.txt).
TEST(CudaGroupWithoutNccl, CreateSaysWhy) {
  const char* const says = std::getenv("CUTSET_TEST_EXPECTS");
  if (!says) GTEST_SKIP() << "CUTSET_TEST_EXPECTS is not set";
  const auto device = open_device("cuda");
  const cutset_device handle = device->handle();
  cutset_group group = nullptr;
  const cutset_error* e = device->api().collectives->create(&handle, 1, &group);
  ASSERT_EQ(code(e), CUTSET_UNSUPPORTED);
  EXPECT_NE(std::string(e->message).find(says), std::string::npos) << e->message;
}

}  // namespace
}  // namespace cutset::testing
