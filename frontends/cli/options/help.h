// SPDX-License-Identifier: Apache-2.0
// The text of --help: one line per option, in groups. docs/cli.md explains the options at length.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

namespace cutset::cli {

// Prints the name of an option, its value, what it is for and its default in brackets, in one line.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* command) const override;
  std::string make_usage(const CLI::App* app, std::string name) const override;
  std::string make_group(std::string group, bool is_positional,
                         std::vector<const CLI::Option*> options) const override;
};

// Returns the lines below the options of a command that takes a model. They list the built-in models.
std::string footer_of_models();

}  // namespace cutset::cli
