// Numbers of devices that a user knows better than a backend: a JSON file.
//
//   {"opencl:0": {"flops_per_second": 4e12, "link_bytes_per_second": 12e9}, "cpu:0": {"threads": 1}}
#pragma once
#include <string>

#include "ir/core/result.h"
#include "runtime/abi/cutset_device.h"

namespace cutset {

// Sets in `info` what the file says of `device`; nothing where it says nothing, or `path` is empty. Unknown
// members, and values that are not positive numbers, are errors that name them.
Status apply_device_file(const std::string& path, const std::string& device, cutset_device_info& info);

}  // namespace cutset
