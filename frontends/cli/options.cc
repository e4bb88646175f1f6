#include "frontends/cli/options.h"

#include <charconv>
#include <cmath>

#include "frontends/cli/terminal.h"
#include "frontends/cpp/compilation.h"
#include "runtime/files.h"

namespace cutset::cli {

CLI::Validator path_name() {
  return {[](std::string& text) { return text.empty() ? std::string("needs a name, not an empty text") : ""; }, "PATH"};
}
CLI::Validator whole_number() {
  return {[](std::string& text) {
            uint64_t value = 0;
            const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
            const bool good = parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
            return good ? std::string() : "'" + text + "' is not a whole number from 0 to 18446744073709551615";
          },
          "0.."};
}
CLI::Validator number_between(double least, double most) {
  return {[=](std::string& text) {
            double value = NAN;
            const bool number = CLI::detail::lexical_cast(text, value) && std::isfinite(value);
            if (number && value >= least && value <= most) return std::string();
            return "'" + text + "' is not a number from " + CLI::detail::to_string(least) + " to " +
                   CLI::detail::to_string(most);
          },
          ""};
}

void CommonOptions::add_to(CLI::App& app, const Uses& uses) {
  app.add_option("model", model, "built-in model: lenet, lenet-smooth, mlp")->required();
  CLI::Option* option =
      app.add_option("--devices", devices,
                     uses.several_devices ? "devices of a run, as cpu:0,opencl:0; give it again to compare runs"
                                          : "devices of the program, as cpu:0,opencl:0")
          ->capture_default_str();
  if (uses.several_devices)
    option->take_all();
  else
    option->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::Throw);
  app.add_option(
      "--strategy", strategy,
      "one_device, model (the graph is split over the devices), data(N) (the batch is), or a product: data(2) * model");
  app.add_flag("--deterministic", deterministic, "the same bits for any number of threads and of replicas of one kind");
  app.add_option("--plan", plan, "a plan, which says where ops and variables go; cutset plan writes one")
      ->check(path_name());
  app.add_option("--device-file", device_file, "JSON file of numbers of devices, for the planner")
      ->check(path_name())
      ->envname("CUTSET_DEVICE_FILE");
  app.add_option("--dump-dir", dump_directory, "write every phase of the compilation there, as MLIR and DOT")
      ->check(path_name())
      ->envname("CUTSET_DUMP");
  app.add_option("--dtype", dtype, "f32, or f64 on reference and sim")
      ->check(CLI::IsMember({"f32", "f64"}))
      ->capture_default_str();
  app.add_option("--threads", threads, "of each CPU device; default: the cores divided by the CPU devices")
      ->check(CLI::Range(1, 1024));
  app.add_option("--seed", seed, "of initial values and the order of samples")
      ->check(whole_number())
      ->capture_default_str();
  app.add_option("--simulation-seed", simulation_seed, "shuffles the queues of sim devices")
      ->check(whole_number())
      ->capture_default_str();
  app.add_option("--bucket-bytes", bucket_bytes, "of gradients that replicas sum together; 0: each by itself")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 40))
      ->capture_default_str();
  app.add_option("--batch", batch, "samples of a step")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 20))
      ->capture_default_str();
  app.add_option("--learning-rate", learning_rate, "of SGD")->check(number_between(0, 1e38))->capture_default_str();
  app.add_option("--momentum", momentum, "of SGD")->check(number_between(0, 1e38))->capture_default_str();
  if (uses.log)
    app.add_option("--log", log, "print what was decided: place (devices and reasons), dispatch (kernels and refusals)")
        ->delimiter(',')
        ->check(CLI::IsMember({"place", "dispatch"}))
        ->envname("CUTSET_LOG");
  if (uses.picture) {
    app.add_option("--dot", dot, "write the partitioned graph there, as DOT and, with Graphviz, SVG")
        ->check(path_name())
        ->check([](const std::string& path) {
          return path.ends_with(".svg") ? "names the DOT file, and '" + path + "' would be its SVG" : std::string();
        });
    app.add_option("--dot-level", dot_level, "of the picture: op, or one node a layer")
        ->check(CLI::IsMember({"op", "layer"}))
        ->capture_default_str();
  }
  if (uses.json)
    app.add_option("--json", json, "write the results there as JSON; - is standard output")->check(path_name());
}

Graph CommonOptions::graph() const { return models::find(model).build({batch, seed, {learning_rate, momentum}}); }

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

void note_missing(const std::string& path, const std::vector<std::string>& names) {
  if (names.empty()) return;
  std::fprintf(stderr, "note: '%s' does not name %zu of the variables, '%s' first; they keep their first values\n",
               printable(path).c_str(), names.size(), printable(names.front()).c_str());
}

void CommonOptions::check_devices() const {
  for (const std::string& run : devices) check(describe_devices(check(request_of(compile_options(run))).devices));
}

}  // namespace cutset::cli
