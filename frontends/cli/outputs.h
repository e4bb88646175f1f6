// Where results go: files that are checked before the work that they are for, and standard output.
#pragma once
#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace cutset::cli {

// The files and folders that a command is going to write. Each is checked as it is named, so that nothing is computed
// and then lost; two of one name would overwrite each other. Throws cutset::Error, which names the option.
class OutputFiles {
 public:
  // Nothing where `path` is empty (not asked for) or "-" with `or_stdout`.
  void file(const std::string& option, const std::string& path, bool or_stdout = false);
  void folder(const std::string& option, const std::string& path);  // made if need be

 private:
  std::set<std::string> seen_;
};

// Writes `text` to a file, or to standard output for "-". Throws where either fails.
void write_text(const std::string& path, const std::string& text);
// One value a line, in ASCII: bytes of names that are not UTF-8 or would move a terminal are escaped.
void write_json(const std::string& path, const nlohmann::json& value);
// FILE.dot, and FILE.svg beside it where Graphviz is installed.
void write_picture(const std::string& path, const std::string& dot);

// The file of run `run` (from 0) of several: g.dot is g.1.dot, g.2.dot, ...; of one run it is `path` itself.
std::string of_run(const std::string& path, size_t run, size_t runs);

// A name out of a program as the name of a file in one folder: other characters than letters, digits, "_", "-" and
// "." (not the first) are written as %XX, so two names never become one file and none leaves the folder.
std::string file_name_of(const std::string& name);

}  // namespace cutset::cli
