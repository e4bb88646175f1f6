#include "frontends/cli/options.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "frontends/cli/terminal.h"
#include "frontends/cpp/configure.h"
#include "frontends/cpp/failure.h"
#include "graph/plan.h"
#include "runtime/files/files.h"

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
            // A number that is too small for a double is out of range, and not 0. Hexadecimal digits are no
            // number.
            double value = NAN;
            const char *begin = text.data() + (text.starts_with('+') ? 1 : 0), *end = text.data() + text.size();
            const auto parsed = std::from_chars(begin, end, value);
            const bool number = parsed.ec == std::errc() && parsed.ptr == end && std::isfinite(value);
            if (number && value >= least && value <= most) return std::string();
            return "'" + text + "' is not a number from " + CLI::detail::to_string(least) + " to " +
                   CLI::detail::to_string(most);
          },
          ""};
}

void CommonOptions::add_to(CLI::App& app, const Uses& uses) {
  app.add_option("model", model, "built-in model: " + models::names() + "; or FILE.onnx")->required();
  CLI::Option* option =
      app.add_option("--devices", devices,
                     uses.several_devices ? "the devices of a run: cpu:0,opencl:0; repeat the option to compare runs"
                                          : "the devices of the program: cpu:0,opencl:0")
          ->capture_default_str();
  if (uses.several_devices)
    option->take_all();
  else
    option->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::Throw);
  app.add_option(
      "--strategy", compile.strategy,
      "one_device, model (divide the graph over the devices), data(N) (divide the batch over N replicas; with "
      "data(N, shard=optimizer), shard=gradients or shard=parameters also the variables), "
      "mirrored (one replica per device), pipeline(N, micro_batches=M, schedule=1f1b) (divide the graph into stages on "
      "N devices and the batch into M micro-batches; schedule=interleaved takes chunks=V, the stages per "
      "device; recompute=true keeps the inputs of each stage instead of its activations, and recompute=0:2 those of "
      "the stages 0 and 2), tensor(N) (divide operands "
      "over N devices), or a product: data(2) * model, "
      "data(2) * pipeline(2, micro_batches=4), data(2) * tensor(2); default: model for several devices");
  app.add_flag(
      "--deterministic", compile.deterministic,
      "make results bitwise equal for any number of threads; on devices of one kind, also for any number of replicas");
  app.add_flag_callback(
      "--no-fuse", [this] { compile.fuse = false; },
      "run a kernel per op, also where a device computes several ops in one kernel");
  app.add_option("--plan", plan,
                 "file with the devices of ops and variables and the schedule of a pipeline, as cutset plan writes it")
      ->check(path_name());
  app.add_option("--device-file", compile.device_file, kDeviceFileHelp)
      ->check(path_name())
      ->envname("CUTSET_DEVICE_FILE");
  app.add_option("--dump-dir", compile.dump_directory,
                 "folder for the program after every phase, as MLIR and DOT, and for its plan")
      ->check(path_name())
      ->envname("CUTSET_DUMP");
  app.add_option(
         "--dtype", dtype,
         "the type of floating-point numbers: f32, or f64 on the devices that compute with it: reference, sim and cpu")
      ->transform(CLI::IsMember({"f32", "f64"}, CLI::ignore_case))
      ->capture_default_str();
  app.add_option("--threads", compile.threads,
                 "threads per CPU device; default: the cores divided by the number of CPU devices")
      ->check(CLI::Range(1, 1024));
  app.add_option("--seed", seed, "seed of the initial values and of the order of samples")
      ->check(whole_number())
      ->capture_default_str();
  app.add_option("--simulation-seed", compile.simulation_seed,
                 "seed of the order in which sim devices run their queues")
      ->check(whole_number())
      ->capture_default_str();
  for (const NumberOption& o : kNumberOptions)
    app.add_option("--" + std::string(o.flag), compile.*o.given, o.help)
        ->check(CLI::Range(o.least, o.most))
        ->capture_default_str();
  batch_option = app.add_option("--batch", batch,
                                "samples per step; of an ONNX model, the first size of each input that leaves it open")
                     ->check(CLI::Range(int64_t{1}, int64_t{1} << 20))
                     ->capture_default_str();
  sizes.add_to(app);
  known.add_to(app);
  onnx_loss.add_to(app);
  loss.add_to(app);
  app.add_option(
         "--dropout", dropout,
         "the probability of the dropout layers of a built-in model; 0 leaves them out; default: that of the model")
      ->check(number_between(0, 0.999));
  CLI::Option* frozen = app.add_option("--freeze", freeze,
                                       "variables that training leaves as they are: NAME,NAME; layer1 stands for all "
                                       "whose names begin with 'layer1.'; running statistics still move")
                            ->delimiter(',')
                            ->allow_extra_args(false);
  app.add_option("--freeze-except", freeze_except,
                 "train these variables only: NAME,NAME; fc stands for fc.weight and fc.bias")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->excludes(frozen);
  optimizer.add_to(app);
  if (uses.log)
    app.add_option("--log", log,
                   "print the decisions of the compiler: place (devices and reasons), dispatch (kernels and refusals)")
        ->delimiter(',')
        ->check(CLI::IsMember({"place", "dispatch"}))
        ->envname("CUTSET_LOG");
  if (uses.picture) {
    app.add_option(
           "--dot", dot,
           "file for a drawing of the partitioned graph as DOT, and as SVG if Graphviz is installed and draws it in "
           "60 seconds, or those of the environment variable CUTSET_GRAPHVIZ_SECONDS")
        ->check(path_name())
        ->check([](const std::string& path) {
          return path.ends_with(".svg")
                     ? "'" + path + "' ends in .svg; the option names the DOT file, and the SVG is written beside it"
                     : std::string();
        });
    app.add_option("--dot-level", dot_level, "one node per op, or one node per layer")
        ->check(CLI::IsMember({"op", "layer"}))
        ->capture_default_str();
  }
  if (uses.json)
    app.add_option("--json", json, "file for the results as JSON; - is standard output")->check(path_name());
}

void CommonOptions::add_inputs(OutputFiles& outputs) const {
  add_model(outputs, model);
  outputs.reads("--plan", plan);
  outputs.reads("--device-file", compile.device_file);
  known.add_inputs(outputs);
  loss.add_inputs(outputs);
}

void add_dump_folder(OutputFiles& outputs, const std::string& folder) {
  outputs.folder("--dump-dir", folder);
  if (!folder.empty()) outputs.file("--dump-dir", folder + "/plan.txt");  // which --plan may name
}

Graph CommonOptions::graph(const data::Dataset* training, std::vector<std::string>* notes) const {
  Graph g = graph_before_freezing(training, notes);
  try {
    if (!freeze.empty()) g.freeze(freeze);
    if (!freeze_except.empty()) g.freeze_except(freeze_except);
  } catch (const Error& e) {
    raise_without_line(e, freeze.empty() ? "--freeze-except: " : "--freeze: ");
  }
  optimizer.apply(g, !is_onnx(model));
  return g;
}

Graph CommonOptions::graph_before_freezing(const data::Dataset* training, std::vector<std::string>* notes) const {
  if (!is_onnx(model)) {
    if (std::ranges::none_of(models::all(), [&](const models::Model& m) { return m.name == model; }))
      raise(invalid_argument(
          "'" + model + "' is neither a built-in model nor an ONNX file, whose name ends in .onnx",
          "export a model of PyTorch with torch.onnx.export; the built-in models are " + models::names()));
    if (!known.given.empty()) raise(invalid_argument("--known is for ONNX models"));
    if (known.hard_links) raise(invalid_argument("--hard-links is for ONNX models"));
    if (onnx_loss.given())
      raise(
          invalid_argument("--loss, --result and --class-axis are for ONNX models; a built-in model has its own loss"));
    return models::find(model).build({.batch = batch,
                                      .seed = seed,
                                      .other = optimizer.chosen(),
                                      .sizes = sizes.by_name(),
                                      .dropout = dropout,
                                      .loss = loss.read()});
  }
  if (dropout) raise(invalid_argument("--dropout is for built-in models"));
  onnx_loss.check_use();
  if (loss.given() && onnx_loss.loss != "cross_entropy")
    raise(invalid_argument("--ignore-index, --class-weights and --label-smoothing are for a cross entropy",
                           "give --loss cross_entropy, or leave them out"));
  const Batch sample = training ? *training->batch(1).begin() : Batch();
  std::map<std::string, Shape> shapes;
  for (const auto& [name, value] : sample) {
    Shape& shape = shapes[name] = value.type().shape;
    shape[0] = batch;
  }
  if (!onnx_loss.loss.empty()) shapes.erase("label");  // it is an input of the loss, and not of the model
  const onnx::Model made = read_onnx(model, batch, sizes, known, std::move(shapes), onnx_loss.loss.empty());
  if (!sample.empty() || (batch_option && batch_option->count() > 0)) check_batch(made, sample, batch, sizes);
  if (notes) *notes = made.training_notes;
  if (onnx_loss.loss.empty()) return made.graph;
  std::optional<TensorType> label;
  if (training) {
    if (!sample.contains("label"))
      raise(invalid_argument("the samples have no 'label'", "give --samples label=FILE.npy"));
    label = sample.at("label").type();
    label->shape[0] = batch;
  }
  return onnx_loss.graph(made, label, optimizer.chosen(), loss.read());
}

CompileOptions CommonOptions::compile_options(const std::string& on) const {
  CompileOptions o = compile;
  o.devices = on;
  if (!plan.empty()) {
    o.plan = check(read_file(plan, uint64_t{1} << 28));
    if (const auto parsed = parse_plan(*o.plan); !parsed.ok()) {
      Failure malformed = parsed.error();  // at "plan:LINE:COLUMN"
      malformed.where.replace(0, std::string_view("plan").size(), plan);
      raise(malformed);
    }
  }
  o.f64 = dtype == "f64", o.on_note = print_note;
  return o;
}

void CommonOptions::check_devices() const {
  for (const std::string& run : devices) check(configure(compile_options(run)));
}

}  // namespace cutset::cli
