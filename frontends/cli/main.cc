// SPDX-License-Identifier: Apache-2.0
// The command cutset, a thin layer over the public API. Exit codes: 0: success; 1: failure; 2: invalid usage;
// 128 + N: signal N stopped the command, which saved and printed its results first.
#include <fcntl.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <new>
#include <set>

#include "frontends/cli/commands/commands.h"
#include "frontends/cli/options/help.h"
#include "frontends/cli/options/unknown_argument.h"
#include "frontends/cli/output/terminal.h"
#include "frontends/cli/train/signals.h"
#include "ir/core/names.h"
#include "ir/core/result.h"
#include "runtime/device/backend_library.h"

extern char** environ;

namespace {

using cutset::cli::printable;

void warn_of_unknown_variables() {
  const std::set<std::string> of_cutset = {
      "CUTSET_DUMP",         "CUTSET_DATA",     "CUTSET_LOG",          "CUTSET_DEVICE_FILE",
      "CUTSET_BACKEND_PATH", "CUTSET_VERDICTS", "CUTSET_OP_LIBRARIES", "CUTSET_GRAPHVIZ_SECONDS"};
  // A backend reads variables whose names begin with the kind of its devices.
  const auto backends = cutset::find_backends();
  const auto belongs_to_a_backend = [&](const std::string& name) {
    for (const auto& [kind, file] : backends) {
      std::string prefix = kind;
      std::transform(prefix.begin(), prefix.end(), prefix.begin(),
                     [](unsigned char c) { return std::toupper(c); });
      if (name.rfind("CUTSET_" + prefix, 0) == 0) return true;
    }
    return false;
  };
  for (char** e = environ; *e; ++e) {
    const std::string entry = *e, name = entry.substr(0, entry.find('='));
    if (name.rfind("CUTSET_", 0) == 0 && !of_cutset.contains(name) && !belongs_to_a_backend(name))
      std::fprintf(stderr, "cutset: warning: the environment variable %s is not known to Cutset\n",
                   printable(name).c_str());
  }
}

// Opens /dev/null for each standard stream that is closed. Otherwise the next file that is opened would get
// the number of that stream, and printed text would be written to the file. /dev/null is opened in the
// opposite direction (standard input for writing, the others for reading), so that using the stream still
// returns an error.
void occupy_standard_streams() {
  for (int fd : {0, 1, 2})
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd) return;
}

int fail(const std::string& what, int code) {
  std::fprintf(stderr, "cutset: error: %s\n", printable(what).c_str());
  return code;
}

// Returns the full name of a command: "cutset solve memory".
std::string name_of(const CLI::App& command) {
  const CLI::App* const parent = command.get_parent();
  return (parent ? name_of(*parent) + " " : "") + command.get_name();
}

// Throws kInvalidArgument if `argument` is neither the name of a command of `app` nor an option of it. The
// error of the parser would not name the argument.
void check_command(const CLI::App& app, const std::string& argument) {
  if (argument.starts_with('-')) {
    if (app.get_option_no_throw(argument.substr(0, argument.find('=')))) return;
    throw cutset::Error(cutset::ErrorCode::kInvalidArgument,
                        "there is no option '" + argument + "' before a command", "",
                        "the options of a command follow its name; see " + name_of(app) + " --help");
  }
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    if (command->get_name() == argument) return;
    names.push_back(command->get_name());
  }
  throw cutset::Error(cutset::ErrorCode::kInvalidArgument,
                      "there is no command '" + name_of(app) + " " + argument + "'", "",
                      "the commands are " + cutset::list_and_nearest(argument, names));
}

// Returns the command that the arguments name, or `app` if they name none. Throws as check_command() if
// another text is at the position of a command.
const CLI::App& command_of(const CLI::App& app, int argc, char** argv) {
  const CLI::App* at = &app;
  for (int i = 1; i < argc && !at->get_subcommands(nullptr).empty(); ++i) {
    check_command(*at, argv[i]);
    const auto commands =
        at->get_subcommands([&](const CLI::App* sub) { return sub->get_name() == argv[i]; });
    if (commands.empty()) break;
    at = commands.front();
  }
  return *at;
}

// Returns the text of the error. It differs from the parser's text in two cases:
// - If an option is given too often, the parser says "--x: At Most 1 required but received 2". The text says
//   "--x is given twice".
// - The parser lists all unknown arguments, the last argument first. The text names only the first argument.
std::string text_of(const CLI::ParseError& error, const CLI::App& command, int argc, char** argv) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error))
    if (std::string unknown = cutset::cli::unknown_argument(command, {argv + 1, argv + argc});
        !unknown.empty())
      return unknown;
  const std::string text = error.what(), phrase = ": At Most 1 required but received ";
  const size_t at = text.find(phrase);
  if (at == std::string::npos) return text;
  const std::string times = text.substr(at + phrase.size());
  return text.substr(0, at) + " is given " + (times == "2" ? "twice" : times + " times");
}

int run(CLI::App& app, int argc, char** argv) {
  try {
    command_of(app, argc, argv);
    app.parse(argc, argv);
  } catch (const CLI::RuntimeError& e) {
    return e.get_exit_code();  // the command has already printed what is wrong
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);
    const CLI::App& command = command_of(app, argc, argv);
    return fail(text_of(e, command, argc, argv) + " (see " + name_of(command) + " --help)", 2);
  } catch (const cutset::cli::Stopped& stopped) {
    return 128 + stopped.signal;
  } catch (const cutset::Error& e) {
    return fail(e.what(), e.code() == cutset::ErrorCode::kInvalidArgument ? 2 : 1);
  } catch (const std::bad_alloc&) {
    return fail("there is not enough memory (use a smaller --batch)", 1);
  } catch (const std::exception& e) {
    return fail(e.what(), 1);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  occupy_standard_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // so that a write beyond the limit of file sizes returns an error
  CLI::App app("Cutset: trains one dataflow graph across heterogeneous devices", "cutset");
  app.formatter(std::make_shared<cutset::cli::HelpFormatter>());
  app.set_help_flag("-h,--help", "print this text");
  app.footer("docs/cli.md explains each option.");  // the footer of every command
  app.require_subcommand(1);
  app.set_version_flag("--version", "cutset " CUTSET_VERSION, "print the version");
  for (const cutset::cli::Command& command : cutset::cli::kCommands) command.add(app)->group(command.group);
  app.footer("cutset COMMAND --help lists the options of a command; docs/cli.md explains them.");
  warn_of_unknown_variables();
  const int code = run(app, argc, argv);
  std::cout.flush();
  if ((!std::cout || std::fflush(stdout) != 0 || std::ferror(stdout)) && code == 0)
    return fail("cannot write to standard output", 1);
  return code;
}
