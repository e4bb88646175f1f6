// SPDX-License-Identifier: Apache-2.0
// Reports the tests that cutset_tests leaves out, as lines that tests/skips.py counts:
//
// - "skipped: Suite.Name: REASON" is a test that called GTEST_SKIP.
// - "skipped: Suite on opencl, 12 tests: REASON" are the instances of a suite for a kind of device that this
//   machine lacks.
//
// The environment variable REQUIRED_TEST_DEVICES names kinds of devices: "cpu,opencl". The program then fails
// if such a device cannot be opened, or if a test is skipped for a reason that names such a kind.
#include <cutset/testing.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "ir/core/number_text.h"

namespace cutset::testing {
namespace {

constexpr const char* kKinds[] = {"cpu", "opencl", "reference", "sim", "cuda"};

std::set<std::string> required_kinds() {
  const char* given = std::getenv("REQUIRED_TEST_DEVICES");
  std::set<std::string> kinds;
  std::stringstream list(given ? given : "");
  for (std::string kind; std::getline(list, kind, ',');) kinds.insert(kind);
  return kinds;
}

bool is_missing = false;  // whether a device that is required is missing

std::string one_line(std::string text) {
  for (char& c : text) c = c == '\n' ? ' ' : c;
  return text;
}

class RequiredDevices : public ::testing::Environment {
  void SetUp() override {
    for (const std::string& kind : required_kinds())
      if (!have_devices(kind + ":0")) {
        is_missing = true;  // GoogleTest then skips all tests
        FAIL() << "REQUIRED_TEST_DEVICES names '" << kind << "', and " << kind
               << ":0 cannot be opened on this machine";
      }
  }
};

class PrintSkips : public ::testing::EmptyTestEventListener {
  void OnTestProgramStart(const ::testing::UnitTest& all) override {
    std::set<std::string> names;
    for (int s = 0; s < all.total_test_suite_count(); ++s)
      for (int t = 0; t < all.GetTestSuite(s)->total_test_count(); ++t)
        names.insert(name_of(*all.GetTestSuite(s)->GetTestInfo(t)));
    for (const char* kind : kKinds) {
      if (have_devices(std::string(kind) + ":0")) continue;
      for (int s = 0; s < all.total_test_suite_count(); ++s) print_missing(*all.GetTestSuite(s), names, kind);
    }
    std::fflush(stdout);
  }

  // Prints how many instances of a suite are missing for a kind of device. Every suite that has instances per
  // kind of device has instances for the reference device.
  static void print_missing(const ::testing::TestSuite& suite, const std::set<std::string>& names,
                            const std::string& kind) {
    const std::string reference = "/reference";
    int missing = 0;
    for (int t = 0; t < suite.total_test_count(); ++t) {
      const ::testing::TestInfo& test = *suite.GetTestInfo(t);
      std::string name = name_of(test);
      const size_t at = name.rfind(reference);
      if (!test.should_run() || at == std::string::npos) continue;
      missing += names.contains(name.replace(at, reference.size(), "/" + kind)) ? 0 : 1;
    }
    if (missing > 0)
      std::printf("skipped: %s on %s, %s: %s:0 cannot be opened on this machine\n", suite.name(),
                  kind.c_str(), counted(static_cast<size_t>(missing), "test").c_str(), kind.c_str());
  }

  static std::string name_of(const ::testing::TestInfo& test) {
    return std::string(test.test_suite_name()) + "." + test.name();
  }

  void OnTestEnd(const ::testing::TestInfo& test) override {
    if (!test.result()->Skipped() || is_missing) return;
    std::string reason;
    for (int i = 0; i < test.result()->total_part_count(); ++i)
      if (const auto& part = test.result()->GetTestPartResult(i); part.skipped())
        reason = one_line(part.message());
    std::printf("skipped: %s: %s\n", name_of(test).c_str(), reason.c_str());
    std::fflush(stdout);
    for (const std::string& kind : required_kinds())
      if (std::regex_search(reason, std::regex("\\b" + kind + "\\b")))
        ADD_FAILURE() << name_of(test) << " was skipped, and REQUIRED_TEST_DEVICES names '" << kind
                      << "': " << reason;
  }
};

// They are added before main(), because main() is GoogleTest's.
[[maybe_unused]] const bool kAdded = [] {
  ::testing::AddGlobalTestEnvironment(new RequiredDevices);
  ::testing::UnitTest::GetInstance()->listeners().Append(new PrintSkips);
  return true;
}();

}  // namespace
}  // namespace cutset::testing
