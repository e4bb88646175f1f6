#include "frontends/cli/options.h"

#include <spawn.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>

#include "frontends/cpp/graph_state.h"
#include "runtime/files.h"

extern char** environ;

namespace cutset::cli {

void CommonOptions::add_to(CLI::App& app) {
  app.add_option("model", model, "built-in model: lenet, lenet-smooth, mlp")->required();
  app.add_option("--devices", devices, "devices of a run, as cpu:0,opencl:0; give it again to compare runs")
      ->capture_default_str()
      ->take_all();
  app.add_option(
      "--strategy", strategy,
      "one_device, model (the graph is split over the devices), data(N) (the batch is), or a product: data(2) * model");
  app.add_flag("--deterministic", deterministic, "the same bits for any number of threads and of replicas of one kind");
  app.add_option("--plan", plan, "a plan, which says where ops and variables go; cutset plan writes one");
  app.add_option("--device-file", device_file, "JSON file of numbers of devices, for the planner")
      ->envname("CUTSET_DEVICE_FILE");
  app.add_option("--log", log, "print what was decided: place (devices and reasons), dispatch (kernels and refusals)")
      ->delimiter(',')
      ->check(CLI::IsMember({"place", "dispatch"}))
      ->envname("CUTSET_LOG");
  app.add_option("--dump-dir", dump_directory, "write every phase of the compilation there, as MLIR and DOT")
      ->envname("CUTSET_DUMP");
  app.add_option("--dot", dot, "write the partitioned graph there, as DOT and, with Graphviz, SVG");
  app.add_option("--dot-level", dot_level, "of the picture: op, or one node a layer")
      ->check(CLI::IsMember({"op", "layer"}))
      ->capture_default_str();
  app.add_option("--json", json, "write the results there as JSON; - is standard output");
  app.add_option("--dtype", dtype, "f32, or f64 on reference and sim")
      ->check(CLI::IsMember({"f32", "f64"}))
      ->capture_default_str();
  app.add_option("--threads", threads, "of each CPU device; default: the cores divided by the CPU devices")
      ->check(CLI::Range(1, 1024));
  app.add_option("--seed", seed, "of initial values and the order of samples")->capture_default_str();
  app.add_option("--simulation-seed", simulation_seed, "shuffles the queues of sim devices")->capture_default_str();
  app.add_option("--bucket-bytes", bucket_bytes, "of gradients that replicas sum together; 0: each by itself")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 40))
      ->capture_default_str();
  app.add_option("--batch", batch, "samples of a step")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 20))
      ->capture_default_str();
}

CompileOptions CommonOptions::compile_options(const std::string& on) const {
  CompileOptions o;
  o.devices = on;
  o.strategy = strategy;
  o.threads = threads;
  o.deterministic = deterministic;
  o.bucket_bytes = bucket_bytes;
  if (!plan.empty()) o.plan = check(read_file(plan, uint64_t{1} << 26));
  o.dump_directory = dump_directory;
  o.device_file = device_file;
  o.simulation_seed = simulation_seed;
  o.f64 = dtype == "f64";
  return o;
}

void write_text(const std::string& path, const std::string& text) {
  if (path == "-")
    std::fputs(text.c_str(), stdout);
  else
    check(write_file(path, text));
}

void write_picture(const std::string& path, const std::string& dot) {
  check(write_file(path, dot));
  const std::string svg = std::filesystem::path(path).replace_extension(".svg").string();
  std::string program = "dot", format = "-Tsvg", output = "-o" + svg, input = path;
  char* arguments[] = {program.data(), format.data(), output.data(), input.data(), nullptr};
  pid_t child;
  int status = 0;
  if (posix_spawnp(&child, "dot", nullptr, nullptr, arguments, environ) != 0 || waitpid(child, &status, 0) < 0 ||
      status != 0)
    std::fprintf(stderr, "note: no %s: Graphviz's dot is not installed or failed\n", svg.c_str());
}

}  // namespace cutset::cli
