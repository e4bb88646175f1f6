// SPDX-License-Identifier: Apache-2.0
// Fuzzes the passes. A case changes words, numbers or lines of a module of the FileCheck tests and runs
// consecutive passes on it, with one of several configurations. The passes are those of the compiler, so a
// new pass is fuzzed, too. Text that would crash MLIR's parser is refused before it is parsed
// (passes/support/check/check_text.h).
#include <fstream>

#include "frontends/cpp/checks/failure.h"
#include "frontends/cpp/session/configure.h"
#include "ir/core/philox.h"
#include "ir/dialect/dialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "passes/pipeline.h"
#include "passes/support/check/check_text.h"
#include "tests/fuzz/driver.h"
#include "tests/fuzz/mutate_module.h"

namespace cutset {
namespace {

CompileConfig config(const char* devices, const std::string& strategy = "") {
  return check(configure_described({.devices = devices, .strategy = strategy, .bucket_bytes = 1000}));
}

std::vector<CompileConfig> make_configs() {
  const CompileConfig one = config("reference:0"), data = config("reference:0,sim:0", "data(2)");
  CompileConfig three_shards = data, four_shards = data, small_buckets = one, wide = one, shapes = one;
  three_shards.shards = 3;
  four_shards.shards = 4;
  small_buckets.bucket_bytes = 48;
  wide.dtype = DType::f64;
  shapes.input_shapes = {{"x", {61, 8}}, {"image", {61, 1, 8, 8}}};
  std::vector<CompileConfig> list = {one, three_shards, four_shards, small_buckets, wide, shapes};
  list.push_back(config("reference:0,sim:0"));
  list.push_back(config("reference:0", "pipeline(1, micro_batches=3)"));
  for (const char* strategy :
       {"data(2, shares=5:2)", "data(2, shares=1:1, shard=parameters)", "tensor(2)",
        "pipeline(2, micro_batches=3, schedule=zb-h1)", "pipeline(2, micro_batches=3, schedule=interleaved)",
        "pipeline(2, micro_batches=3, recompute=true)"})
    list.push_back(config("reference:0,sim:0", strategy));
  return list;
}
const std::vector<CompileConfig>& configs() {
  static const std::vector<CompileConfig> all = make_configs();
  return all;
}

// Returns consecutive passes of the compiler: one pass, a pass and all later ones, or any others.
std::vector<passes::CreatePass*> draw_passes(PhiloxSequence& random) {
  std::vector<passes::CreatePass*> list = passes::all_passes();
  list.erase(list.begin(), list.begin() + static_cast<int64_t>(random.below(list.size())));
  const uint64_t kind = random.below(3);
  if (kind) list.resize(kind == 1 ? 1 : 1 + random.below(list.size()));
  return list;
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
        if (comment && line.find("// -----") != std::string::npos && !module.empty()) {
          bases.push_back(std::move(module));
          module.clear();
        }
        if (!comment && first != std::string::npos) module += line + "\n";
      }
      if (!module.empty()) bases.push_back(module);
    }
  std::sort(bases.begin(), bases.end());  // a case must not depend on the order of files in the file system
  if (bases.empty()) {
    std::fprintf(stderr, "there is no .mlir file in %s\n", CUTSET_SOURCE);
    std::exit(1);
  }
  (void)configs();  // loads the backends before the fuzzer forks
}

std::string run_case(uint64_t seed, const std::string&, bool verbose) {
  PhiloxSequence random(seed, 3);
  const std::string text = fuzz::mutate_module(bases[random.below(bases.size())], random);
  const size_t number = random.below(configs().size());
  const std::vector<passes::CreatePass*> list = draw_passes(random);
  if (verbose) std::fprintf(stderr, "configuration %zu\n%s", number, text.c_str());
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
  for (passes::CreatePass* create : list) {
    pm.addPass(create(configs()[number]));
    if (verbose) std::fprintf(stderr, "--%s\n", std::prev(pm.end())->getArgument().str().c_str());
  }
  return failed(pm.run(*module)) ? "refused by a pass" : "ran";
}

}  // namespace
}  // namespace cutset

int main(int argc, char** argv) {
  using namespace cutset;
  return fuzz::drive(argc, argv, {"modules", {}, read_bases, run_case});
}
