// Numbers of devices that a user knows better than a backend: a JSON file.
//
//   {"opencl:0": {"flops_per_second": 4e12, "link_bytes_per_second": 12e9}, "cpu:0": {"threads": 1}}
#pragma once
#include <map>
#include <string>

#include "ir/core/result.h"
#include "runtime/abi/cutset_device.h"

namespace cutset {

// What a file says: numbers by member, by device.
using DeviceFile = std::map<std::string, std::map<std::string, double>>;

// Reads the file; nothing where `path` is empty. Unknown members, members or devices that come twice, values that are
// not positive numbers, and fractions where a member counts, are errors that name them, for all devices of the file.
Result<DeviceFile> read_device_file(const std::string& path);

// Sets in `info` what the file says of `device`; nothing where it says nothing.
void apply(const DeviceFile& file, const std::string& device, cutset_device_info& info);

}  // namespace cutset
