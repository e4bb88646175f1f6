// SPDX-License-Identifier: Apache-2.0
#include "frontends/cli/output/graphviz.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "runtime/files/files.h"

extern char** environ;

namespace cutset::cli {
namespace {

using Clock = std::chrono::steady_clock;

// Reads until the other end of the pipe is closed. Returns false if the reading fails, or if it does not end
// before `deadline`.
bool read_all(int from, std::string& to, Clock::time_point deadline) {
  std::array<char, 1 << 16> part;
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd ready = {from, POLLIN, 0};
    const int found = poll(&ready, 1, static_cast<int>(std::max<int64_t>(left, 0)));
    if (found < 0 && errno == EINTR) continue;
    if (found <= 0) return false;
    const ssize_t n = read(from, part.data(), part.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n == 0;
    to.append(part.data(), static_cast<size_t>(n));
  }
}

// Waits for the end of a process. Returns an empty text if the exit code was 0, and otherwise says how the
// process ended.
std::string end_of(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return std::strerror(errno);
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
  return WEXITSTATUS(status) == 0 ? "" : "exit code " + std::to_string(WEXITSTATUS(status));
}

// Returns the seconds that Graphviz has for a drawing.
int seconds_for_graphviz() {
  constexpr int kDefault = 60, kMost = 7 * 24 * 3600;
  const char* const variable = std::getenv("CUTSET_GRAPHVIZ_SECONDS");
  const std::string_view text = variable ? variable : "";
  int seconds = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), seconds);
  return parsed.ec == std::errc() && seconds >= 1 && seconds <= kMost ? seconds : kDefault;
}

}  // namespace

// Reads the SVG through a pipe, so that write_file() writes it: whole or not at all.
std::optional<std::string> svg_of(const std::string& dot_file, std::string& why) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    why = std::strerror(errno);
    return std::nullopt;
  }
  const Descriptor out(ends[0]);
  Descriptor in(ends[1]);
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions) != 0) {
    why = "there is not enough memory";
    return std::nullopt;
  }
  // dot would take a name that begins with "-" for an option, so it reads the file from standard input.
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, dot_file.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, in.get(), STDOUT_FILENO);
  std::string program = "dot", format = "-Tsvg";
  char* const arguments[] = {program.data(), format.data(), nullptr};
  pid_t child;
  const int failed = posix_spawnp(&child, "dot", &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed == ENOENT) {
    why = "Graphviz's dot is not installed";
    return std::nullopt;
  }
  if (failed != 0) {
    why = "Graphviz's dot cannot be started: " + std::string(std::strerror(failed));
    return std::nullopt;
  }
  in = Descriptor();
  std::string svg;
  const int seconds = seconds_for_graphviz();
  const bool read = read_all(out.get(), svg, Clock::now() + std::chrono::seconds(seconds));
  if (!read) kill(child, SIGKILL);
  const std::string end = end_of(child);
  if (!read)
    why = "Graphviz's dot took more than " + std::to_string(seconds) +
          " s (the environment variable CUTSET_GRAPHVIZ_SECONDS gives it more time)";
  else if (!end.empty())
    why = "Graphviz's dot failed with " + end;
  if (!read || !end.empty()) return std::nullopt;
  return svg;
}

}  // namespace cutset::cli
