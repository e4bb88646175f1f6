// SPDX-License-Identifier: Apache-2.0
// The command cutset-conformance, with which the author of a backend tests the backend. It links neither LLVM
// nor the compiler.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "frontends/cli/output/terminal.h"
#include "frontends/cli/tools/conformance.h"
#include "ir/core/error.h"

namespace {

// Loads the backend in a file, and returns the name of its first device.
std::string use_plugin(const std::string& file) {
  const std::filesystem::path path = std::filesystem::absolute(file);
  const std::string name = path.filename().string(), before = "libcutset_device_", after = ".so";
  if (name.size() <= before.size() + after.size() || name.rfind(before, 0) != 0 || path.extension() != after)
    throw CLI::ValidationError("--plugin", "the file name of a backend is libcutset_device_KIND.so, not " +
                                               cutset::cli::printable(name));
  const char* others = std::getenv("CUTSET_BACKEND_PATH");
  setenv("CUTSET_BACKEND_PATH",
         (path.parent_path().string() + (others ? std::string(":") + others : "")).c_str(), 1);
  return name.substr(before.size(), name.size() - before.size() - after.size()) + ":0";
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Compares every op of a device with the reference kernels of Cutset", "cutset-conformance");
  cutset::cli::ConformanceOptions test;
  app.add_option("--plugin", test.plugin,
                 "file of a backend: libcutset_device_KIND.so; its device KIND:0 is tested")
      ->check(CLI::ExistingFile);
  app.add_option("device", test.device, "name of the device; default: the first device of the plugin");
  app.add_option("--op", test.op, "test only this op");
  app.add_option("--random", test.random, "random problems per op, in addition to the fixed ones")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str();
  app.add_option("--seconds", test.seconds, "the longest time that one problem may take")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
  app.add_option("--json", test.json, "file for the report as JSON; - is standard output");
  try {
    app.parse(argc, argv);
    if (!test.plugin.empty()) {
      const std::string first = use_plugin(test.plugin);
      if (test.device.empty()) test.device = first;
    }
    if (test.device.empty()) throw CLI::RequiredError("the name of a device, or --plugin FILE");
    return cutset::cli::run_conformance(test) ? 0 : 1;
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "cutset-conformance: error: %s\n", cutset::cli::printable(e.what()).c_str());
    return 1;
  }
}
