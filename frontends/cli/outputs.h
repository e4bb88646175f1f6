// Writes the results of commands to files and to standard output. The files are checked before a command starts its
// work.
#pragma once
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

namespace cutset::cli {

// The files and folders that a command will write. Each is checked when it is added, so that no result is computed that
// cannot be written. Throws a cutset::Error that names the option if a file cannot be written or two options name the
// same file.
class OutputFiles {
 public:
  // `read` is the file that the command reads, such as its model; empty: none. An option that names it is an error, because the command would
  // replace it.
  explicit OutputFiles(std::string read = "") : read_(std::move(read)) {}
  // Adds a file. An empty path means that the option is not given. With `or_stdout`, "-" is standard output.
  void file(const std::string& option, const std::string& path, bool or_stdout = false);
  // Adds a folder, and creates it if it does not exist.
  void folder(const std::string& option, const std::string& path);

 private:
  std::string read_;
  std::set<std::string> seen_;
};

// Writes `text` to a file, or to standard output if `path` is "-". Throws a cutset::Error if it cannot be written.
void write_text(const std::string& path, const std::string& text);
// Writes JSON in ASCII with one value per line. Other characters, and bytes that are not UTF-8, are escaped.
void write_json(const std::string& path, const nlohmann::json& value);
// Writes a drawing as DOT, and beside it as FILE.svg if Graphviz is installed.
void write_picture(const std::string& path, const std::string& dot);

// Returns the name of the file of run `run`, counted from 0: g.1.dot, g.2.dot and so on for g.dot. A single run has the
// name `path` itself.
std::string of_run(const std::string& path, size_t run, size_t runs);

// Turns a name from a program into the name of a file. All characters except ASCII letters, digits, "_", "-" and "."
// become %XX, as does "." at the beginning. Different names give different files, and all are in the same folder.
std::string file_name_of(const std::string& name);

}  // namespace cutset::cli
