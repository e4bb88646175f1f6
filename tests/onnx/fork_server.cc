// A library for LD_PRELOAD that turns a program into a server, which forks a process for each request. The process runs main() of the
// program from its start. Loading LLVM and MLIR takes most of the time of a command that ends with an error, and a forked process
// has the libraries of the server.
//
// The server reads requests from standard input until it ends. A request is its size as an int64 and then texts, each of which ends with
// a NUL: the folder in which the process runs; the files to which its standard output and error go; its limits, which are numbers and 0
// for none: seconds of a core, bytes of memory, bytes of a file, and seconds until SIGALRM; the number of arguments; the arguments,
// without the name of the program; and all environment variables. The answer on standard output is a Result. Neither has a format for
// other machines.
//
//   FORK_SERVER_LIBRARIES  libraries that the server loads with dlopen before the first request, separated by colons
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

namespace {

using Main = int (*)(int, char**, char**);
Main program;

// What wait4 says about a process: its status, the microseconds of a core that it used, and the bytes of its largest resident set.
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

void limit(decltype(RLIMIT_CPU) what, const char* most) {
  const rlimit both{static_cast<rlim_t>(std::atoll(most)), static_cast<rlim_t>(std::atoll(most))};
  if (both.rlim_cur && setrlimit(what, &both)) _exit(125);
}

void redirect(int to, const char* path, int flags) {
  const int file = open(path, flags, 0600);
  if (file < 0 || dup2(file, to) < 0) _exit(125);
  close(file);
}

// Runs the program in the process of a request. Exits with 125 if the request cannot be carried out.
[[noreturn]] void run(std::vector<char*> texts) {
  texts.push_back(nullptr);
  char** next = texts.data();
  if (chdir(*next++)) _exit(125);
  redirect(0, "/dev/null", O_RDONLY);
  redirect(1, *next++, O_WRONLY | O_CREAT | O_TRUNC);
  redirect(2, *next++, O_WRONLY | O_CREAT | O_TRUNC);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  limit(RLIMIT_CPU, *next++);
  limit(RLIMIT_AS, *next++);
  limit(RLIMIT_FSIZE, *next++);
  alarm(static_cast<unsigned>(std::atoi(*next++)));
  const int count = std::atoi(*next++);
  std::vector<char*> arguments = {program_invocation_name};
  arguments.insert(arguments.end(), next, next + count);
  arguments.push_back(nullptr);
  environ = next + count;
  std::exit(program(count + 1, arguments.data(), environ));
}

int serve(int, char**, char**) {
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
    const pid_t process = fork();
    if (process < 0) return 1;
    if (process == 0) {
      std::vector<char*> texts;
      for (size_t at = 0; at < request.size(); at += std::strlen(&request[at]) + 1) texts.push_back(&request[at]);
      run(std::move(texts));
    }
    int status = 0;
    rusage used{};
    if (wait4(process, &status, 0, &used) != process) return 1;
    const auto microseconds = [](const timeval& t) { return int64_t{t.tv_sec} * 1000000 + t.tv_usec; };
    Result result{status, microseconds(used.ru_utime) + microseconds(used.ru_stime), int64_t{used.ru_maxrss} * 1024};
    if (!transfer(1, reinterpret_cast<char*>(&result), sizeof result, write_some)) return 1;
  }
  return 0;
}

}  // namespace

// Every program calls this function of the C library with its main(), after all shared libraries are initialised.
extern "C" int __libc_start_main(Main of_program, int argc, char** argv, void (*init)(), void (*fini)(),
                                 void (*rtld_fini)(), void* stack_end) {
  program = of_program;
  const auto real = reinterpret_cast<decltype(&__libc_start_main)>(dlsym(RTLD_NEXT, "__libc_start_main"));
  return real(serve, argc, argv, init, fini, rtld_fini, stack_end);
}
