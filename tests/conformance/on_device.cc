// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/on_device.h"

#include "frontends/cpp/checks/failure.h"
#include "runtime/device/backend_report.h"
#include "runtime/device/device.h"
#include "runtime/kernels/run_reference.h"

namespace cutset::testing {

std::vector<std::string> kinds_here() {
  std::vector<std::string> kinds;
  for (const BackendReport& r : report_backends())
    if (r.missing.empty()) kinds.push_back(r.kind);
  return kinds;
}

std::vector<OpOnDevice> ops_on_devices() {
  std::vector<OpOnDevice> list;
  for (const std::string& kind : kinds_here())
    for (const OpInfo* op : all_ops()) list.push_back({op, kind});
  return list;
}
std::string name_of(const OpOnDevice& combination) { return combination.kind + "_" + combination.op->name; }
std::unique_ptr<OpenDevice> open_device(const std::string& kind) {
  return check(OpenDevice::open(check(describe_devices({.devices = kind + ":0"}))[0]));
}

std::vector<HostTensor> draw(const Case& c, uint64_t seed) { return draw_operands(c, seed); }

Result<std::vector<HostTensor>> run_reference(const OpInfo& op, const Case& c,
                                              const std::vector<HostTensor>& in) {
  return run_reference_kernel(op, c.attributes, in);
}

Result<std::vector<HostTensor>> run_on(OpenDevice& device, const OpInfo& op, const Case& c,
                                       const std::vector<HostTensor>& in, std::string* kernel_name) {
  CUTSET_ASSIGN(const cutset_queue queue, device.queue());
  return run_op(device, queue, op, c, in, kernel_name);
}

std::string compare(const std::vector<HostTensor>& got, const std::vector<HostTensor>& want, const Case& c) {
  return compare_results(got, want, c);
}

}  // namespace cutset::testing
