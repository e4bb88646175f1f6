// SPDX-License-Identifier: Apache-2.0
// A kernel that refuses, or whose results are wrong, is replaced by the next kernel of its op.
#include "runtime/kernels/prepare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <deque>
#include <fstream>

#include "frontends/cpp/checks/failure.h"
#include "runtime/kernels/conformance.h"
#include "runtime/kernels/run_reference.h"
#include "runtime/kernels/verdicts.h"
#include "tests/folder.h"

namespace cutset {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// The behaviour of the kernel add.first, which precedes add.reference in a copy of the backend of
// reference:0.
struct First {
  const cutset_kernel* real = nullptr;  // add.reference
  const char* prepares_as = "add";      // the op that it computes
  int refusal = 0;                      // the code of the error of `prepare`; 0: none
  const char* identity = nullptr;
  std::deque<cutset_problem> problems;  // the plans refer to them
};
First first;

const cutset_error* supports(const cutset_device_info* info, const cutset_problem* p) {
  return first.real->supports(info, p);
}
const cutset_error* little(const cutset_device_info*, const cutset_problem*, uint64_t* bytes) {
  *bytes = 16;
  return nullptr;
}
const cutset_error* much(const cutset_device_info*, const cutset_problem*, uint64_t* bytes) {
  *bytes = 4096;
  return nullptr;
}
const cutset_error* prepare(cutset_device device, const cutset_problem* p, cutset_plan* plan,
                            uint64_t* bytes) {
  static const cutset_error kError = {sizeof kError, CUTSET_UNSUPPORTED, "a library is not installed"};
  static cutset_error error = kError;
  error.code = first.refusal;
  if (first.refusal) return &error;
  first.problems.push_back(*p);
  first.problems.back().op = first.prepares_as;
  return first.real->prepare(device, &first.problems.back(), plan, bytes);
}
const cutset_error* identity(cutset_device, const char** text) {
  *text = first.identity;
  return nullptr;
}

class Prepare : public Folder {
 protected:
  void SetUp() override {
    setenv("CUTSET_VERDICTS", folder_.c_str(), 1);
    const auto reference = check(describe_devices({.devices = "reference:0"}))[0];
    first = {};
    first.real = reference->find_kernel("add.reference");
    next_ = *first.real;
    next_.scratch = &much;
    mine_ = *first.real;
    mine_.name = "add.first";
    mine_.supports = &supports;
    mine_.scratch = &little;
    mine_.prepare = &prepare;
    mine_.identity = &identity;
    kernels_ = {&mine_, &next_};
    backend_ = reference->backend();
    backend_.kernels = kernels_.data();
    backend_.kernel_count = kernels_.size();
    description_ = std::make_shared<DeviceDescription>(&backend_, reference->info(), "reference:0");
    device_ = check(OpenDevice::open(description_));
    queue_ = check(device_->queue());
  }
  void TearDown() override {
    device_.reset();
    unsetenv("CUTSET_VERDICTS");
  }

  std::shared_ptr<const OwnedProblem> problem() {
    const TensorType t{DType::f32, {3}};
    return check(own_problem(*find_op("add"), {}, {t, t}, {t}));
  }
  // Prepares a problem with add.first and returns the name of the kernel that was prepared, or the error.
  std::string prepared(const FindFault& fault = any_kernel) {
    const size_t live = device_->live_handles();
    Handles handles(*device_);
    passed_over_.clear();
    const auto made = prepare_problem(*device_, handles, &mine_, problem(), fault, passed_over_);
    EXPECT_EQ(device_->live_handles(), live + (made.ok() ? 1 : 0)) << "a plan that is not used is kept";
    return made.ok() ? made->kernel->name : made.error().text();
  }
  std::string fault() { return check(find_fault(*device_, queue_, &mine_)); }

  cutset_kernel mine_, next_;
  std::vector<const cutset_kernel*> kernels_;
  cutset_backend backend_;
  std::shared_ptr<DeviceDescription> description_;
  std::unique_ptr<OpenDevice> device_;
  cutset_queue queue_ = nullptr;
  std::vector<PassedOver> passed_over_;
};

TEST_F(Prepare, TheNextKernelReplacesOneThatRefuses) {
  EXPECT_EQ(prepared(), "add.first");
  EXPECT_THAT(passed_over_, IsEmpty());
  first.refusal = CUTSET_UNSUPPORTED;
  EXPECT_EQ(prepared(), "add.reference");
  ASSERT_THAT(passed_over_, SizeIs(1));
  EXPECT_EQ(passed_over_[0].why, "reference:0: cannot prepare add.first: a library is not installed");
  EXPECT_FALSE(passed_over_[0].wrong);
}

TEST_F(Prepare, OtherErrorsAreReported) {
  first.refusal = CUTSET_OUT_OF_MEMORY;
  EXPECT_THAT(prepared(), HasSubstr("cannot prepare add.first: a library is not installed"));
  EXPECT_THAT(passed_over_, IsEmpty());
}

TEST_F(Prepare, ItIsAnErrorIfAllKernelsRefuse) {
  first.refusal = CUTSET_UNSUPPORTED;
  next_.prepare = &prepare;
  EXPECT_THAT(prepared(), AllOf(HasSubstr("no kernel of reference:0 computes this problem of add: "),
                                HasSubstr("add.first: a library"), HasSubstr("add.reference: a library")));
}

TEST_F(Prepare, ScratchMemorySufficesForTheKernelsThatMayFollow) {
  const TensorType t{DType::f32, {3}};
  const OpInfo& op = *find_op("add");
  const auto scratch = [&] { return check(description_->scratch(&mine_, op, nullptr, {t, t}, {t})); };
  EXPECT_EQ(scratch(), 4096u) << "the results of the first kernel may be wrong";
  mine_.identity = nullptr;
  EXPECT_EQ(scratch(), 16u);
  mine_.may_refuse = 1;
  EXPECT_EQ(scratch(), 4096u);
  mine_.size = offsetof(cutset_kernel, may_refuse);  // a backend of an earlier version of the header
  EXPECT_EQ(scratch(), 16u);
}

TEST_F(Prepare, AKernelWithWrongResultsIsNotUsed) {
  const auto fault_of = [&](const cutset_kernel* k) { return find_fault(*device_, queue_, k); };
  first.prepares_as = "sub";
  EXPECT_EQ(prepared(fault_of), "add.first") << "without an identity, nothing is compared";
  first.identity = "AKernelWithWrongResults";
  EXPECT_EQ(prepared(fault_of), "add.reference");
  ASSERT_THAT(passed_over_, SizeIs(1));
  EXPECT_TRUE(passed_over_[0].wrong);
  EXPECT_THAT(passed_over_[0].why, HasSubstr("reference:0: add.first: its results are wrong: element "));
  mine_.size = offsetof(cutset_kernel, identity);
  EXPECT_EQ(prepared(fault_of), "add.first")
      << "a backend of an earlier version of the header has no identities";
}

TEST_F(Prepare, AVerdictHoldsForItsIdentityOnly) {
  first.identity = "version 1";
  EXPECT_EQ(fault(), "");
  first.prepares_as = "sub";
  EXPECT_EQ(fault(), "") << "the verdict is known";
  first.identity = "version 2";
  EXPECT_THAT(fault(), HasSubstr("its results are wrong"));
  first.identity = "version 1";
  EXPECT_EQ(fault(), "");
  EXPECT_EQ(entries(), 2);
}

TEST_F(Prepare, ATestProblemThatCannotBeRunIsAnError) {
  first.identity = "cannot run";
  mine_.enqueue = [](cutset_queue, cutset_plan, const cutset_slice*, const cutset_slice*, const cutset_slice*,
                     const cutset_run*) -> const cutset_error* {
    static const cutset_error kError = {sizeof kError, CUTSET_FAILED, "the launch failed"};
    return &kError;
  };
  const auto found = find_fault(*device_, queue_, &mine_);
  ASSERT_FALSE(found.ok());
  EXPECT_THAT(found.error().what, AllOf(HasSubstr("reference:0: add.first cannot run the test problem"),
                                        HasSubstr("before its first use"), HasSubstr("the launch failed")));
  EXPECT_EQ(entries(), 0) << "the reason may not hold for the next process";
}

TEST_F(Prepare, AFolderThatCannotBeWrittenIsNoError) {
  setenv("CUTSET_VERDICTS", "/proc/nowhere", 1);
  first.identity = "no folder";
  EXPECT_EQ(fault(), "");
  setenv("CUTSET_VERDICTS", "", 1);
  first.identity = "nothing is kept";
  EXPECT_EQ(fault(), "");
  EXPECT_EQ(entries(), 0);
}

// run_op, which comparisons of kernels use, names the kernel that has run.
TEST_F(Prepare, TheComparisonNamesTheKernelThatRan) {
  first.refusal = CUTSET_UNSUPPORTED;
  mine_.may_refuse = 1;
  next_.scratch = first.real->scratch;
  const OpReport report = check_op(*device_, queue_, *find_op("add"), 2, [](const std::string&) {});
  EXPECT_EQ(report.kernels, "add.reference");
  EXPECT_EQ(report.failed, 0) << report.first_failure;
  EXPECT_GT(report.passed, 2);
  ASSERT_THAT(report.passed_over, SizeIs(1));
  EXPECT_THAT(report.passed_over[0], HasSubstr("add.first: a library is not installed"));
}

}  // namespace
}  // namespace cutset
