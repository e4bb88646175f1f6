// SPDX-License-Identifier: Apache-2.0
// Compiles every kernel of the backend `cuda` for several architectures with NVRTC, which needs no GPU, and
// checks the report of the compiler about them:
//
//   cutset_cuda_compile_kernels [ARCHITECTURE]
//
// The problems are the fixed cases of all ops. No kernel may spill registers, use local memory or compute in
// f64. The kernels of sin, cos and tan may compute in f64, because they call functions of CUDA that do so.
// The registers of a kernel have a limit, which depends on its family (most_registers) and is the same for
// all versions of NVRTC and all architectures. The limit keeps many threads resident on a multiprocessor. The
// check does not find a kernel that becomes slower in another way, or a kernel that needs more registers than
// before but stays below its limit.
//
// With an architecture, such as sm_80, the kernels are compiled for this architecture only. Exits with 1 if a
// check fails, and with 77 if NVRTC is not installed.
//
// The program links the kernels of the backend and defines its own function `load` of backends/portable, so
// it receives the launches that a device would run.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string_view>

#include "backends/cuda/compile.h"
#include "backends/cuda/language.h"
#include "backends/cuda/library.h"
#include "backends/portable/typed_kernels.h"
#include "ir/core/op/op_info.h"

namespace cutset::portable {

// Returns the sources of the launches of all problems, each with the first op that launches it.
static std::map<std::string, const OpInfo*>& collected() {
  static std::map<std::string, const OpInfo*> all;
  return all;
}
static const OpInfo* current_op = nullptr;

std::unique_ptr<Loaded> load(cutset_device, const Launches& launches) {
  for (const Launch& l : launches.all()) collected().emplace(l.source, current_op);
  return nullptr;
}

}  // namespace cutset::portable

namespace cutset::cuda {

#define KERNELS(name) void register_##name(abi::KernelTable&);
#include "backends/cuda/kernel_list.inc"
#undef KERNELS

namespace {

constexpr const char* kArchitectures[] = {"sm_80", "sm_90", "sm_100"};

// Prepares the first kernel that supports each case of each op, as the runtime does. Returns the number of
// problems.
int collect() {
  abi::KernelTable table;
#define KERNELS(name) register_##name(table);
#include "backends/cuda/kernel_list.inc"
#undef KERNELS
  portable::add_portable_kernels(table);
  const cutset_device_info info = {.size = sizeof info};
  int problems = 0;
  for (const OpInfo* op : all_ops())
    for (const Case& c : op->cases().fixed) {
      Types in;
      for (const Operand& o : c.operands) in.push_back(o.type);
      auto attributes = FlatAttrs::pack(op->schema, c.attributes);
      if (!attributes.ok()) continue;
      auto out = op->infer(attributes->data(), in);
      if (!out.ok()) continue;
      std::vector<cutset_type> types;
      for (const Types* side : {&in, &*out})
        for (const TensorType& t : *side)
          types.push_back({sizeof(cutset_type), static_cast<int32_t>(t.dtype), static_cast<int32_t>(t.rank()),
                           t.shape.data(), nullptr});
      std::vector<const cutset_type*> pointers;
      for (const cutset_type& t : types) pointers.push_back(&t);
      const cutset_problem p = {.size = sizeof p,
                                .op = op->name,
                                .attributes = attributes->data(),
                                .in = pointers.data(),
                                .out = pointers.data() + in.size(),
                                .in_count = in.size(),
                                .out_count = out->size()};
      for (const cutset_kernel* k : table.kernels()) {
        if (std::strcmp(k->op, op->name) != 0 || k->supports(&info, &p)) continue;
        portable::current_op = op;
        cutset_plan plan = nullptr;
        uint64_t scratch = 0;
        if (const cutset_error* e = k->prepare(nullptr, &p, &plan, &scratch)) {
          if (k->may_refuse && e->code == CUTSET_UNSUPPORTED) continue;
          std::printf("%s: %s\n", op->name, e->message);
          std::exit(1);
        }
        k->release(plan);
        ++problems;
        break;
      }
    }
  return problems;
}

// The compiler's report about one kernel.
struct Usage {
  int registers = 0;
  bool local = false, spills = false;
};

struct Compiled {
  bool ok = false;
  std::string log, assembly;
};
// Reads a text of the compiler with the two functions for its size and its characters.
template <class Size, class Text>
std::string read_text(SourceProgram program, Size size_of, Text text_of) {
  size_t size = 0;
  if (size_of(program, &size) != 0) return "";
  std::string text(size, '\0');
  return text_of(program, text.data()) == 0 ? text : "";
}
Compiled compile_with_report(const std::string& source, const std::string& architecture) {
  SourceProgram program = nullptr;
  check_compiler(compiler().create(&program, source.c_str(), "cutset.cu", 0, nullptr, nullptr),
                 "nvrtcCreateProgram");
  std::vector<std::string> texts = compiler_options(architecture);
  texts.push_back("--ptxas-options=-v");
  std::vector<const char*> options;
  for (const std::string& text : texts) options.push_back(text.c_str());
  Compiled done{.ok = compiler().compile(program, static_cast<int>(options.size()), options.data()) == 0};
  done.log = read_text(program, compiler().log_size, compiler().log);
  if (done.ok) done.assembly = read_text(program, compiler().assembly_size, compiler().assembly);
  compiler().release(&program);
  return done;
}

// A multiprocessor has 65536 registers and holds at most 2048 threads, in blocks of kThreads (CUDA C++
// Programming Guide, "Technical Specifications per Compute Capability"). Returns the largest number of
// registers per thread that a kernel of the op may use:
// - 32 for an elementwise op: it waits for memory, so all 2048 threads are to be resident.
// - 80 for the tiled product `gemm`, which keeps a part of its tile in registers: three blocks are resident.
// - 64 for any other kernel: half of the threads are resident.
int most_registers(const OpInfo& op, std::string_view kernel) {
  if (std::string_view(op.folder) == "ir/ops/elementwise") return 32;
  return kernel == "gemm" ? 80 : 64;
}

// Reads the report of ptxas: a line "Compiling entry function 'NAME'", then lines with the numbers of this
// kernel.
std::map<std::string, Usage> read_report(const std::string& log) {
  std::map<std::string, Usage> all;
  std::istringstream lines(log);
  std::string line, name;
  const std::regex entry("Compiling entry function '(\\w+)'"), registers("Used (\\d+) registers"),
      frame("(\\d+) bytes stack frame, (\\d+) bytes spill stores, (\\d+) bytes spill loads");
  std::smatch found;
  while (std::getline(lines, line)) {
    if (std::regex_search(line, found, entry)) name = found[1];
    if (std::regex_search(line, found, registers)) all[name].registers = std::stoi(found[1]);
    if (std::regex_search(line, found, frame)) {
      all[name].local |= found[1] != "0";
      all[name].spills |= found[2] != "0" || found[3] != "0";
    }
  }
  return all;
}

// Compiles one source for one architecture. Prints the violations and returns their number. Adds the number
// of kernels to `kernels`.
int check_source(const OpInfo& op, const std::string& source, const std::string& architecture, int& kernels) {
  const Compiled done = compile_with_report(kLanguage + source, architecture);
  const auto report = read_report(done.log);
  if (!done.ok || report.empty()) {
    std::printf("%s does not compile for %s: %s\n", op.name, architecture.c_str(), done.log.c_str());
    return 1;
  }
  int failures = 0;
  for (const auto& [kernel, usage] : report) {
    ++kernels;
    if (usage.local || usage.spills) {
      std::printf("%s %s uses local memory on %s\n", op.name, kernel.c_str(), architecture.c_str());
      ++failures;
    }
    if (const int most = most_registers(op, kernel); usage.registers > most) {
      std::printf("%s %s uses %d registers on %s, and the limit is %d\n", op.name, kernel.c_str(),
                  usage.registers, architecture.c_str(), most);
      ++failures;
    }
  }
  const std::string_view name = op.name;
  const bool reduces_angles = name == "sin" || name == "cos" || name == "tan";
  const bool wide = !reduces_angles && done.assembly.find(".f64") != std::string::npos;
  if (done.assembly.find(".version") == std::string::npos || wide) {
    std::printf("%s computes in f64 on %s, or has no assembly\n", op.name, architecture.c_str());
    ++failures;
  }
  return failures;
}

int run(const std::set<std::string>& architectures) {
  try {
    compiler();
  } catch (const abi::Exception& e) {
    std::printf("skipped: %s\n", e.what());
    return 77;
  }
  int major = 0, minor = 0;
  check_compiler(compiler().version(&major, &minor), "nvrtcVersion");
  const int problems = collect();
  int failures = 0, kernels = 0;
  const auto start = std::chrono::steady_clock::now();
  for (const auto& [source, op] : portable::collected())
    for (const std::string& architecture : architectures)
      failures += check_source(*op, source, architecture, kernels);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("%d problems, %zu sources, %d compilations of kernels by NVRTC %d.%d in %.1f s\n", problems,
              portable::collected().size(), kernels, major, minor, seconds);
  return failures != 0;
}

}  // namespace
}  // namespace cutset::cuda

int main(int count, char** argument) {
  std::set<std::string> architectures(std::begin(cutset::cuda::kArchitectures),
                                      std::end(cutset::cuda::kArchitectures));
  if (count > 2 || (count == 2 && !architectures.contains(argument[1]))) {
    std::printf("usage: cutset_cuda_compile_kernels [ARCHITECTURE]\n");
    return 2;
  }
  if (count == 2) architectures = {argument[1]};
  return cutset::cuda::run(architectures);
}
