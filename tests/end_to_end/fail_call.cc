// SPDX-License-Identifier: Apache-2.0
// A library for LD_PRELOAD that makes one system call on certain files fail, or kills the process at this
// call. With it end_to_end/saving.py tests a full disk, a broken disk and a killed process at every call of a
// save.
//
//   FAIL_CALL  the function: open, write, fsync, rename, unlink or flock
//   FAIL_NTH   the number of the call that fails, counted from 1 over the calls on matching files
//   FAIL_PATH  a file matches if its path contains this text
//   FAIL_WITH  the error number (errno) of the failure; 0: the process is killed with SIGKILL
//   FAIL_MARK  a file that is created when the call is reached
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

static std::atomic<int> met{0};

#define REAL(name) (reinterpret_cast<decltype(&name)>(dlsym(RTLD_NEXT, #name)))

static int fails(const char* call, const char* path) {
  const char *wanted = getenv("FAIL_CALL"), *text = getenv("FAIL_PATH"), *nth = getenv("FAIL_NTH");
  if (!wanted || !text || !nth || strcmp(wanted, call) != 0 || !strstr(path, text)) return 0;
  if (met.fetch_add(1) + 1 != atoi(nth)) return 0;
  const char *with = getenv("FAIL_WITH"), *mark = getenv("FAIL_MARK");
  if (mark) close(REAL(open)(mark, O_WRONLY | O_CREAT, 0644));
  if (!with || atoi(with) == 0) kill(getpid(), SIGKILL);
  errno = atoi(with);
  return 1;
}

static int fails_on(const char* call, int fd) {
  char link[64], path[4096] = "";
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t n = readlink(link, path, sizeof path - 1);
  return n > 0 && fails(call, path);
}

extern "C" {

int open(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
  va_end(list);
  return fails("open", path) ? -1 : REAL(open)(path, flags, mode);
}
ssize_t write(int fd, const void* from, size_t n) {
  return fails_on("write", fd) ? -1 : REAL(write)(fd, from, n);
}
int fsync(int fd) { return fails_on("fsync", fd) ? -1 : REAL(fsync)(fd); }
int flock(int fd, int how) noexcept { return fails_on("flock", fd) ? -1 : REAL(flock)(fd, how); }
int rename(const char* from, const char* to) noexcept {
  return fails("rename", to) ? -1 : REAL(rename)(from, to);
}
int unlink(const char* path) noexcept { return fails("unlink", path) ? -1 : REAL(unlink)(path); }

}  // extern "C"
