// SPDX-License-Identifier: Apache-2.0
// Compiles every kernel of the backend `cuda` for several architectures with NVRTC, which needs no GPU, and
// checks what the compiler reports about them:
//
//   cutset_cuda_compile_kernels FOLDER [ARCHITECTURE | --write]
//
// The problems are the fixed cases of all ops. No kernel may spill registers, use local memory or compute in
// f64. The kernels of sin, cos and tan may compute in f64, because they call functions of CUDA that do so.
// Versions of NVRTC allocate registers differently, so FOLDER has one table per version, such as 13.5.txt,
// with one line per op, kernel and architecture. A kernel of f32 has a line of its own. The other kernels
// that differ only in their element type share a line, which holds the largest of their numbers of registers.
// No kernel may use more registers than the table of the installed version says. The registers are not
// compared if that version has no table. With an architecture, such as sm_80, the kernels are compiled for no
// other. --write makes or replaces the table. Exits with 1 if a check fails, and with 77 if NVRTC is not
// installed.
//
// The program links the kernels of the backend and defines the function `load` of backends/portable itself,
// so it receives the launches that a device would run.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "backends/cuda/compile.h"
#include "backends/cuda/language.h"
#include "backends/cuda/library.h"
#include "backends/portable/typed_kernels.h"
#include "ir/core/op/op_info.h"

namespace cutset::portable {

// The launches of all problems: source and name of each kernel, with the op that it belongs to.
static std::map<std::pair<std::string, std::string>, std::string>& collected() {
  static std::map<std::pair<std::string, std::string>, std::string> all;
  return all;
}
static std::string current_op;

std::unique_ptr<Loaded> load(cutset_device, const Launches& launches) {
  for (const Launch& l : launches.all()) collected().emplace(std::pair(l.source, l.kernel), current_op);
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
        portable::current_op = op->name;
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

// What the compiler says about one kernel.
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

// The name of a kernel of f32, or the name of another kernel without its element type (kernel_name in
// backends/portable/typed_kernels.h). Most networks compute in f32, so the table has lines for this type
// alone.
std::string without_type(const std::string& kernel) {
  for (int number = 0; number < 64; ++number)
    if (const std::string end = portable::kernel_name("", static_cast<DType>(number));
        is_dtype(static_cast<DType>(number)) && static_cast<DType>(number) != DType::f32 &&
        kernel.ends_with(end))
      return kernel.substr(0, kernel.size() - end.size());
  return kernel;
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

int run(const std::string& folder, const std::set<std::string>& architectures, bool write) {
  try {
    compiler();
  } catch (const abi::Exception& e) {
    std::printf("skipped: %s\n", e.what());
    return 77;
  }
  int major = 0, minor = 0;
  check_compiler(compiler().version(&major, &minor), "nvrtcVersion");
  const std::string version = std::to_string(major) + "." + std::to_string(minor),
                    path = folder + "/" + version + ".txt";
  const int problems = collect();
  std::map<std::string, int> registers;  // by "op kernel architecture"
  std::set<std::string> compiled;
  int failures = 0, kernels = 0;
  const auto start = std::chrono::steady_clock::now();
  for (const auto& [source_and_kernel, op] : portable::collected()) {
    if (!compiled.insert(source_and_kernel.first).second) continue;
    for (const std::string& architecture : architectures) {
      const Compiled done = compile_with_report(kLanguage + source_and_kernel.first, architecture);
      const auto report = read_report(done.log);
      if (!done.ok || report.empty()) {
        std::printf("%s does not compile for %s: %s\n", op.c_str(), architecture.c_str(), done.log.c_str());
        ++failures;
        continue;
      }
      for (const auto& [kernel, usage] : report) {
        ++kernels;
        const std::string key = op + " " + without_type(kernel) + " " + architecture;
        int& most = registers[key];
        most = std::max(most, usage.registers);
        if (!usage.local && !usage.spills) continue;
        std::printf("%s %s uses local memory on %s\n", op.c_str(), kernel.c_str(), architecture.c_str());
        ++failures;
      }
      const bool reduces_angles = op == "sin" || op == "cos" || op == "tan";
      const bool wide = !reduces_angles && done.assembly.find(".f64") != std::string::npos;
      if (done.assembly.find(".version") == std::string::npos || wide) {
        std::printf("%s computes in f64 on %s, or has no assembly\n", op.c_str(), architecture.c_str());
        ++failures;
      }
    }
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("%d problems, %zu sources, %d compilations of kernels by NVRTC %s in %.1f s\n", problems,
              compiled.size(), kernels, version.c_str(), seconds);

  std::ostringstream table;
  for (const auto& [key, count] : registers) table << key << " " << count << "\n";
  if (write) {
    std::ofstream(path) << table.str();
    return failures != 0;
  }
  std::ifstream file(path);
  if (!file) {
    std::printf("skipped: the registers are not compared, because there is no %s; --write makes it\n",
                path.c_str());
    return failures != 0;
  }
  std::string op, kernel, architecture;
  int count = 0;
  std::map<std::string, int> known;
  while (file >> op >> kernel >> architecture >> count)
    if (architectures.contains(architecture)) known[op + " " + kernel + " " + architecture] = count;
  for (const auto& [key, used] : registers) {
    const auto found = known.find(key);
    if (found != known.end() && used <= found->second) continue;
    std::printf("%s uses %d registers; the table has %s\n", key.c_str(), used,
                found == known.end() ? "no such line" : std::to_string(found->second).c_str());
    ++failures;
  }
  for (const auto& [key, used] : known)
    if (!registers.count(key))
      std::printf("%s is in the table, but no case compiles it\n", key.c_str()), ++failures;
  return failures != 0;
}

}  // namespace
}  // namespace cutset::cuda

int main(int count, char** argument) {
  std::set<std::string> architectures(std::begin(cutset::cuda::kArchitectures),
                                      std::end(cutset::cuda::kArchitectures));
  const std::string choice = count > 2 ? argument[2] : "";
  const bool write = choice == "--write", one = architectures.contains(choice);
  if (count < 2 || count > 3 || (count == 3 && !write && !one)) {
    std::printf("usage: cutset_cuda_compile_kernels FOLDER [ARCHITECTURE | --write]\n");
    return 2;
  }
  if (one) architectures = {choice};
  return cutset::cuda::run(argument[1], architectures, write);
}
