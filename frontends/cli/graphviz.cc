#include "frontends/cli/graphviz.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "runtime/files/files.h"

extern char** environ;

namespace cutset::cli {
namespace {

// Reads until the other end of the pipe is closed. Returns false if the reading fails.
bool read_all(int from, std::string& to) {
  std::array<char, 1 << 16> part;
  for (;;) {
    const ssize_t n = read(from, part.data(), part.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n == 0;
    to.append(part.data(), static_cast<size_t>(n));
  }
}

// Waits for the end of a process. Returns whether it ended with exit code 0.
bool succeeded(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

// The SVG comes through a pipe, so that it is written like every other file: whole or not at all.
std::optional<std::string> svg_of(const std::string& dot_file) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  const Descriptor out(ends[0]);
  Descriptor in(ends[1]);
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions) != 0) return std::nullopt;
  // dot would take a name that begins with "-" for an option, so it reads the file from standard input.
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, dot_file.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, in.get(), STDOUT_FILENO);
  std::string program = "dot", format = "-Tsvg";
  char* const arguments[] = {program.data(), format.data(), nullptr};
  pid_t child;
  const bool started = posix_spawnp(&child, "dot", &actions, nullptr, arguments, environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  if (!started) return std::nullopt;
  in = Descriptor();
  std::string svg;
  const bool read = read_all(out.get(), svg);
  if (!succeeded(child) || !read) return std::nullopt;
  return svg;
}

}  // namespace cutset::cli
