// SPDX-License-Identifier: Apache-2.0
// cutset-opt runs passes on MLIR text, as mlir-opt does. Texts on which MLIR's parser would crash are refused
// before they are parsed.
//
//   cutset-opt program.mlir --devices=reference:0,sim:0 --strategy="data(2)" --split --place
//
// The values of the flags that are not passes are members of one CompileConfig, which all passes read.
#include <deque>

#include "frontends/cpp/session/configure.h"
#include "ir/dialect/dialect.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "passes/pipeline.h"
#include "passes/support/check/check_text.h"
#include "runtime/device/op_libraries.h"

namespace {

namespace cl = llvm::cl;
using namespace cutset;

struct Flags {
  cl::opt<std::string> devices{"devices", cl::desc("the devices of the program: cpu:0,opencl:0"),
                               cl::init("reference:0")};
  cl::opt<std::string> strategy{"strategy", cl::desc("the strategy: data(2, shares=5:2) * model")};
  cl::opt<std::string> inputs{
      "inputs",
      cl::desc("shapes of inputs, in place of the shapes of the program: name=AxBxC, separated by ';'")};
  cl::opt<std::string> function{"function", cl::desc("compile only this function")};
  cl::opt<bool> f64{"f64", cl::desc("compute in f64 instead of f32")};
  cl::opt<int64_t> shards{"shards",
                          cl::desc("divide the batch into this many shards; 0: one shard per replica")};
  // The options of kNumberOptions and kFlagOptions, in their order, and their names.
  std::deque<std::string> names;
  std::deque<cl::opt<int64_t>> numbers;
  std::deque<cl::opt<bool>> switches;

  Flags() {
    for (const NumberOption& o : kNumberOptions)
      numbers.emplace_back(llvm::StringRef(names.emplace_back(name_of(o))), cl::desc(o.help),
                           cl::init(CompileOptions().*o.given));
    for (const FlagOption& o : kFlagOptions)
      switches.emplace_back(llvm::StringRef(names.emplace_back(name_of(o))), cl::desc(o.help));
  }
};

// Parses shapes such as "image=61x1x28x28;label=61".
Result<std::map<std::string, Shape>> parse_shapes(llvm::StringRef text) {
  std::map<std::string, Shape> shapes;
  llvm::SmallVector<llvm::StringRef> items, sizes;
  text.split(items, ';', -1, false);
  for (llvm::StringRef item : items) {
    auto [name, list] = item.split('=');
    Shape& shape = shapes[name.str()];
    sizes.clear();
    list.split(sizes, 'x', -1, false);
    for (llvm::StringRef size : sizes) {
      int64_t v;
      if (size.getAsInteger(10, v) || v < 0)
        return invalid_argument("'" + size.str() + "' of input '" + name.str() + "' is not a size");
      shape.push_back(v);
    }
  }
  return shapes;
}

Result<CompileConfig> read_config(const Flags& flags) {
  CompileOptions options{.devices = flags.devices, .strategy = flags.strategy, .f64 = flags.f64};
  auto number = flags.numbers.begin();
  for (const NumberOption& o : kNumberOptions) options.*o.given = *number++;
  auto flag = flags.switches.begin();
  for (const FlagOption& o : kFlagOptions) options.*o.given = *flag++ ? !o.initial : o.initial;
  CUTSET_ASSIGN(CompileConfig config, configure_described(options));
  CUTSET_TRY(load_compilers_of_op_libraries());
  config.function = flags.function;
  config.shards = flags.shards;
  CUTSET_ASSIGN(config.input_shapes, parse_shapes(flags.inputs));
  return config;
}

}  // namespace

int main(int argc, char** argv) {
  llvm::InitLLVM initialised(argc, argv);
  mlir::DialectRegistry registry;
  registry.insert<ir::CutsetDialect, mlir::func::FuncDialect>();
  Flags flags;
  CompileConfig
      compile_config;  // the passes refer to this object; its members are set below, before a pass runs
  passes::register_passes(compile_config);
  const auto [input, output] = mlir::registerAndParseCLIOptions(argc, argv, "cutset-opt\n", registry);
  const auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  auto fail = [](const std::string& message) {
    llvm::errs() << "cutset-opt: error: " << message << "\n";
    return EXIT_FAILURE;
  };
  if (config.shouldShowDialects() || config.shouldListPasses())
    return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, input, output, registry));
  auto read = read_config(flags);
  if (!read) return fail(read.error().text());
  compile_config = *std::move(read);
  std::string message;
  auto file = mlir::openInputFile(input, &message);
  if (!file) return fail(message);
  if (Status ok = passes::check_text({file->getBufferStart(), file->getBufferSize()}); !ok)
    return fail(input + ": " + ok.error().text());
  auto out = mlir::openOutputFile(output, &message);
  if (!out) return fail(message);
  if (failed(mlir::MlirOptMain(out->os(), std::move(file), registry, config))) return EXIT_FAILURE;
  out->keep();
  return EXIT_SUCCESS;
}
