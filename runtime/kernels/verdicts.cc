#include "runtime/kernels/verdicts.h"

#include <dlfcn.h>
#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>

#include "runtime/files/files.h"
#include "runtime/kernels/conformance.h"
#include "runtime/kernels/run_reference.h"

namespace cutset {
namespace {

namespace fs = std::filesystem;

// The first line of a file. The key and then the verdict follow, each on a line.
constexpr std::string_view kHead = "cutset verdict 1\n";

// The size and the time of the last change of the library that contains `function`, so that a backend that was built
// again is checked again.
std::string library_of(const cutset_kernel* kernel) {
  Dl_info library;
  struct stat file;
  if (!dladdr(reinterpret_cast<const void*>(kernel->prepare), &library) || !library.dli_fname ||
      stat(library.dli_fname, &file) != 0)
    return "unknown library";
  return std::to_string(file.st_size) + " bytes of " + std::to_string(file.st_mtim.tv_sec) + "." +
         std::to_string(file.st_mtim.tv_nsec);
}

// What the verdict depends on, on one line. Empty: the kernel asks for no comparison.
Result<std::string> key_of(OpenDevice& device, const cutset_kernel* kernel) {
  if (kernel->size <= offsetof(cutset_kernel, identity) || !kernel->identity) return std::string();
  const char* identity = nullptr;
  CUTSET_TRY(device.status(kernel->identity(device.handle(), &identity)));
  if (!identity) return std::string();
  std::string key = std::string(device.api().name) + ", " + kernel->name + ", " + identity + ", " + library_of(kernel);
  for (char& c : key)
    if (c == '\n') c = ' ';
  return key;
}

// The file for a key, or an empty path if nothing is kept.
fs::path file_of(const std::string& key) {
  fs::path folder;
  if (const char* given = std::getenv("CUTSET_VERDICTS"))
    folder = given;
  else if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache)
    folder = fs::path(cache) / "cutset/verdicts";
  else if (const char* home = std::getenv("HOME"); home && *home)
    folder = fs::path(home) / ".cache/cutset/verdicts";
  if (folder.empty()) return {};
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a with 64 bits (Fowler, Noll and Vo, RFC 9923)
  for (const unsigned char c : key) hash = (hash ^ c) * 0x100000001b3;
  char name[32];
  std::snprintf(name, sizeof name, "%016llx.txt", static_cast<unsigned long long>(hash));
  return folder / name;
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
  [[maybe_unused]] const Status kept = write_file(
      path.string(), std::string(kHead) + key + "\n" + (fault.empty() ? "correct" : "wrong: " + fault) + "\n");
}

// The difference between the results of the kernel and of the reference kernel on the fixed test problems that it
// supports. Fails if a test problem cannot be run.
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
struct Known {
  std::mutex mutex;
  std::map<std::string, std::string> faults;  // by key
};
Known& known() {
  static Known all;
  return all;
}

}  // namespace

Result<std::string> find_fault(OpenDevice& device, cutset_queue queue, const cutset_kernel* kernel) {
  CUTSET_ASSIGN(const std::string key, key_of(device, kernel));
  if (key.empty()) return std::string();
  {
    std::lock_guard lock(known().mutex);
    if (const auto found = known().faults.find(key); found != known().faults.end()) return found->second;
  }
  const fs::path path = file_of(key);
  std::string fault;
  if (auto kept = read_verdict(path, key)) {
    fault = *kept;
  } else {
    CUTSET_ASSIGN(const std::string difference, find_difference(device, queue, kernel));
    if (!difference.empty()) fault = "its results are wrong: " + difference;
    keep_verdict(path, key, fault);
  }
  if (!fault.empty() && !path.empty()) fault += "; remove the file " + path.string() + " to compare it again";
  std::lock_guard lock(known().mutex);
  known().faults.emplace(key, fault);
  return fault;
}

}  // namespace cutset
