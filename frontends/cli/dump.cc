#include <memory>

#include "frontends/cli/options.h"
#include "frontends/cpp/graph_state.h"

namespace cutset::cli {

void add_dump(CLI::App& app) {
  struct Options {
    CommonOptions common;
    std::string to = "lower", output = "-";
  };
  auto o = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("dump", "print a model after any phase of its compilation, as MLIR; --dot draws it");
  o->common.add_to(*command);
  command->add_option("--to,--compile-to", o->to, "import, differentiate, split, place, cut, communicate or lower")
      ->check(CLI::IsMember({"import", "differentiate", "split", "place", "cut", "communicate", "lower"}))
      ->capture_default_str();
  command->add_option("-o,--output", o->output, "file for the MLIR; - is standard output")->capture_default_str();
  command->callback([o] {
    const CommonOptions& c = o->common;
    Graph graph = models::find(c.model).build({c.batch, c.seed, {}});
    const CompileOptions options = c.compile_options(c.devices.front());
    CompileRequest r;
    r.devices = {options.devices,      options.threads, options.simulation_seed, options.device_file, true,
                 options.deterministic};
    r.strategy = options.strategy, r.parts = options.deterministic ? kDeterministicParts : 0, r.plan = options.plan,
    r.dump_directory = options.dump_directory, r.f64 = options.f64, r.compile_to = o->to;
    CompileResult result = check(graph.state()->builder->compile(r));
    for (const std::string& topic : c.log)
      std::fputs((topic == "place" ? result.placement_log : result.kernel_log).c_str(), stderr);
    write_text(o->output, result.text);
    if (!c.dot.empty()) write_picture(c.dot, c.dot_level == "op" ? result.dot_ops : result.dot_layers);
  });
}

}  // namespace cutset::cli
