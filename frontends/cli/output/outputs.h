// SPDX-License-Identifier: Apache-2.0
// Writes the results of commands to files and to standard output. The files are checked before a command
// starts its work.
#pragma once
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace cutset::cli {

// The files and folders that a command will write, its outputs, and the files that it reads, its inputs. Add
// the inputs first. Each output is checked when it is added, so that the command does not compute a result
// that it cannot write, and does not replace an input. The functions throw a cutset::Error that names the
// option if a file cannot be written, if the command reads the file, or if two options name the same file.
class OutputFiles {
 public:
  // Adds a file that the command reads. `what` names it in errors: "the model", or an option such as
  // "--init". An empty path means that there is none. If there is no file at the path, the call has no
  // effect, because the reader of the file reports the error.
  void reads(const std::string& what, const std::string& path);
  // Adds the files in a folder and below it whose names end in one of `endings`, in upper or lower case. An
  // empty path means that there is no folder. `endings` are in lower case.
  void reads_folder(const std::string& what, const std::string& path, std::vector<std::string> endings);
  // Adds files in the folder `path` or below it that the command reads. `list` is called only if an output
  // would replace a file there.
  void reads_listed(const std::string& what, const std::string& path,
                    std::function<std::vector<std::string>()> list);

  // Adds an output. An empty path means that the option is not given. With `or_stdout`, "-" is standard
  // output.
  void file(const std::string& option, const std::string& path, bool or_stdout = false);
  // Adds a drawing, which write_picture() writes as DOT and as SVG.
  void picture(const std::string& option, const std::string& path);
  // Adds a folder, and creates it if it does not exist.
  void folder(const std::string& option, const std::string& path);

 private:
  struct Folder {
    std::string what, path;
    std::vector<std::string> endings;
  };

  struct Listed {
    std::string what, path;
    std::function<std::vector<std::string>()> list;
  };

  // Returns what the command reads in a file, or an empty text if it does not read the file. The path is
  // canonical.
  std::string reading(const std::string& file);

  std::map<std::string, std::string> read_;  // what the command reads in the file, by canonical path
  std::vector<Folder> read_folders_;         // the paths are canonical
  std::vector<Listed> listed_;  // lists whose function has not been called; the paths are canonical
  std::set<std::string> seen_;
};

// Writes `text` to a file, or to standard output if `path` is "-". Throws a cutset::Error if it cannot be
// written.
void write_text(const std::string& path, const std::string& text);
// Writes JSON in ASCII with one value per line. Other characters, and bytes that are not UTF-8, are escaped.
void write_json(const std::string& path, const nlohmann::json& value);
// Writes a drawing as DOT. If Graphviz is installed, and `path` is not a device or a pipe, also writes it as
// SVG in the same folder: g.svg for g.dot. Throws a cutset::Error if one of the files cannot be written.
void write_picture(const std::string& path, const std::string& dot);

// Returns the name of the file of run `run`, counted from 0: g.1.dot, g.2.dot and so on for g.dot. If there
// is only one run, the name is `path`.
std::string of_run(const std::string& path, size_t run, size_t runs);

// Turns a name from a program into the name of a file. All characters except ASCII letters, digits, "_", "-"
// and "." become %XX, and so does "." at the beginning. Different names give different files, which are all
// in the same folder.
std::string file_name_of(const std::string& name);

}  // namespace cutset::cli
