// SPDX-License-Identifier: Apache-2.0
#include "frontends/cli/tools/conformance.h"

#include <cstdio>
#include <mutex>
#include <nlohmann/json.hpp>

#include "frontends/cli/output/outputs.h"
#include "frontends/cli/output/terminal.h"
#include "frontends/cli/tools/watchdog.h"
#include "frontends/cpp/checks/failure.h"
#include "runtime/kernels/conformance.h"

namespace cutset::cli {
namespace {

nlohmann::json describe(const DeviceDescription& device) {
  const cutset_device_info& i = device.info();
  return {{"device", device.name()},
          {"backend", device.backend().name},
          {"description", i.description},
          {"flops_per_second", i.flops_per_second},
          {"bytes_per_second", i.bytes_per_second},
          {"link_bytes_per_second", i.link_bytes_per_second},
          {"memory_bytes", i.memory_bytes},
          {"alignment", i.alignment}};
}

std::string verdict(const OpReport& r) {
  if (!r.needs_kernel) return "needs no kernel";
  if (r.failed) return "FAILED: " + r.first_failure;
  if (!r.passed) return r.first_refusal.empty() ? "NO KERNEL" : "NO KERNEL: " + r.first_refusal;
  if (r.refused) return "refuses: " + r.first_refusal;
  return r.passed_over.empty() ? "" : r.passed_over.front();
}
bool is_good(const OpReport& r) { return !r.needs_kernel || (r.failed == 0 && r.passed > 0); }

nlohmann::json row_of(const OpReport& r) {
  return {{"op", r.op},
          {"kernels", r.kernels},
          {"passed", r.passed},
          {"refused", r.refused},
          {"failed", r.failed},
          {"needs_kernel", r.needs_kernel},
          {"first_failure", r.first_failure},
          {"first_refusal", r.first_refusal},
          {"passed_over", r.passed_over}};
}

// Whether the device still copies memory. A failed kernel may have made the device unusable.
bool responds(OpenDevice& device, cutset_queue queue) {
  Handles handles(device);
  const auto buffer = handles.allocate(4);
  if (!buffer.ok()) return false;
  const cutset_slice slice = {*buffer, 0, 4};
  const uint32_t sent = 0x12345678;
  uint32_t received = 0;
  return device.write_now(queue, slice, &sent).ok() && device.read_now(queue, slice, &received).ok() &&
         received == sent;
}

// The report, which grows while the test runs. The watchdog's thread ends it if the device hangs.
class Report {
 public:
  Report(const ConformanceOptions& options, const DeviceDescription& device)
      : options_(options), json_(describe(device)), title_(device.name() + ": " + device.info().description) {
    json_["ops"] = nlohmann::json::array();
  }
  void add(const OpReport& r) {
    std::lock_guard lock(mutex_);
    ++(is_good(r) ? good_ : bad_);
    passed_ += r.passed;
    rows_.push_back({r.op, r.kernels.empty() ? "-" : r.kernels, std::to_string(r.passed),
                     std::to_string(r.refused), std::to_string(r.failed), verdict(r)});
    json_["ops"].push_back(row_of(r));
  }
  // Notes why the ops that follow are not tested.
  void stop(const std::string& why) {
    std::lock_guard lock(mutex_);
    ++bad_;
    stopped_ = why;
  }
  // Prints and writes the report. Returns whether all ops are good.
  bool finish() {
    std::lock_guard lock(mutex_);
    json_["good"] = good_;
    json_["bad"] = bad_;
    json_["stopped"] = stopped_;
    if (options_.json != "-")
      write_text("-", title_ + "\n" + table(rows_) + std::to_string(good_) + " ops are correct, " +
                          std::to_string(bad_) + " are not; " + std::to_string(passed_) +
                          " problems passed\n" +
                          (stopped_.empty() ? "" : "the test ended early: " + stopped_ + "\n"));
    if (!options_.json.empty()) write_json(options_.json, json_);
    return bad_ == 0;
  }

 private:
  const ConformanceOptions& options_;
  std::mutex mutex_;
  nlohmann::json json_;
  std::string title_, stopped_;
  std::vector<std::vector<std::string>> rows_ = {{"op", "kernels", "passed", "refused", "failed", "remark"}};
  int good_ = 0, bad_ = 0, passed_ = 0;
};

}  // namespace

bool run_conformance(const ConformanceOptions& options) {
  OutputFiles outputs;
  outputs.reads("--plugin", options.plugin);
  outputs.file("--json", options.json, true);
  const auto description = check(describe_devices({.devices = options.device})).front();
  if (!options.op.empty() && !find_op(options.op))
    raise(invalid_argument("no op named '" + options.op + "'", "cutset ops lists the ops"));
  const std::unique_ptr<OpenDevice> device = check(OpenDevice::open(description));
  const cutset_queue queue = check(device->queue());
  Report report(options, *description);
  {
    Watchdog watchdog(options.seconds, [&](const std::string& part) {
      char after[64];
      std::snprintf(after, sizeof after, " has not finished after %g s", options.seconds);
      std::fprintf(stderr, "cutset: error: %s: %s\n", options.device.c_str(),
                   printable(part + after).c_str());
      report.stop(part + after);
      try {
        report.finish();
      } catch (const std::exception& e) {
        std::fprintf(stderr, "cutset: error: %s\n", printable(e.what()).c_str());
      }
      std::fflush(stdout);
    });
    Progress progress("comparing " + options.device + " with the reference",
                      static_cast<int64_t>(all_ops().size()));
    int64_t done = 0;
    for (const OpInfo* op : all_ops()) {
      progress.update(done++, op->name);
      if (!options.op.empty() && options.op != op->name) continue;
      const OpReport r = check_op(*device, queue, *op, options.random, [&](const std::string& name) {
        watchdog.begin("op '" + std::string(op->name) + "', problem '" + name + "',");
      });
      report.add(r);
      if (r.failed == 0 || responds(*device, queue)) continue;
      report.stop("the device does not respond after op '" + std::string(op->name) + "'");
      break;
    }
  }
  return report.finish();
}

}  // namespace cutset::cli
