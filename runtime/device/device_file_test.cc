// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/device_file.h"

#include "runtime/device/device.h"
#include "runtime/files/files.h"
#include "tests/folder.h"

namespace cutset {
namespace {

using DeviceFiles = Folder;

TEST_F(DeviceFiles, PropertiesReplaceThoseOfTheBackend) {
  ASSERT_TRUE(write_file(path("d"), R"({"sim:0": {"flops_per_second": 2.5, "threads": 3, "memory_bytes": 4096,
      "timed": 1}, "cpu:7": {"link_seconds": 1e-6}})")
                  .ok());
  auto file = read_device_file(path("d"));
  ASSERT_TRUE(file.ok()) << file.error().text();
  cutset_device_info info{};
  apply(*file, "sim:0", info);
  EXPECT_EQ(info.flops_per_second, 2.5);
  EXPECT_EQ(info.threads, 3);
  EXPECT_EQ(info.memory_bytes, 4096u);
  EXPECT_EQ(info.timed, 1);
  EXPECT_EQ(info.link_seconds, 0);
  apply(*file, "cpu:7", info);
  EXPECT_EQ(info.link_seconds, 1e-6);
  EXPECT_EQ(info.threads, 3);
}

TEST_F(DeviceFiles, AnEntryWithoutEffectIsAnError) {
  const struct {
    const char *text, *says;
  } cases[] = {
      {R"({"cpu0": {"threads": 1}})", "'cpu0' is not the name of a device"},
      {R"({"cpu:00": {"threads": 1}})", "'cpu:00' is not the name of a device"},
      {R"({"cup:0": {"threads": 1}})", "no backend for devices of kind 'cup'"},
      {R"({"sim:0": {"threads": 0.5}})", "not a whole number"},
      {R"({"sim:0": {"threads": 1025}})", "not a whole number from 1 to 1024"},
      {R"({"sim:0": {"memory_bytes": 1.5}})", "not a whole number"},
      {R"({"sim:0": {"timed": 2}})", "not a whole number from 1 to 1"},
      {R"({"cpu:0": {"flop_per_second": 1}})", "unknown member 'flop_per_second'"},
      {R"({"sim:0": {"threads": 1, "threads": 2}})", "'threads' twice"},
      {R"({"sim:0": {"threads": 1}, "sim:0": {"threads": 2}})", "'sim:0' twice"},
      {R"({"sim:0": {"threads": null}})", "not a positive number"},
      {R"({"sim:0": 7})", "not an object"},
      {"", "not a JSON object"},
  };
  for (const auto& c : cases) {
    ASSERT_TRUE(write_file(path("d"), c.text).ok());
    auto devices =
        describe_devices({.devices = "reference:0", .device_file = path("d"), .describe_only = true});
    ASSERT_FALSE(devices.ok()) << c.text;
    EXPECT_NE(devices.error().what.find(c.says), std::string::npos) << devices.error().what;
  }
  // Two devices may have the same member.
  ASSERT_TRUE(write_file(path("d"), R"({"sim:0": {"threads": 1}, "cpu:0": {"threads": 2}})").ok());
  EXPECT_TRUE(
      describe_devices({.devices = "reference:0", .device_file = path("d"), .describe_only = true}).ok());
}

TEST(DeviceNames, ADeviceHasOneName) {
  for (const char* name :
       {"reference:00", "reference:01", "reference:", ":0", "reference", "reference:-1", "reference:1000"})
    EXPECT_FALSE(describe_devices({.devices = name, .describe_only = true}).ok()) << name;
  EXPECT_TRUE(describe_devices({.devices = "reference:10", .describe_only = true}).ok());
}

}  // namespace
}  // namespace cutset
