// cutset: a thin shell over the API. Exit code 0: done; 1: it failed; 2: it was asked for wrongly.
#include <cstdio>
#include <set>

#include "frontends/cli/options.h"
#include "ir/core/result.h"

extern char** environ;

namespace {

void warn_of_unknown_variables() {
  const std::set<std::string> known = {"CUTSET_DUMP", "CUTSET_DATA", "CUTSET_LOG", "CUTSET_DEVICE_FILE",
                                       "CUTSET_BACKEND_PATH"};
  for (char** e = environ; *e; ++e) {
    const std::string entry = *e, name = entry.substr(0, entry.find('='));
    if (name.rfind("CUTSET_", 0) == 0 && !known.contains(name))
      std::fprintf(stderr, "cutset: warning: the environment variable %s is not one of Cutset's\n", name.c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Cutset: one dataflow graph, trained across unlike devices", "cutset");
  app.require_subcommand(1);
  app.set_version_flag("--version", "cutset 0.1.0");
  cutset::cli::add_train(app);
  cutset::cli::add_verify(app);
  cutset::cli::add_compile(app);
  cutset::cli::add_run(app);
  cutset::cli::add_explain(app);
  cutset::cli::add_plan(app);
  cutset::cli::add_solve(app);
  cutset::cli::add_dump(app);
  cutset::cli::add_devices(app);
  cutset::cli::add_ops(app);
  warn_of_unknown_variables();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);
    std::fprintf(stderr, "cutset: error: %s (see cutset --help)\n", e.what());
    return 2;
  } catch (const cutset::Error& e) {
    std::fprintf(stderr, "cutset: error: %s\n", e.what());
    return e.code() == cutset::ErrorCode::kInvalidArgument ? 2 : 1;
  } catch (const std::exception& e) {  // out of memory, most likely
    std::fprintf(stderr, "cutset: error: %s\n", e.what());
    return 1;
  }
  return 0;
}
