// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/verdicts.h"

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>

#include "runtime/abi/cache_file.h"
#include "runtime/files/files.h"
#include "runtime/kernels/conformance.h"
#include "runtime/kernels/run_reference.h"

namespace cutset {
namespace {

namespace fs = std::filesystem;

// The first line of a file. The key and then the verdict follow, each on a line.
constexpr std::string_view kHead = "cutset verdict 1\n";

// Returns, as one line, everything that the verdict depends on. Empty: the kernel asks for no comparison.
Result<std::string> key_of(OpenDevice& device, const cutset_kernel* kernel) {
  if (kernel->size <= offsetof(cutset_kernel, identity) || !kernel->identity) return std::string();
  const char* identity = nullptr;
  CUTSET_TRY(device.status(kernel->identity(device.handle(), &identity)));
  if (!identity) return std::string();
  std::string key = std::string(device.api().name) + ", " + kernel->name + ", " + identity + ", " +
                    abi::library_stamp(reinterpret_cast<const void*>(kernel->prepare));
  for (char& c : key)
    if (c == '\n') c = ' ';
  return key;
}

fs::path file_of(const std::string& key) {
  return abi::cache_file("CUTSET_VERDICTS", "verdicts", key, "txt");
}

std::optional<std::string> read_verdict(const fs::path& path, const std::string& key) {
  if (path.empty()) return {};
  const auto text = read_file(path.string(), 1 << 16);
  const std::string begin = std::string(kHead) + key + "\n";
  if (!text.ok() || !text->starts_with(begin) || !text->ends_with("\n")) return {};
  const std::string verdict = text->substr(begin.size(), text->size() - begin.size() - 1);
  if (verdict == "correct") return "";
  if (!verdict.starts_with("wrong: ")) return {};
  return verdict.substr(std::string_view("wrong: ").size());
}

void keep_verdict(const fs::path& path, const std::string& key, std::string fault) {
  if (path.empty()) return;
  for (char& c : fault)
    if (c == '\n') c = ' ';
  std::error_code ignored;
  fs::create_directories(path.parent_path(), ignored);
  // Without the file, the next process checks again.
  [[maybe_unused]] const Status written =
      write_file(path.string(),
                 std::string(kHead) + key + "\n" + (fault.empty() ? "correct" : "wrong: " + fault) + "\n");
}

// Returns the difference between the results of the kernel and the results of the reference kernel, on the
// fixed test problems that the kernel supports. Fails if a test problem cannot be run.
Result<std::string> find_difference(OpenDevice& device, cutset_queue queue, const cutset_kernel* kernel) {
  const OpInfo* op = find_op(kernel->op);
  if (!op) return std::string();
  uint64_t seed = 0;
  for (const Case& c : op->cases().fixed) {
    const std::vector<HostTensor> in = draw_operands(c, seed++);
    CUTSET_ASSIGN(const auto want, run_reference_kernel(*op, c.attributes, in));
    const auto got = run_kernel(device, queue, *op, kernel, c, in);
    if (!got.ok()) {
      if (got.error().code == ErrorCode::kUnsupported) continue;
      Failure e = got.error();
      e.what = device.description().name() + ": " + kernel->name + " cannot run the test problem '" + c.name +
               "' before its first use: " + e.what;
      return e;
    }
    if (const std::string difference = compare_results(*got, want, c); !difference.empty())
      return difference + " (case '" + c.name + "')";
  }
  return std::string();
}

// The verdicts of this process.
struct Verdicts {
  std::mutex mutex;
  std::map<std::string, std::string> faults;  // by key
};
Verdicts& verdicts() {
  static Verdicts all;
  return all;
}

}  // namespace

Result<std::string> find_fault(OpenDevice& device, cutset_queue queue, const cutset_kernel* kernel) {
  CUTSET_ASSIGN(const std::string key, key_of(device, kernel));
  if (key.empty()) return std::string();
  {
    std::lock_guard lock(verdicts().mutex);
    if (const auto found = verdicts().faults.find(key); found != verdicts().faults.end())
      return found->second;
  }
  const fs::path path = file_of(key);
  std::string fault;
  if (auto verdict = read_verdict(path, key)) {
    fault = *verdict;
  } else {
    CUTSET_ASSIGN(const std::string difference, find_difference(device, queue, kernel));
    if (!difference.empty()) fault = "its results are wrong: " + difference;
    keep_verdict(path, key, fault);
  }
  if (!fault.empty() && !path.empty()) fault += "; remove the file " + path.string() + " to compare it again";
  std::lock_guard lock(verdicts().mutex);
  verdicts().faults.emplace(key, fault);
  return fault;
}

}  // namespace cutset
