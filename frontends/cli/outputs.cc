#include "frontends/cli/outputs.h"

#include <cutset/error.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "frontends/cli/terminal.h"
#include "frontends/cpp/failure.h"
#include "runtime/files/files.h"

extern char** environ;

namespace cutset::cli {
namespace fs = std::filesystem;

namespace {

[[noreturn]] void raise_for(const std::string& option, Failure e) {
  e.what = option + ": " + e.what;
  raise(e);
}

}  // namespace

void OutputFiles::file(const std::string& option, const std::string& path, bool or_stdout) {
  if (path.empty()) return;
  if (or_stdout && path == "-") {
    if (!seen_.insert("-").second)
      raise_for(option, invalid_argument("two options write to standard output", "give one of them a file"));
    return;
  }
  if (Status s = check_writable(path); !s.ok()) raise_for(option, s.error());
  std::error_code e;
  if (!read_.empty() && fs::equivalent(path, read_, e) && fs::is_regular_file(path, e))
    raise_for(option, invalid_argument("'" + path + "' is the file that the command reads", "give another file"));
  const std::string name = fs::weakly_canonical(path, e).string();
  if (fs::exists(path, e) && !fs::is_regular_file(path, e)) return;  // several options may name /dev/null
  if (!seen_.insert(name).second)
    raise_for(option,
              invalid_argument("'" + path + "' is also written by another option", "give each option its own file"));
}

void OutputFiles::folder(const std::string& option, const std::string& path) {
  if (path.empty()) return;
  std::error_code e;
  fs::create_directories(path, e);
  if (e)
    raise_for(option, unavailable("cannot create the folder '" + path + "': " + e.message(),
                                  "check the path and its permissions"));
  if (Status s = check_writable(path + "/probe"); !s.ok()) raise_for(option, s.error());
}

void write_text(const std::string& path, const std::string& text) {
  if (path != "-") return check(write_file(path, text));
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    const std::string why = std::strerror(errno);
    std::clearerr(stdout);
    raise(unavailable("cannot write to standard output: " + why));
  }
}

void write_json(const std::string& path, const nlohmann::json& value) {
  write_text(path, value.dump(1, ' ', true, nlohmann::json::error_handler_t::replace) + "\n");
}

void write_picture(const std::string& path, const std::string& dot) {
  check(write_file(path, dot));
  const std::string svg = fs::path(path).replace_extension(".svg").string();
  std::string program = "dot", format = "-Tsvg", output = "-o" + svg, input = path;
  char* arguments[] = {program.data(), format.data(), output.data(), input.data(), nullptr};
  pid_t child;
  int status = 0;
  if (posix_spawnp(&child, "dot", nullptr, nullptr, arguments, environ) != 0 || waitpid(child, &status, 0) < 0 ||
      status != 0)
    std::fprintf(stderr, "note: %s was not written: Graphviz's dot is not installed or failed\n",
                 printable(svg).c_str());
}

std::string of_run(const std::string& path, size_t run, size_t runs) {
  if (path.empty() || runs == 1) return path;
  const fs::path p = path;
  return (p.parent_path() / (p.stem().string() + "." + std::to_string(run + 1) + p.extension().string())).string();
}

std::string file_name_of(const std::string& name) {
  std::string file;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                       c == '-' || (c == '.' && !file.empty());
    char escaped[4];
    std::snprintf(escaped, sizeof escaped, "%%%02X", static_cast<unsigned char>(c));
    file += plain ? std::string(1, c) : escaped;
  }
  return file.empty() ? "%" : file;
}

}  // namespace cutset::cli
