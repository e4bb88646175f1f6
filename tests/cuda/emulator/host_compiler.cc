// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda/emulator/host_compiler.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/cuda/environment.h"

extern char** environ;

namespace cutset::cuda::doubles {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLanguage = "tests/cuda/emulator/cuda_language.h";
constexpr const char* kInterface = "tests/cuda/emulator/kernel_interface.h";

// A folder for one compilation, which is removed with the object. If it cannot be made, the log of the
// compilation says so, as NVRTC reports its errors.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string path = (fs::temp_directory_path() / "cutset_cuda_XXXXXX").string();
    if (mkdtemp(path.data())) path_ = path;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  bool exists() const { return !path_.empty(); }
  std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}
bool write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  return static_cast<bool>(file.flush());
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> list;
  for (std::string word; stream >> word;) list.push_back(word);
  return list;
}

// Runs a program whose messages go to the file `log`. Returns its exit status, or -1 if it could not be
// started.
int run(const std::vector<std::string>& command, const std::string& log) {
  std::vector<char*> arguments;
  for (const std::string& a : command) arguments.push_back(const_cast<char*>(a.c_str()));
  arguments.push_back(nullptr);
  // A library that is preloaded into the test, such as a sanitizer, is not preloaded into the compiler.
  std::vector<char*> variables;
  for (char** v = environ; *v; ++v)
    if (std::strncmp(*v, "LD_PRELOAD=", 11) != 0 && std::strncmp(*v, "LC_ALL=", 7) != 0)
      variables.push_back(*v);
  char locale[] = "LC_ALL=C";
  variables.push_back(locale);
  variables.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t process = 0;
  const int failed =
      posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), variables.data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed) return -1;
  int status = 0;
  while (waitpid(process, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Returns the hash FNV-1a with 128 bits (Fowler, Noll and Vo, RFC 9923), as hexadecimal digits.
std::string hash(const std::string& text) {
  unsigned __int128 h = (static_cast<unsigned __int128>(0x6c62272e07bb0142) << 64) | 0x62b821756295c58d;
  const unsigned __int128 prime = (static_cast<unsigned __int128>(1) << 88) | 0x13b;
  for (unsigned char c : text) h = (h ^ c) * prime;
  char digits[33];
  std::snprintf(digits, sizeof digits, "%016llx%016llx", static_cast<unsigned long long>(h >> 64),
                static_cast<unsigned long long>(h));
  return digits;
}

// Returns the file of the cache for a compilation, or an empty path if there is no cache. The name depends on
// everything that determines the result: the commands, the compiler, the linker, the headers, and the source.
fs::path cache_file(const std::vector<std::string>& compiling, const std::vector<std::string>& linking,
                    const std::string& text) {
  const std::string folder = environment("CUTSET_CUDA_DOUBLE_CACHE");
  if (folder.empty()) return {};
  std::string key;
  for (const auto* command : {&compiling, &linking}) {
    for (const std::string& word : *command) key += word + '\0';
    std::error_code ignored;
    key += std::to_string(fs::file_size(command->front(), ignored)) + '\0' +
           std::to_string(fs::last_write_time(command->front(), ignored).time_since_epoch().count()) + '\0';
  }
  for (const char* header : {kLanguage, kInterface})
    key += read_file(std::string(CUTSET_CUDA_DOUBLE_INCLUDE "/") + header) + '\0';
  return fs::path(folder) / (hash(key + text) + ".so");
}

// Processes that write the same file at the same time do no harm: they write the same bytes, and renaming is
// atomic.
void keep(const fs::path& path, const std::string& library) {
  static std::atomic<int> count{0};
  std::error_code failed;
  fs::create_directories(path.parent_path(), failed);
  const std::string part = path.string() + "." + std::to_string(getpid()) + "." + std::to_string(++count);
  const bool written = write_file(part, library);
  if (written) fs::rename(part, path, failed);
  if (!written || failed) fs::remove(part, failed);
}

bool is_word(char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)); }

std::string quoted(const std::string& name) {
  std::string text = "\"";
  for (char c : name) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + "\"";
}

}  // namespace

std::vector<std::string> kernel_names(const std::string& source) {
  std::vector<std::string> names;
  std::istringstream lines(source);
  const std::string macro = "KERNEL";
  for (std::string line; std::getline(lines, line);) {
    const size_t start = line.find_first_not_of(" \t");
    if (start == std::string::npos || line[start] == '#') continue;
    for (size_t at = line.find(macro); at != std::string::npos; at = line.find(macro, at + 1)) {
      if (at > 0 && is_word(line[at - 1])) continue;
      size_t i = at + macro.size();
      const auto skip = [&] {
        while (i < line.size() && (line[i] == ' ' || line[i] == '\t')) ++i;
      };
      skip();
      if (i >= line.size() || line[i++] != '(') continue;
      skip();
      const size_t from = i;
      while (i < line.size() && is_word(line[i])) ++i;
      const std::string name = line.substr(from, i - from);
      skip();
      if (!name.empty() && i < line.size() && line[i] == ')') names.push_back(name);
    }
  }
  return names;
}

// Removes the barrier that CUTSET_CUDA_DOUBLE_WITHOUT names.
static std::string without_barrier(std::string source) {
  const std::string chosen = environment("CUTSET_CUDA_DOUBLE_WITHOUT"), barrier = "__syncthreads();";
  const size_t colon = chosen.find(':');
  if (colon == std::string::npos) return source;
  const std::vector<std::string> kernels = kernel_names(source);
  if (std::find(kernels.begin(), kernels.end(), chosen.substr(0, colon)) == kernels.end()) return source;
  size_t at = source.find(barrier);
  for (long n = std::atol(chosen.c_str() + colon + 1); n > 1 && at != std::string::npos; --n)
    at = source.find(barrier, at + 1);
  return at == std::string::npos ? source : source.erase(at, barrier.size());
}

Compiled compile_for_host(const std::string& source, const std::string& name,
                          const std::vector<std::string>& flags) {
  std::string text = std::string("#include \"") + kLanguage + "\"\n#line 1 " + quoted(name) + "\n" +
                     without_barrier(source) + "\n#line 1 \"kernel library\"\nCUTSET_DEFINE_KERNEL_LIBRARY(";
  for (const std::string& kernel : kernel_names(source)) text += " CUTSET_KERNEL_ENTRY(" + kernel + ")";
  text += ")\n";

  const std::string compiler = environment("CUTSET_CUDA_DOUBLE_COMPILER", CUTSET_CXX_COMPILER);
  // Two commands compile and link. In one command, clang's driver would start the compiler as another
  // process: an empty source takes 0.08 s with one command, and 0.05 s with two.
  const auto compiling = [&](const std::string& output, const std::string& input) {
    std::vector<std::string> list = {compiler,
                                     "-x",
                                     "c++",
                                     "-std=c++17",
                                     "-w",
                                     "-O1",
                                     "-fwrapv",  // integers wrap around on a GPU, even where u16 becomes int
                                     "-fPIC",
                                     "-nostdinc",
                                     "-fvisibility=hidden",
                                     "-fno-math-errno",
                                     "-I" CUTSET_CUDA_DOUBLE_INCLUDE};
    list.insert(list.end(), flags.begin(), flags.end());
    for (const std::string& word :
         words(environment("CUTSET_CUDA_DOUBLE_FLAGS", CUTSET_CUDA_DOUBLE_DEFAULT_FLAGS)))
      list.push_back(word);
    list.insert(list.end(), {"-ffp-contract=off", "-c", "-o", output, input});
    return list;
  };
  const auto linking = [](const std::string& output,
                          const std::string& input) {  // without the library of C++
    return std::vector<std::string>{CUTSET_LINKER, "-shared", "-o", output, input, "-lm", "-lc"};
  };

  const fs::path cached = cache_file(compiling("", ""), linking("", ""), text);
  if (!cached.empty())
    if (std::string library = read_file(cached); !library.empty()) return {true, std::move(library), ""};

  const TemporaryFolder folder;
  const std::string input = folder.file("kernel.cc"), object = folder.file("kernel.o"),
                    output = folder.file("kernel.so"), log = folder.file("log");
  if (!folder.exists() || !write_file(input, text))
    return {false, "", "the temporary folder cannot be written"};
  int status = run(compiling(object, input), log);
  if (status == 0) status = run(linking(output, object), log);
  Compiled result;
  result.log = read_file(log);
  if (status < 0)
    result.log += "the compiler '" + compiler + "' or the linker '" CUTSET_LINKER "' cannot be run";
  result.library = status == 0 ? read_file(output) : "";
  result.succeeded = !result.library.empty();
  if (result.succeeded && !cached.empty()) keep(cached, result.library);
  return result;
}

}  // namespace cutset::cuda::doubles
