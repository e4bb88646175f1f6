// SPDX-License-Identifier: Apache-2.0
// Reads a JSON file with properties of devices: speeds, threads and memory. They replace the properties that
// the backends report, so that a user who has measured a device can correct its performance model.
//
//   {"opencl:0": {"flops_per_second": 4e12, "link_bytes_per_second": 12e9}, "cpu:0": {"threads": 1}}
//
// The members are flops_per_second, bytes_per_second, link_bytes_per_second, link_seconds, launch_seconds,
// threads, memory_bytes, timed and captures, with the meaning and the units of cutset_device_info. A member
// that is left out keeps the value of the backend.
#pragma once
#include <map>
#include <string>

#include "ir/core/result.h"
#include "runtime/abi/cutset_device.h"

namespace cutset {

// The contents of a file: the name of the device, the name of the member, its value.
using DeviceFile = std::map<std::string, std::map<std::string, double>>;

// Reads the file, or returns an empty one if `path` is empty. Fails, naming the device and the member, on an
// unknown member, on a member or device that occurs twice, on a value that is not a positive finite number,
// and on a fraction for threads, memory_bytes, timed or captures. It does not check that the devices exist.
Result<DeviceFile> read_device_file(const std::string& path);

// Sets the members of `info` that the file has for `device`.
void apply(const DeviceFile& file, const std::string& device, cutset_device_info& info);

}  // namespace cutset
