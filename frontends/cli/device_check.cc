#include "frontends/cli/device_check.h"

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "frontends/cli/outputs.h"
#include "frontends/cli/terminal.h"
#include "frontends/cpp/failure.h"
#include "runtime/verify/conformance.h"

namespace cutset::cli {
namespace {

// Ends the process if a problem takes too long.
class Watchdog {
 public:
  Watchdog(std::string device, double seconds) : device_(std::move(device)), limit_(seconds) {
    thread_ = std::thread([this] { watch(); });
  }
  ~Watchdog() {
    {
      std::lock_guard lock(mutex_);
      done_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  // Starts the time of the next problem.
  void begin(const std::string& what) {
    std::lock_guard lock(mutex_);
    what_ = what, ++count_;
    changed_.notify_all();
  }

 private:
  void watch() {
    std::unique_lock lock(mutex_);
    while (!done_) {
      const int64_t seen = count_;
      const bool moved = changed_.wait_for(lock, limit_, [&] { return done_ || count_ != seen; });
      if (moved || what_.empty()) continue;
      std::fprintf(stderr, "cutset: error: %s: %s has not finished after %g s\n", device_.c_str(),
                   printable(what_).c_str(), limit_.count());
      std::_Exit(1);
    }
  }

  const std::string device_;
  const std::chrono::duration<double> limit_;
  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::string what_;
  int64_t count_ = 0;
  bool done_ = false;
  std::thread thread_;
};

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
  return r.refused ? "refuses: " + r.first_refusal : "";
}
bool is_good(const OpReport& r) { return !r.needs_kernel || (r.failed == 0 && r.passed > 0); }

}  // namespace

bool check_device(const DeviceCheck& test) {
  OutputFiles outputs;
  outputs.file("--json", test.json, true);
  if (!test.op.empty() && !find_op(test.op))
    raise(invalid_argument("no op named '" + test.op + "'", "cutset ops lists the ops"));
  const auto description = check(describe_devices({.devices = test.device})).front();
  const std::unique_ptr<OpenDevice> device = check(OpenDevice::open(description));
  const cutset_queue queue = check(device->queue());
  nlohmann::json report = describe(*description);
  std::vector<std::vector<std::string>> rows = {{"op", "kernels", "passed", "refused", "failed", "remark"}};
  int good = 0, bad = 0, passed = 0;
  {
    Watchdog watchdog(test.device, test.seconds);
    Progress progress("comparing " + test.device + " with the reference", static_cast<int64_t>(all_ops().size()));
    int64_t done = 0;
    for (const OpInfo* op : all_ops()) {
      progress.update(done++, op->name);
      if (!test.op.empty() && test.op != op->name) continue;
      const OpReport r = check_op(*device, queue, *op, test.random, [&](const std::string& name) {
        watchdog.begin("op '" + std::string(op->name) + "', problem '" + name + "',");
      });
      ++(is_good(r) ? good : bad);
      passed += r.passed;
      rows.push_back({r.op, r.kernels.empty() ? "-" : r.kernels, std::to_string(r.passed), std::to_string(r.refused),
                      std::to_string(r.failed), verdict(r)});
      report["ops"].push_back({{"op", r.op},
                               {"kernels", r.kernels},
                               {"passed", r.passed},
                               {"refused", r.refused},
                               {"failed", r.failed},
                               {"needs_kernel", r.needs_kernel},
                               {"first_failure", r.first_failure},
                               {"first_refusal", r.first_refusal}});
    }
  }
  report["good"] = good, report["bad"] = bad;
  if (test.json != "-")
    write_text("-", description->name() + ": " + description->info().description + "\n" + table(rows) +
                        std::to_string(good) + " ops are correct, " + std::to_string(bad) + " are not; " +
                        std::to_string(passed) + " problems passed\n");
  if (!test.json.empty()) write_json(test.json, report);
  return bad == 0;
}

}  // namespace cutset::cli
