// SPDX-License-Identifier: Apache-2.0
#include "frontends/cli/output/outputs.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "frontends/cli/output/graphviz.h"
#include "frontends/cli/output/terminal.h"
#include "frontends/cpp/checks/failure.h"
#include "runtime/files/files.h"

namespace cutset::cli {
namespace fs = std::filesystem;

namespace {

[[noreturn]] void raise_for(const std::string& option, Failure e) {
  e.what = option + ": " + e.what;
  raise(e);
}

// Returns the canonical path. The path is made absolute first, because a file that does not exist has several
// canonical paths otherwise.
std::string canonical(const std::string& path) {
  std::error_code e;
  const fs::path found = fs::weakly_canonical(fs::absolute(path, e), e);
  return e ? path : found.string();
}

// Returns the canonical path of the folder, followed by the name in it. The name may be a link to a file in
// another folder.
std::string without_last_link(const std::string& path) {
  const fs::path p = path;
  return (fs::path(canonical(p.has_parent_path() ? p.parent_path().string() : ".")) / p.filename()).string();
}

std::string in_lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// Returns the canonical path of a regular file, or nothing if there is none.
std::optional<std::string> existing_file(const std::string& path) {
  std::error_code e;
  if (path.empty() || !fs::is_regular_file(path, e)) return std::nullopt;
  return canonical(path);
}

// Whether a file is in a folder or below it. Both paths are canonical.
bool is_below(const std::string& file, const std::string& folder) {
  return file.starts_with(folder.ends_with('/') ? folder : folder + "/");
}

// Whether `path` is a device or a pipe. Several options may name the same one, such as /dev/null.
bool is_special(const std::string& path) {
  std::error_code e;
  return path.starts_with("/dev/") || path.starts_with("/proc/") ||
         (fs::exists(path, e) && !fs::is_regular_file(path, e));
}

// Returns the path of the drawing for a DOT file: g.svg for g.dot. Other extensions stay: g.1.svg for g.1.
std::string svg_beside(const std::string& path) {
  fs::path p = path;
  if (p.extension() == ".dot" || p.extension() == ".gv") p.replace_extension();
  return p.string() + ".svg";
}

}  // namespace

void OutputFiles::reads(const std::string& what, const std::string& path) {
  if (const auto file = existing_file(path)) read_.emplace(*file, what);
}

void OutputFiles::reads_folder(const std::string& what, const std::string& path,
                               std::vector<std::string> endings) {
  if (path.empty()) return;
  read_folders_.push_back({what, canonical(path), std::move(endings)});
}

void OutputFiles::reads_listed(const std::string& what, const std::string& path,
                               std::function<std::vector<std::string>()> list) {
  listed_.push_back({what, canonical(path), std::move(list)});
}

std::string OutputFiles::reading(const std::string& file) {
  for (auto it = listed_.begin(); it != listed_.end();) {
    if (!is_below(file, it->path)) {
      ++it;
      continue;
    }
    for (const std::string& read : it->list()) reads(it->what, read);
    it = listed_.erase(it);
  }
  if (const auto read = read_.find(file); read != read_.end()) return read->second;
  const std::string lower = in_lower_case(file);
  for (const Folder& folder : read_folders_)
    if (is_below(file, folder.path) &&
        std::ranges::any_of(folder.endings, [&](const std::string& end) { return lower.ends_with(end); }))
      return folder.what;
  return "";
}

void OutputFiles::file(const std::string& option, const std::string& path, bool or_stdout) {
  if (path.empty()) return;
  if (or_stdout && path == "-") {
    if (!seen_.insert("-").second)
      raise_for(option, invalid_argument("two options write to standard output", "give one of them a file"));
    return;
  }
  if (Status s = check_writable(path); !s.ok()) raise_for(option, s.error());
  if (const auto replaced = existing_file(path))
    for (const std::string& name : {*replaced, without_last_link(path)})
      if (const std::string what = reading(name); !what.empty())
        raise_for(option, invalid_argument("'" + path + "' is a file that the command reads: " + what,
                                           "give a file or a folder whose files may be replaced"));
  if (!is_special(path) && !seen_.insert(canonical(path)).second)
    raise_for(option, invalid_argument("'" + path + "' is also written by another option",
                                       "give each option its own file"));
}

void OutputFiles::picture(const std::string& option, const std::string& path) {
  file(option, path);
  if (!path.empty() && !is_special(path)) file(option, svg_beside(path));
}

void OutputFiles::folder(const std::string& option, const std::string& path) {
  if (path.empty()) return;
  std::error_code e;
  fs::create_directories(path, e);
  if (e)
    raise_for(option, unavailable("cannot create the folder '" + path + "': " + e.message(),
                                  "check the path and its permissions"));
  // The name is as long as the longest name that is written there, so that a path that is too long is an
  // error now.
  if (Status s = check_writable(path + "/step-18446744073709551615.safetensors"); !s.ok())
    raise_for(option, s.error());
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
  if (is_special(path)) return;
  std::string why;
  if (const auto svg = svg_of(path, why)) return check(write_file(svg_beside(path), *svg));
  std::fprintf(stderr, "note: %s was not written: %s\n", printable(svg_beside(path)).c_str(),
               printable(why).c_str());
}

std::string of_run(const std::string& path, size_t run, size_t runs) {
  if (path.empty() || runs == 1) return path;
  const fs::path p = path;
  return (p.parent_path() / (p.stem().string() + "." + std::to_string(run + 1) + p.extension().string()))
      .string();
}

std::string file_name_of(const std::string& name) {
  std::string file;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '-' || (c == '.' && !file.empty());
    char escaped[4];
    std::snprintf(escaped, sizeof escaped, "%%%02X", static_cast<unsigned char>(c));
    file += plain ? std::string(1, c) : escaped;
  }
  return file.empty() ? "%" : file;
}

}  // namespace cutset::cli
