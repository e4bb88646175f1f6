// SPDX-License-Identifier: Apache-2.0
// A library for LD_PRELOAD that turns a program into a fork server: a process that loads the libraries of the
// program once and forks a process for each request. Loading LLVM and MLIR takes most of the time of a
// command that ends with an error message, and a forked process need not load them.
//
// A forked process calls main() of the program. Static objects are constructed once, in the server. The
// libraries must start no threads when they are loaded, because fork() copies only the thread that calls it.
//
// The server reads requests from standard input until it ends, and serves them one by one. A request is an
// int64, which is the number of bytes that follow, and these texts, each of which ends with a NUL:
// - the working directory of the process,
// - the files for its standard output and its standard error,
// - four limits as decimal numbers, where 0 means no limit: seconds of CPU time, bytes of address space,
//   bytes of a written file, and seconds after which the server kills the process,
// - the number of arguments, and the arguments without the name of the program, and
// - the environment variables, as NAME=VALUE.
//
// The server writes a Result to standard output after each process. Integers have the byte order of the
// machine.
//
// The environment variable FORK_SERVER_LIBRARIES names libraries, separated by colons, that the server loads
// with dlopen before the first request.
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr int kRequestFailed = 125;  // the exit code of a process whose request cannot be carried out

using Main = int (*)(int, char**, char**);
Main program_main;

// The status of a process, its CPU time in microseconds, and the bytes of its largest resident set. A process
// has the status SIGALRM if the server has killed it because of its time limit.
struct Result {
  int64_t status, microseconds, peak;
};

bool transfer(int fd, char* data, size_t size, ssize_t (*call)(int, char*, size_t)) {
  while (size) {
    const ssize_t done = call(fd, data, size);
    if (done <= 0) return false;
    data += done;
    size -= static_cast<size_t>(done);
  }
  return true;
}
ssize_t read_some(int fd, char* data, size_t size) { return read(fd, data, size); }
ssize_t write_some(int fd, char* data, size_t size) { return write(fd, data, size); }

void limit(decltype(RLIMIT_CPU) what, rlim_t most) {
  const rlimit both{most, most};
  if (setrlimit(what, &both)) _exit(kRequestFailed);
}
void limit_unless_zero(decltype(RLIMIT_CPU) what, const char* most) {
  if (const auto number = static_cast<rlim_t>(std::atoll(most))) limit(what, number);
}

void redirect(int to, const char* path, int flags) {
  const int file = open(path, flags, 0600);
  if (file < 0 || dup2(file, to) < 0) _exit(kRequestFailed);
  close(file);
}

std::vector<char*> texts_of(std::string& request) {
  std::vector<char*> texts;
  for (size_t at = 0; at < request.size(); at += std::strlen(&request[at]) + 1) texts.push_back(&request[at]);
  return texts;
}
constexpr size_t kSeconds = 6;  // the index of the last limit among the texts

// Runs the program in the forked process.
[[noreturn]] void run(std::vector<char*> texts) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  texts.push_back(nullptr);
  char** next = texts.data();
  if (chdir(*next++)) _exit(kRequestFailed);
  redirect(0, "/dev/null", O_RDONLY);
  redirect(1, *next++, O_WRONLY | O_CREAT | O_TRUNC);
  redirect(2, *next++, O_WRONLY | O_CREAT | O_TRUNC);
  limit(RLIMIT_CORE, 0);
  limit_unless_zero(RLIMIT_CPU, *next++);
  limit_unless_zero(RLIMIT_AS, *next++);
  limit_unless_zero(RLIMIT_FSIZE, *next++);
  next = texts.data() + kSeconds + 1;
  const int count = std::atoi(*next++);
  std::vector<char*> arguments = {program_invocation_name};
  arguments.insert(arguments.end(), next, next + count);
  arguments.push_back(nullptr);
  environ = next + count;
  std::exit(program_main(count + 1, arguments.data(), environ));
}

// Waits for a process, and kills it after `seconds` seconds, unless `seconds` is 0. Returns false if the
// process cannot be waited for.
bool wait_for(pid_t process, int seconds, Result& result) {
  const int handle = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
  if (handle < 0) return false;
  pollfd ends{handle, POLLIN, 0};
  const bool in_time = poll(&ends, 1, seconds ? seconds * 1000 : -1) > 0;
  close(handle);
  if (!in_time) kill(process, SIGKILL);
  int status = 0;
  rusage used{};
  if (wait4(process, &status, 0, &used) != process) return false;
  const auto microseconds = [](const timeval& t) { return int64_t{t.tv_sec} * 1000000 + t.tv_usec; };
  result = {in_time ? status : SIGALRM, microseconds(used.ru_utime) + microseconds(used.ru_stime),
            int64_t{used.ru_maxrss} * 1024};
  return true;
}

int serve(int, char**, char**) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (const char* libraries = std::getenv("FORK_SERVER_LIBRARIES")) {
    std::istringstream list(libraries);
    for (std::string library; std::getline(list, library, ':');)
      if (!dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL)) {
        std::fprintf(stderr, "%s\n", dlerror());
        return 1;
      }
  }
  int64_t size = 0;
  while (transfer(0, reinterpret_cast<char*>(&size), sizeof size, read_some)) {
    std::string request(static_cast<size_t>(size), '\0');
    if (!transfer(0, request.data(), request.size(), read_some)) return 1;
    std::vector<char*> texts = texts_of(request);
    if (texts.size() <= kSeconds) return 1;
    const int seconds = std::atoi(texts[kSeconds]);
    const pid_t process = fork();
    if (process == 0) run(std::move(texts));
    Result result{};
    if (process < 0 || !wait_for(process, seconds, result)) return 1;
    if (!transfer(1, reinterpret_cast<char*>(&result), sizeof result, write_some)) return 1;
  }
  return 0;
}

}  // namespace

// The start-up code of a program passes main() to this function of glibc. This definition replaces main() by
// serve().
extern "C" int __libc_start_main(Main given_main, int argc, char** argv, void (*init)(), void (*fini)(),
                                 void (*rtld_fini)(), void* stack_end) {
  program_main = given_main;
  const auto real = reinterpret_cast<decltype(&__libc_start_main)>(dlsym(RTLD_NEXT, "__libc_start_main"));
  return real(serve, argc, argv, init, fini, rtld_fini, stack_end);
}
