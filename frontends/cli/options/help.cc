// SPDX-License-Identifier: Apache-2.0
#include "frontends/cli/options/help.h"

#include <sstream>

#include "frontends/models/models.h"

namespace cutset::cli {
namespace {

constexpr size_t kNames = 29, kCommands = 12, kColumns = 100;  // the widths of the names and of a line

// Returns a line with a name, spaces up to a column, and a text. A text that is too long continues on the
// next lines.
std::string line(const std::string& name, size_t width, const std::string& text) {
  std::string lines = "  " + name + std::string(name.size() < width ? width - name.size() : 1, ' ');
  size_t column = lines.size();
  std::istringstream words(text);
  for (std::string word; words >> word; column += 1 + word.size()) {
    if (column + 1 + word.size() > kColumns) {
      lines += "\n" + std::string(width + 2, ' ');
      column = width + 2;
    }
    lines += " " + word;
  }
  return lines + "\n";
}

// Returns the word that stands for the value of an option. CLI11 describes a type as "INT" or, with a
// validator, as "INT:INT in [1 - 8]".
std::string placeholder(const CLI::Option& option) {
  if (option.get_type_size() == 0) return "";  // a flag
  const std::string type = option.get_type_name(), first = type.substr(0, type.find(':'));
  if (first == "TEXT") return type.ends_with(":PATH") ? " PATH" : " NAME";
  return first == "INT" || first == "UINT" ? " N" : first == "FLOAT" ? " X" : " " + first;
}

std::string names_of(const CLI::Option& option) {
  std::string names;
  for (const std::string& letter : option.get_snames()) names += (names.empty() ? "-" : ", -") + letter;
  for (const std::string& word : option.get_lnames()) names += (names.empty() ? "--" : ", --") + word;
  return names;
}

// Returns the default of an option. A list with one element is shown without brackets.
std::string default_of(const CLI::Option& option) {
  std::string text = option.get_default_str();
  if (text.empty()) return option.get_required() ? " (required)" : "";
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  return " [" + text + "]";
}

}  // namespace

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  if (is_positional) return line(option->get_name(true, false), kNames, option->get_description());
  return line(names_of(*option) + placeholder(*option), kNames,
              option->get_description() + default_of(*option));
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
  return line(command->get_name(), kCommands, command->get_description());
}

std::string HelpFormatter::make_usage(const CLI::App* app, std::string name) const {
  return CLI::Formatter::make_usage(app, std::move(name)) + "\n";
}

std::string HelpFormatter::make_group(std::string group, bool is_positional,
                                      std::vector<const CLI::Option*> options) const {
  std::string text = (is_positional ? "Arguments" : group) + ":\n";
  for (const CLI::Option* option : options) text += make_option(option, is_positional);
  return text + (is_positional ? "\n" : "");
}

std::string footer_of_models() {
  std::string text, row = "Built-in models:";
  const std::vector<std::string> names = models::names();
  for (const std::string& name : names) {
    const std::string cell = name + (&name == &names.back() ? "" : ",");
    if (row.size() + 1 + cell.size() > kColumns) text += std::exchange(row, "") + "\n";
    row += (row.empty() ? "" : " ") + cell;
  }
  return text + row;  // the footer of all commands follows
}

}  // namespace cutset::cli
