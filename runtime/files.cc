#include "runtime/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace cutset {
namespace {

// Owns a file descriptor.
struct Descriptor {
  int fd;
  explicit Descriptor(int f) : fd(f) {}
  Descriptor(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd >= 0) close(fd);
  }
};

Failure system_error(const std::string& what, const std::string& path) {
  return unavailable(what + " '" + path + "': " + std::strerror(errno),
                     "check the path, its permissions and the space left");
}

}  // namespace

Status write_file(const std::string& path, std::string_view contents) {
  struct stat existing;
  if (stat(path.c_str(), &existing) == 0 && !S_ISREG(existing.st_mode)) {
    // A device or pipe (/dev/stdout) is written to, not replaced.
    Descriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (file.fd < 0 || write(file.fd, contents.data(), contents.size()) != static_cast<ssize_t>(contents.size()))
      return system_error("cannot write", path);
    return {};
  }
  const std::string temporary = path + ".tmp" + std::to_string(getpid());
  auto give_up = [&](const char* what) {
    Failure e = system_error(what, path);
    unlink(temporary.c_str());
    return e;
  };
  Descriptor file(open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (file.fd < 0) return system_error("cannot write", path);
  for (size_t done = 0; done < contents.size();) {
    const ssize_t n = write(file.fd, contents.data() + done, contents.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return give_up("cannot write");
    done += static_cast<size_t>(n);
  }
  if (fsync(file.fd) != 0) return give_up("cannot flush");
  if (rename(temporary.c_str(), path.c_str()) != 0) return give_up("cannot replace");
  const std::string folder = std::filesystem::path(path).parent_path().string();
  Descriptor parent(open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (parent.fd >= 0) fsync(parent.fd);
  return {};
}

Result<std::string> read_file(const std::string& path, uint64_t limit) {
  Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.fd < 0) return system_error("cannot read", path);
  struct stat s;
  if (fstat(file.fd, &s) != 0 || !S_ISREG(s.st_mode)) return unavailable("'" + path + "' is not a regular file");
  if (static_cast<uint64_t>(s.st_size) > limit)
    return invalid_data("'" + path + "' has " + std::to_string(s.st_size) + " bytes, more than the limit of " +
                        std::to_string(limit));
  std::string contents(static_cast<size_t>(s.st_size), '\0');
  for (size_t done = 0; done < contents.size();) {
    const ssize_t n = read(file.fd, contents.data() + done, contents.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return unavailable("'" + path + "' ended early");
    done += static_cast<size_t>(n);
  }
  return contents;
}

}  // namespace cutset
