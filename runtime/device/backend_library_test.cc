// SPDX-License-Identifier: Apache-2.0
// Backends with a wrong table or a wrong description are refused, and the error names the file and the field.
#include "runtime/device/backend_library.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "runtime/device/backend_report.h"
#include "runtime/device/device.h"
#include "runtime/device/open_device.h"
#include "tests/temporary_folder.h"

namespace cutset {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Sets the environment variables of a test and removes them afterwards.
class Backends : public ::testing::Test {
 protected:
  Backends() { setenv("CUTSET_BACKEND_PATH", CUTSET_TEST_BACKENDS, 1); }
  ~Backends() override {
    unsetenv("CUTSET_BACKEND_PATH");
    unsetenv("CUTSET_WRONG");
  }
  static std::string describe(const std::string& wrong) {
    setenv("CUTSET_WRONG", wrong.c_str(), 1);
    auto devices = describe_devices({.devices = "wrong:0"});
    return devices.ok() ? "" : devices.error().text();
  }
  // Returns the error of check_backend. It loads the library itself, because load_backend keeps the first
  // result.
  static std::string check(const std::string& wrong) {
    setenv("CUTSET_WRONG", wrong.c_str(), 1);
    const std::string file = CUTSET_TEST_BACKENDS "/libcutset_device_wrong.so";
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library, nullptr) << dlerror();
    auto open = reinterpret_cast<cutset_backend_open_function>(dlsym(library, CUTSET_BACKEND_SYMBOL));
    const Status status = check_backend(*open(CUTSET_DEVICE_ABI), "wrong", file);
    return status.ok() ? "" : status.error().text();
  }
  static BackendReport report(const std::string& kind) {
    for (const BackendReport& r : report_backends())
      if (r.kind == kind) return r;
    return {};
  }
};
using BackendLibrary = Backends;

TEST_F(BackendLibrary, AWrongFieldIsNamedWithItsFile) {
  for (const char* field : {"abi",
                            "size",
                            "name",
                            "kind",
                            "kernels",
                            "describe",
                            "available",
                            "open",
                            "close",
                            "allocate",
                            "free",
                            "queue",
                            "release_queue",
                            "event",
                            "release_event",
                            "signal",
                            "wait",
                            "write",
                            "read",
                            "copy",
                            "finish",
                            "abandon",
                            "layouts",
                            "code",
                            "kernel.size",
                            "kernel.op",
                            "kernel.name",
                            "kernel.supports",
                            "kernel.scratch",
                            "kernel.prepare",
                            "kernel.enqueue",
                            "kernel.release"}) {
    SCOPED_TRACE(field);
    const std::string name = field, member = name.substr(name.find('.') + 1);
    EXPECT_THAT(check(field),
                AllOf(HasSubstr("libcutset_device_wrong.so'"),
                      HasSubstr(member == "abi" ? "implements version 3" : "'" + member + "'")));
  }
  EXPECT_THAT(check("other_kind"),
              HasSubstr("the field 'kind' is 'cpu', and the name of the file says 'wrong'"));
  EXPECT_THAT(check("kernel.twice"),
              HasSubstr("the field 'name' is 'tanh.wrong', which an earlier kernel has, too"));
  EXPECT_THAT(check("kernel.null"), HasSubstr("kernel 0 is null"));
  for (auto [table, function] : {std::pair("memory", "allocate_host"), std::pair("capture", "begin"),
                                 std::pair("time", "create"), std::pair("collectives", "create")})
    EXPECT_THAT(check(table),
                HasSubstr("the table '" + std::string(table) + "': the field '" + function + "' is null"));
  EXPECT_THAT(check("short_time"), HasSubstr("the table 'time': the field 'create' is null"));
  EXPECT_EQ(check(""), "");
}

// A backend that was built against a header without the optional tables.
TEST_F(BackendLibrary, ATableWithoutTheOptionalMembersIsAccepted) {
  EXPECT_EQ(check("no_optional"), "");
  setenv("CUTSET_WRONG", "no_optional", 1);
  auto loaded = load_backend("wrong");
  ASSERT_TRUE(loaded.ok()) << loaded.error().text();
  EXPECT_EQ((*loaded)->size, sizeof(cutset_backend));
  EXPECT_EQ((*loaded)->code, nullptr) << "a member beyond the size of the table was read";
}

TEST_F(BackendLibrary, AFileWithoutTheSymbolIsRefused) {
  auto devices = describe_devices({.devices = "no_symbol:0"});
  ASSERT_FALSE(devices.ok());
  EXPECT_THAT(devices.error().text(),
              HasSubstr("libcutset_device_no_symbol.so' does not export the function"));
  EXPECT_THAT(report("no_symbol").missing, HasSubstr("does not export"));
  EXPECT_THAT(report("other_version").missing,
              HasSubstr("libcutset_device_other_version.so' does not implement version 2"));
  EXPECT_EQ(report("reference").missing, "") << "a wrong backend must not affect the others";
}

TEST_F(BackendLibrary, AWrongDescriptionNamesTheField) {
  for (const char* field : {"info.size", "info.index", "info.threads", "info.alignment", "info.description",
                            "info.flops_per_second"}) {
    const std::string member = std::string(field).substr(5);
    EXPECT_THAT(describe(field), AllOf(HasSubstr("device 'wrong:0'"), HasSubstr("field '" + member + "'")));
    EXPECT_THAT(report("wrong").missing, HasSubstr("field '" + member + "'"));
  }
  EXPECT_EQ(describe(""), "");
}

TEST_F(BackendLibrary, AnErrorWithoutAMessageIsStillAnError) {
  const std::string text = "its backend gives an error with the code 99 and without a message";
  EXPECT_THAT(describe("no_message"), HasSubstr("device 'wrong:0': " + text));
  EXPECT_EQ(report("wrong").missing, text);
}

TEST_F(BackendLibrary, ScratchMemoryBeyondAnyDeviceIsRefused) {
  setenv("CUTSET_WRONG", "huge_scratch", 1);
  auto devices = describe_devices({.devices = "wrong:0"});
  ASSERT_TRUE(devices.ok()) << devices.error().text();
  const DeviceDescription& device = *(*devices)[0];
  const OpInfo& op = *find_op("tanh");
  auto flat = FlatAttrs::pack(op.schema, {});
  const Types types = {{f32, {3}}};
  auto choice = device.choose(op, flat->data(), types, types);
  ASSERT_TRUE(choice.ok());
  auto bytes = device.scratch(choice->kernel, op, flat->data(), types, types);
  ASSERT_FALSE(bytes.ok());
  EXPECT_THAT(bytes.error().text(), HasSubstr("wrong:0: tanh.wrong asks for 18446744073709551615 bytes"));
}

TEST_F(BackendLibrary, ANullHandleIsAnError) {
  auto open = [] { return OpenDevice::open((*describe_devices({.devices = "wrong:0"}))[0]); };
  auto text = [](const auto& result) { return result.ok() ? std::string() : result.error().text(); };
  setenv("CUTSET_WRONG", "no_device", 1);
  EXPECT_THAT(text(open()), HasSubstr("'open' reports success and gives no device"));
  setenv("CUTSET_WRONG", "", 1);
  auto device = *open();
  auto fails = [&](const char* wrong, auto&& call) {
    setenv("CUTSET_WRONG", wrong, 1);
    EXPECT_THAT(text(call()), HasSubstr("reports success and gives no " + std::string(wrong).substr(3)));
    setenv("CUTSET_WRONG", "", 1);
    EXPECT_EQ(text(call()), "");
  };
  fails("no_buffer", [&] { return device->own().allocate(8); });
  fails("no_queue", [&] { return device->queue(); });
  fails("no_event", [&] { return device->own().event(); });
  const cutset_kernel* kernel = device->description().find_kernel("tanh.wrong");
  const Types vector = {{DType::f32, {2}}};
  const auto problem = *own_problem(*find_op("tanh"), {}, vector, vector);
  fails("no_plan", [&] { return device->own().prepare(kernel, problem); });
}

TEST_F(BackendLibrary, AFileThatReplacesABackendOfTheProjectIsReported) {
  EXPECT_EQ(find_backends()["reference"].hidden, "");
  EXPECT_EQ(report("reference").description.find("stands in"), std::string::npos);
  // A link to the same library counts as the same file; a copy counts as another file.
  const std::filesystem::path ours = find_backends()["reference"].path;
  const TemporaryFolder folder;
  const std::filesystem::path copy = folder.path("libcutset_device_reference.so");
  setenv("CUTSET_BACKEND_PATH", folder.path().c_str(), 1);
  std::filesystem::create_symlink(ours, copy);
  EXPECT_EQ(find_backends()["reference"].hidden, "");
  std::filesystem::remove(copy);
  std::filesystem::copy_file(ours, copy);
  EXPECT_EQ(find_backends()["reference"].hidden, ours);
  EXPECT_THAT(report("reference").description, HasSubstr(copy.string() + " stands in for " + ours.string()));
}

}  // namespace
}  // namespace cutset
