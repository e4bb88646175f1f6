// SPDX-License-Identifier: Apache-2.0
// Fuzzes the passes. A case changes words, numbers or lines of a module of the FileCheck tests and runs one
// of several pipelines on it. Text that would crash MLIR's parser is refused before it is parsed
// (passes/support/check/check_text.h).
#include <fstream>
#include <sstream>

#include "frontends/cpp/checks/failure.h"
#include "frontends/cpp/session/configure.h"
#include "ir/core/philox.h"
#include "ir/dialect/dialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "passes/passes.h"
#include "passes/support/check/check_text.h"
#include "tests/fuzz/driver.h"

namespace cutset {
namespace {

CompileConfig config(const char* devices, const std::string& strategy = "") {
  return check(configure_described({.devices = devices, .strategy = strategy, .bucket_bytes = 1000}));
}

struct Pipeline {
  CompileConfig config;
  std::vector<passes::CreatePass*> passes;
};
std::vector<Pipeline> make_pipelines() {
  using namespace passes;
  const std::vector<CreatePass*> all = {create_make_functions,
                                        create_canonicalise,
                                        create_cse,
                                        create_differentiate,
                                        create_canonicalise,
                                        create_cse,
                                        create_split,
                                        create_place,
                                        create_cut,
                                        create_bucket_all_reduces,
                                        create_fuse,
                                        create_lower};
  const CompileConfig one = config("reference:0"), model = config("reference:0,sim:0"),
                      data = config("reference:0,sim:0", "data(2)"),
                      shares = config("reference:0,sim:0", "data(2, shares=5:2)"),
                      micro_batches = config("reference:0", "pipeline(1, micro_batches=3)"),
                      parts = config("reference:0,sim:0", "pipeline(2, micro_batches=3, schedule=zb-h1)"),
                      chunks =
                          config("reference:0,sim:0", "pipeline(2, micro_batches=3, schedule=interleaved)"),
                      again = config("reference:0,sim:0", "pipeline(2, micro_batches=3, recompute=true)");
  CompileConfig three_shards = data, four_shards = data, small_buckets = one, wide = one, shapes = one;
  three_shards.shards = 3, four_shards.shards = 4, small_buckets.bucket_bytes = 48, wide.dtype = DType::f64;
  shapes.input_shapes = {{"x", {61, 8}}, {"image", {61, 1, 8, 8}}};
  return {{one, {create_differentiate}},
          {one, {create_split}},
          {shares, {create_split}},
          {three_shards, {create_split}},
          {micro_batches, {create_split}},
          {micro_batches, {create_split, create_place, create_cut}},
          {one, {create_place}},
          {model, {create_place}},
          {one, {create_cut}},
          {small_buckets, {create_bucket_all_reduces}},
          {one, {create_lower}},
          {wide, {create_specialise}},
          {shapes, {create_specialise}},
          {one, all},
          {four_shards, all},
          {micro_batches, all},
          {parts, {create_split, create_place, create_cut}},
          {chunks, {create_split, create_place, create_cut}},
          {again, {create_split, create_place, create_recompute, create_cut}},
          {again, {create_recompute}},
          {model, all}};
}
const std::vector<Pipeline>& pipelines() {
  static const std::vector<Pipeline> all = make_pipelines();
  return all;
}

std::vector<std::string> bases;

// Reads all modules of all .mlir files, without their comments.
void read_bases(const std::string&) {
  for (const char* folder : {"/passes", "/ir"})
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::string(CUTSET_SOURCE) + folder)) {
      if (entry.path().extension() != ".mlir") continue;
      std::ifstream file(entry.path());
      std::string module;
      for (std::string line; std::getline(file, line);) {
        const size_t first = line.find_first_not_of(' ');
        const bool comment = first != std::string::npos && line.compare(first, 2, "//") == 0;
        if (comment && line.find("// -----") != std::string::npos && !module.empty())
          bases.push_back(std::move(module)), module.clear();
        if (!comment && first != std::string::npos) module += line + "\n";
      }
      if (!module.empty()) bases.push_back(module);
    }
  std::sort(bases.begin(), bases.end());  // a case must not depend on the order of files in the file system
  if (bases.empty()) {
    std::fprintf(stderr, "there is no .mlir file in %s\n", CUTSET_SOURCE);
    std::exit(1);
  }
  (void)pipelines();  // loads the backends before the fuzzer forks
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; }

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (size_t at = 0; at < text.size();) {
    size_t end = at + 1;
    if (is_word(text[at]))
      while (end < text.size() && is_word(text[end])) ++end;
    words.push_back(text.substr(at, end - at)), at = end;
  }
  return words;
}
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::stringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line + "\n");
  return lines;
}
std::string joined(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& s : list) text += s;
  return text;
}

constexpr const char* kExtra[] = {"\"cpu:0\"",
                                  "\"sim:0\"",
                                  "\"reference:0\"",
                                  "-1",
                                  "0",
                                  "1",
                                  "2",
                                  "9223372036854775807",
                                  "tensor<0xf32>",
                                  "tensor<?xf32>",
                                  "tensor<*xf32>",
                                  "tensor<f32>",
                                  "tensor<4xi1>",
                                  "tensor<4xf32>",
                                  "tensor<4xf64>",
                                  "tensor<4xbf16>",
                                  "tensor<9223372036854775807xf32>",
                                  "tensor<1x1x1x1x1x1x1x1x1xf32>",
                                  "i1",
                                  "index",
                                  "none",
                                  "@w",
                                  "@nope",
                                  "@train",
                                  "id 0",
                                  "id -1",
                                  "id 3",
                                  "home []",
                                  "home [\"x\"]",
                                  "home [\"reference:0\", \"sim:0\"]",
                                  "replica 5",
                                  "replica -1",
                                  "replica 1",
                                  "because \"\"",
                                  "on \"\"",
                                  "on \"sim:0\"",
                                  "because \"user\"",
                                  "%0",
                                  "%1",
                                  "%arg0",
                                  "array<i64: -1>",
                                  "array<i64>",
                                  "array<i64: 0, 0>",
                                  "f64",
                                  "bf16",
                                  "{",
                                  "}",
                                  "true",
                                  "dense<1.0> : tensor<f32>",
                                  "dense<[]> : tensor<0xf32>",
                                  "cutset.read @w : tensor<8xf32>",
                                  "cutset.commit",
                                  "func.func private @f(tensor<4xf32>) -> tensor<4xf32>",
                                  "func.func @train()",
                                  "return",
                                  "module",
                                  "channel 0",
                                  "channel -1",
                                  "collective 0",
                                  "shards [0, 1]",
                                  "shards []",
                                  "shards [1, 0]",
                                  "rows from 3",
                                  "along 1",
                                  "along -1"};
constexpr const char* kAttributes[] = {
    "cutset.shares = array<f64: 5.0, 2.0>",
    "cutset.shares = array<f64>",
    "cutset.shares = array<f64: 0x7FF8000000000000>",
    "cutset.replicas = 0 : i64",
    "cutset.replicas = 2 : i64",
    "cutset.replicas = -5 : i64",
    "cutset.replicas = 99999999999 : i64",
    "cutset.replicas = \"2\"",
    "cutset.minimize = {op = \"sgd\", groups = [{}]}",
    "cutset.minimize = {op = \"sgd\", variables = [\"w\"], learning_rate = 0.1, momentum = 0.9}",
    "cutset.minimize = 1",
    "cutset.minimize = {}",
    "cutset.minimize = {op = \"sgd\"}",
    "cutset.minimize = {op = \"relu\"}",
    "cutset.minimize = {op = \"sgd\", learning_rate = 0.1, momentum = 2}",
    "cutset.strategy = \"\"",
    "cutset.shard_class = 1 : i64",
    "cutset.shard_classes = array<i64: 0, 1>",
    "cutset.sum_along_tree = true",
    "cutset.shards = array<i64: -1>",
    "cutset.origin = #cutset.origin<value 1, shards 0 to 1, rows 7>",
    "cutset.origin = #cutset.origin<value -1, shards 2 to 1, partial 9>",
    "cutset.origin = [#cutset.origin<value 2147483647, shards 0 to 1>]",
    "cutset.origin = 3",
    "cutset.program = \"x\"",
    "cutset.input = 3",
    "cutset.start = -1 : i64",
    "cutset.rows = 0 : i64",
    "cutset.batch_dimension = -1 : i64",
    "cutset.batch_dimension = 1 : i64",
    "cutset.batch_dimension = 63 : i64",
    "cutset.several_rows"};
constexpr const char* kNumbers[] = {"0",
                                    "1",
                                    "2",
                                    "3",
                                    "4",
                                    "5",
                                    "7",
                                    "8",
                                    "9",
                                    "-1",
                                    "1000000",
                                    "4611686018427387904",
                                    "9223372036854775807"};

template <size_t N>
const char* one_of(const char* const (&list)[N], PhiloxSequence& random) {
  return list[random.below(N)];
}

// Replaces one size or number everywhere in the module, so that the module may still pass the verifier.
std::string with_another_number(const std::string& text, PhiloxSequence& random) {
  std::vector<std::string> words = words_of(text), sizes;
  for (const std::string& w : words)
    for (size_t at = 0; at < w.size();) {
      size_t end = at;
      while (end < w.size() && std::isdigit(static_cast<unsigned char>(w[end]))) ++end;
      if (end > at && (end < w.size() ? w[end] == 'x' : at == 0)) sizes.push_back(w.substr(at, end - at));
      at = std::max(end, at + 1);
    }
  if (sizes.empty()) return text;
  const std::string from = sizes[random.below(sizes.size())], to = one_of(kNumbers, random);
  for (std::string& w : words)
    for (size_t at = w.find(from); at != std::string::npos; at = w.find(from, at + to.size())) {
      const bool digit_before = at > 0 && std::isdigit(static_cast<unsigned char>(w[at - 1]));
      const size_t end = at + from.size();
      if (!digit_before && (end == w.size() || w[end] == 'x'))
        w.replace(at, from.size(), to);
      else
        at += from.size();
      if (at >= w.size()) break;
    }
  return joined(words);
}

// Adds or removes an operand of an op and its type, so that the parser accepts the op and its rules are
// called.
std::string with_another_operand(const std::string& text, PhiloxSequence& random) {
  std::vector<std::string> lines = lines_of(text);
  std::string& line = lines[random.below(lines.size())];
  const size_t op = line.find("cutset."), types = line.rfind(" : ");
  if (op == std::string::npos || types == std::string::npos || types < op) return text;
  auto end_of = [&](size_t at) { return std::min(line.find_first_of(", \n", at), line.size()); };
  if (random.below(2)) {
    const size_t operand = line.find(", %", op), type = line.find(", ", types);
    if (operand == std::string::npos || type == std::string::npos || operand > types) return text;
    line.erase(type, end_of(type + 2) - type);
    line.erase(operand, end_of(operand + 2) - operand);
  } else {
    const size_t operand = line.find('%', op), type = types + 3;
    if (operand == std::string::npos || operand > types) return text;
    line.insert(type, line.substr(type, end_of(type) - type) + ", ");
    line.insert(operand, line.substr(operand, end_of(operand) - operand) + ", ");
  }
  return joined(lines);
}

std::string changed(std::string text, PhiloxSequence& random) {
  for (uint64_t n = 1 + random.below(4); n > 0 && !text.empty(); --n) {
    const uint64_t kind = random.below(10);
    if (kind == 9) {
      text = with_another_operand(text, random);
      continue;
    }
    if (kind == 0) {
      text = with_another_number(text, random);
      continue;
    }
    if (kind <= 2) {  // change whole lines
      std::vector<std::string> lines = lines_of(text);
      const size_t a = random.below(lines.size()), b = random.below(lines.size());
      if (random.below(3) == 0)
        lines.erase(lines.begin() + static_cast<int64_t>(a));
      else if (random.below(2))
        lines.insert(lines.begin() + static_cast<int64_t>(b), std::string(lines[a]));
      else
        std::swap(lines[a], lines[b]);
      text = joined(lines);
      continue;
    }
    std::vector<std::string> words = words_of(text);
    const size_t a = random.below(words.size());
    const auto here = words.begin() + static_cast<int64_t>(a);
    if (kind == 3)
      words[a] = one_of(kExtra, random);
    else if (kind == 4)
      words.erase(here);
    else if (kind == 5)
      words.insert(here, " " + std::string(one_of(kExtra, random)) + " ");
    else if (kind == 6)
      words[a] = std::string(words[random.below(words.size())]);
    else if (kind == 7 && text.find("module attributes {") == std::string::npos)
      words.insert(words.begin(), "module attributes {" + std::string(one_of(kAttributes, random)) + "} {\n"),
          words.push_back("}\n");
    else
      for (size_t i = a; i < words.size(); ++i)
        if (std::isdigit(static_cast<unsigned char>(words[i][0]))) {
          words[i] = one_of(kNumbers, random);
          break;
        }
    text = joined(words);
  }
  return text;
}

std::string run_case(uint64_t seed, const std::string&, bool verbose) {
  PhiloxSequence random(seed, 3);
  const std::string text = changed(bases[random.below(bases.size())], random);
  const size_t number = random.below(pipelines().size());
  if (verbose) std::fprintf(stderr, "pipeline %zu\n%s", number, text.c_str());
  if (Status ok = passes::check_text(text); !ok) return "refused before MLIR's parser";
  mlir::DialectRegistry registry;
  passes::insert_dialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic& d) {
    if (verbose) llvm::errs() << d.getLocation() << ": " << d << "\n";
    return mlir::success();
  });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, mlir::ParserConfig(&context));
  if (!module) return "refused by the parser or a verifier";
  mlir::PassManager pm(&context);
  const Pipeline& pipeline = pipelines()[number];
  for (passes::CreatePass* create : pipeline.passes) pm.addPass(create(pipeline.config));
  return failed(pm.run(*module)) ? "refused by a pass" : "ran";
}

}  // namespace
}  // namespace cutset

int main(int argc, char** argv) {
  using namespace cutset;
  return fuzz::drive(argc, argv, {"modules", {}, read_bases, run_case});
}
