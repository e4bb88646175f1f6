// SPDX-License-Identifier: Apache-2.0
// Fuzzes the import of ONNX models. A case changes some fields of a model of ONNX's backend node tests, or of
// a model with functions, imports it, and compiles its graph. The import may accept or refuse the model, but
// must not crash.
#include <cutset/onnx.h>
#include <cutset/session.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>

#include "frontends/onnx/import/model/tensor_proto.h"
#include "frontends/onnx/import/test/model_bytes.h"
#include "tests/fuzz/driver.h"
#include "tests/fuzz/wire.h"

namespace cutset {
namespace {

struct Seed {
  std::vector<fuzz::WireField> fields;
  onnx::ImportOptions options;  // the inputs of the case, of which some decide shapes
};
std::vector<Seed> models;

std::vector<unsigned char> read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
std::span<const unsigned char> span_of(const std::string& bytes) {
  return {reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()};
}

// A function with an attribute and a body, which calls another function. The node tests have no functions.
std::string model_with_functions() {
  using onnx::attribute, onnx::graph, onnx::node, onnx::value;
  using onnx::Message;
  const auto call = [](const char* name, const std::vector<std::string>& inputs, const char* output) {
    return node(name, inputs, output).text(7, "own");
  };
  const Message sharp = Message().text(1, "alpha").text(21, "slope").number(20, 1);
  const Message then = graph({call("twice", {"a"}, "r")}, {}, {value("r")});
  const Message otherwise = graph({node("LeakyRelu", {"a"}, "r").nested(5, sharp)}, {}, {value("r")});
  const Message choice = node("If", {"c"}, "b")
                             .nested(5, attribute("then_branch", then))
                             .nested(5, attribute("else_branch", otherwise));
  const Message choose =
      Message().text(1, "choose").text(4, "c").text(4, "a").text(5, "b").text(6, "slope").text(10, "own");
  const Message twice = Message().text(1, "twice").text(4, "a").text(5, "b").text(10, "own");
  return onnx::model({call("choose", {"yes", "x"}, "h").nested(5, attribute("slope", 0.5f)),
                      call("choose", {"no", "h"}, "y")},
                     {onnx::truth("yes", true), onnx::truth("no", false)}, value("x", {2}))
      .nested(25, Message(choose).nested(7, choice))
      .nested(25, Message(twice).nested(7, node("Add", {"a", "a"}, "b")))
      .bytes;
}

void read_models(const std::string&) {
  std::vector<std::filesystem::path> paths;
  for (const auto& folder : std::filesystem::directory_iterator(CUTSET_ONNX_CASES))
    if (std::filesystem::exists(folder.path() / "model.onnx")) paths.push_back(folder.path() / "model.onnx");
  std::sort(paths.begin(), paths.end());  // so that a seed is one case on all machines
  for (const auto& path : paths) {
    const std::vector<unsigned char> bytes = read(path);
    Seed seed;
    if (!fuzz::read_fields({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, seed.fields))
      continue;
    const std::vector<std::string> names = onnx::input_names(bytes);
    for (size_t i = 0; i < names.size(); ++i) {
      const std::string name = "input_" + std::to_string(i) + ".pb";
      if (const auto input = path.parent_path() / name; std::filesystem::exists(input)) {
        const HostTensor value = onnx::parse_tensor(read(input), name);
        seed.options.known.emplace(names[i], value);
      }
    }
    models.push_back(std::move(seed));
  }
  // A tenth of all cases change the model with functions.
  Seed with_functions;
  if (!fuzz::read_fields(model_with_functions(), with_functions.fields)) std::abort();
  for (size_t i = models.size() / 9; i > 0; --i) models.push_back(with_functions);
  if (models.empty()) {
    std::fprintf(stderr, "there are no models in %s; build the target cutset_onnx_cases\n",
                 CUTSET_ONNX_CASES);
    std::exit(2);
  }
}

std::string run_case(uint64_t seed, const std::string&, bool verbose) {
  PhiloxSequence random(seed, 3);
  const Seed& from = models[random.below(models.size())];
  const Seed& other = models[random.below(models.size())];
  std::vector<fuzz::WireField> fields = from.fields;
  for (uint64_t changes = 1 + random.below(4); changes > 0; --changes)
    fuzz::mutate(fields, other.fields, random);
  const std::string bytes = fuzz::bytes_of(fields);
  try {
    onnx::Model made = onnx::import_model(span_of(bytes), from.options);
    int64_t elements = 0;
    for (const auto& [name, type] : made.graph.inputs()) elements += type.elements();
    if (elements > int64_t{1} << 20) return "imported, too large to compile here";
    compile(made.graph, {.devices = "reference:0", .threads = 1});
  } catch (const Error& e) {
    if (verbose) std::fprintf(stderr, "%s\n", e.what());
    return e.code() == ErrorCode::kInvalidData   ? "invalid"
           : e.code() == ErrorCode::kUnsupported ? "unsupported"
                                                 : "refused";
  }
  return "compiled";
}

}  // namespace
}  // namespace cutset

int main(int argc, char** argv) {
  using namespace cutset;
  return fuzz::drive(argc, argv, {"onnx", {}, read_models, run_case});
}
