// SPDX-License-Identifier: Apache-2.0
#include "runtime/files/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace cutset {
namespace {

// Returns the process that a lock file names, as ", process 123", or an empty text if the file does not name
// a process.
std::string process_in(int file) {
  char digits[21];
  const ssize_t n = pread(file, digits, sizeof digits - 1, 0);
  std::string text(digits, n > 0 ? static_cast<size_t>(n) : 0);
  text.resize(std::min(text.size(), text.find('\n')));
  const bool number = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  return number ? ", process " + text : "";
}

}  // namespace

Result<FolderLock> FolderLock::take(const std::string& folder) {
  const std::string path = folder + "/.lock";
  constexpr int kMostTries = 100;
  for (int i = 0; i < kMostTries; ++i) {
    Descriptor file(
        open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666));
    struct stat locked, named;
    if (!file.open() || fstat(file.get(), &locked) != 0)
      return unavailable("cannot open '" + path + "': " + std::strerror(errno),
                         "check the folder and its permissions");
    if (!S_ISREG(locked.st_mode)) return unavailable("'" + path + "' is not a regular file", "remove it");
    int failed = 0;
    while ((failed = flock(file.get(), LOCK_EX | LOCK_NB)) != 0 && errno == EINTR) {
    }
    if (failed != 0 && errno == EWOULDBLOCK)
      return unavailable("the folder '" + folder + "' is in use by another run" + process_in(file.get()),
                         "give each run a folder of its own, or wait for the end of that run");
    if (failed != 0) return FolderLock(path, Descriptor());  // a file system without locks
    // The process that had the lock may have removed the file before it was locked here.
    if (lstat(path.c_str(), &named) != 0 || named.st_dev != locked.st_dev || named.st_ino != locked.st_ino)
      continue;
    const std::string process = std::to_string(getpid()) + "\n";
    // Only the error of another process shows the number of this process. If the number is missing in the
    // file, the error leaves it out.
    if (ftruncate(file.get(), 0) != 0 || pwrite(file.get(), process.data(), process.size(), 0) < 0) errno = 0;
    return FolderLock(path, std::move(file));
  }
  return unavailable("the folder '" + folder + "' is being taken by other runs",
                     "give each run a folder of its own");
}

FolderLock::~FolderLock() {
  if (file_.open()) unlink(path_.c_str());
}

}  // namespace cutset
