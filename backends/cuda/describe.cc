// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/describe.h"

#include <cstdio>

#include "backends/cuda/device.h"

namespace cutset::cuda {
namespace {

int attribute(DeviceId id, Attribute what) {
  int value = 0;
  CUTSET_CUDA(device_attribute, &value, what, id);
  return value;
}
int capability(DeviceId id) {
  return attribute(id, Attribute::kCapabilityMajor) * 10 + attribute(id, Attribute::kCapabilityMinor);
}
// Returns the number of f32 units of a multiprocessor (CUDA C++ Programming Guide, "Arithmetic Instructions",
// results per clock cycle).
int units(int capability) { return capability >= 86 ? 128 : 64; }

std::string missing(int index, int count) {
  return "device index " + std::to_string(index) + " is out of range; the driver lists " +
         std::to_string(count) + " GPU" + (count == 1 ? "" : "s") + " on this machine, numbered from 0";
}

void describe_gpu(cutset_device_info* info) {
  DeviceId id = 0;
  CUTSET_CUDA(device, &id, info->index);
  char name[96] = "";
  size_t memory = 0;
  CUTSET_CUDA(device_name, name, int{sizeof name}, id);
  CUTSET_CUDA(device_memory, &memory, id);
  const int major_minor = capability(id), multiprocessors = attribute(id, Attribute::kMultiprocessors);
  const double clock = 1e3 * attribute(id, Attribute::kClockRateKHz),
               memory_clock = 1e3 * attribute(id, Attribute::kMemoryClockRateKHz),
               bus_bytes = attribute(id, Attribute::kMemoryBusWidth) / 8.0;
  // A unit computes one fused multiply-add per cycle. Memory transfers data on both edges of its clock.
  if (clock > 0) info->flops_per_second = 2.0 * multiprocessors * units(major_minor) * clock;
  if (memory_clock > 0 && bus_bytes > 0) info->bytes_per_second = 2 * memory_clock * bus_bytes;
  info->memory_bytes = memory - memory / 16;  // the driver, the contexts and the modules need the rest
  std::snprintf(info->description, sizeof info->description, "%s, compute capability %d.%d", name,
                major_minor / 10, major_minor % 10);
}

}  // namespace

void describe_device(cutset_device_info* info) {
  info->threads = 1;
  info->flops_per_second = 19.5e12;
  info->bytes_per_second = 1.5e12;
  info->link_bytes_per_second = 20e9;
  info->link_seconds = 10e-6;
  info->launch_seconds = 4e-6;
  info->alignment = kAlignment;
  info->captures = !is_set("CUTSET_CUDA_NO_GRAPHS");
  std::snprintf(info->description, sizeof info->description, "CUDA GPU, not present on this machine");
  try {
    int count = 0;
    CUTSET_CUDA(device_count, &count);
    if (info->index < count) describe_gpu(info);
  } catch (const abi::Exception&) {
    // The device can be described without a driver; check_available reports the missing library.
  }
}

void check_available(const cutset_device_info& info) {
  int count = 0;
  CUTSET_CUDA(device_count, &count);
  if (info.index < 0 || info.index >= count)
    throw abi::Exception(CUTSET_UNAVAILABLE, missing(info.index, count));
  DeviceId id = 0;
  CUTSET_CUDA(device, &id, info.index);
  if (const int has = capability(id); has < 75)
    throw abi::Exception(CUTSET_UNAVAILABLE, "the GPU has compute capability " + std::to_string(has / 10) +
                                                 "." + std::to_string(has % 10) +
                                                 ", and this backend needs 7.5");
  compiler();
}

std::string architecture_of(DeviceId id) { return "sm_" + std::to_string(capability(id)); }

}  // namespace cutset::cuda
