// SPDX-License-Identifier: Apache-2.0
// Builds cuDNN's plans for the convolutions of well-known networks, for GPUs that are described and not
// present, and compares them with a table:
//
//   cutset_cuda_cudnn_plans TABLE [--write]
//
// TABLE has one line per convolution and architecture: the engine and the bytes of workspace, or the word
// "refused". --write replaces the file. Exits with 1 if a plan differs from the table, and with 77 if
// libcutset_cuda_cudnn.so or cuDNN is not installed. The engines that cuDNN compiles at run time need
// NVIDIA's driver; a convolution for which no other engine can be built counts as refused on a machine
// without the driver.
//
// The program also prints, for each network and architecture, a forecast of the memory for training the
// network's convolutions (training_memory.h). It needs no GPU.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

#include "backends/cuda/cudnn/convolution.h"
#include "backends/cuda/cudnn/library.h"
#include "tests/cuda/checks/networks.h"
#include "tests/cuda/checks/training_memory.h"

namespace cutset::cuda {
namespace {

// The properties of a GPU as cuDNN reads them, from NVIDIA's data sheets and the CUDA C++ Programming Guide.
struct DescribedGpu {
  const char* architecture;
  int32_t capability;
  const char* properties;  // the properties that differ between the GPUs
};
const char* const kCommonProperties =
    R"("maxGridSize":[2147483647,65535,65535],"maxBlockSize":[1024,1024,64],"regsPerBlock":65536,"warpSize":32,)"
    R"("maxSharedMemoryPerBlock":49152,"reservedSharedMemoryPerBlock":1024,"oversizedSharedMemoryPerBlock":0,)"
    R"("maxRegistersPerSM":65536,"maxThreadsPerBlock":1024,"maxThreadsPerSM":2048,"maxCtasPerSM":32,"pciDeviceId":0,)"
    R"("isTccDriver":0,"supportCoopLaunch":1,"cudaDeviceId":0,"driverVer":13000)";
const DescribedGpu kGpus[] = {
    {"sm_80", 80,
     R"("deviceName":"NVIDIA A100-SXM4-80GB","deviceVer":800,"multiProcessorCount":108,"smClockRateKHz":1410000,)"
     R"("memClockRateKHz":1593000,"totalGlobalMem":85094236160,"l2CacheSize":41943040,)"
     R"("maxSharedMemoryPerBlockOptin":166912)"},
    {"sm_90", 90,
     R"("deviceName":"NVIDIA H100 80GB HBM3","deviceVer":900,"multiProcessorCount":132,"smClockRateKHz":1980000,)"
     R"("memClockRateKHz":2619000,"totalGlobalMem":85014413312,"l2CacheSize":52428800,)"
     R"("maxSharedMemoryPerBlockOptin":232448)"},
    {"sm_100", 100,
     R"("deviceName":"NVIDIA B200","deviceVer":1000,"multiProcessorCount":148,"smClockRateKHz":1965000,)"
     R"("memClockRateKHz":3996000,"totalGlobalMem":191501172736,"l2CacheSize":132644864,)"
     R"("maxSharedMemoryPerBlockOptin":232448)"},
};

// Returns a text such as "forward 16x3x224x224 64x3x7x7 stride 2 padding 3".
std::string text_of(const Convolution& c) {
  const char* const names[] = {"forward", "backward_input", "backward_filter"};
  std::ostringstream text;
  const size_t rank = c.axes[0] == WindowAxis() ? 2 : 3;
  text << names[static_cast<int>(c.direction)] << " " << c.n << "x" << c.c << "x"
       << cutset::text_of(c.axes, &WindowAxis::in, rank) << " " << c.o << "x" << c.cg << "x"
       << cutset::text_of(c.axes, &WindowAxis::kernel, rank) << " stride " << c.axes[2].stride << " padding "
       << c.axes[2].before;
  if (c.groups > 1) text << " groups " << c.groups;
  if (c.bias) text << " bias";
  return text.str();
}

constexpr Direction kDirections[] = {Direction::kForward, Direction::kBackwardInput,
                                     Direction::kBackwardFilter};

// Returns the distinct convolutions of all networks, by their texts.
std::map<std::string, Convolution> all_problems(const std::vector<Network>& networks) {
  std::map<std::string, Convolution> all;
  for (const Network& network : networks)
    for (const Layer& l : network.layers)
      for (const Direction d : kDirections) {
        const Convolution p = convolution_of(l, d);
        all.emplace(text_of(p), p);
      }
  return all;
}

using Table =
    std::map<std::string, std::string>;  // "ENGINE WORKSPACE" or "refused", by architecture and problem

void print_memory(const Network& network, const std::map<std::string, uint64_t>& workspaces) {
  const TrainingMemory m = forecast(network, [&](const Convolution& c) {
    const auto found = workspaces.find(text_of(c));
    return found == workspaces.end() ? 0 : found->second;
  });
  const auto mib = [](uint64_t bytes) { return static_cast<double>(bytes) / (1 << 20); };
  std::printf(
      "  %s, %lld images: %.1f MiB filters, %.1f MiB their gradients, %.1f MiB activations, %.1f MiB "
      "gradients of activations, %.1f MiB workspace; %.1f MiB in all\n",
      network.name, static_cast<long long>(network.layers[0].batch), mib(m.filters), mib(m.filters),
      mib(m.activations), mib(m.gradients), mib(m.workspace), mib(m.total()));
}

// Builds all plans for one GPU and prints a summary. Returns the reason if cuDNN rejects the description.
std::string build_for(const PlanApi& api, const DescribedGpu& gpu, const std::vector<Network>& networks,
                      Table& table) {
  PlanDevice* device = nullptr;
  const std::string properties = std::string("{") + kCommonProperties + "," + gpu.properties + "}";
  if (const char* why = api.open_description(gpu.capability, properties.c_str(), &device)) return why;
  int built[3] = {}, all[3] = {};
  uint64_t largest = 0;
  std::map<std::string, uint64_t> workspaces;  // problem -> the workspace of its plan, if the plan was built
  std::map<std::string, int> refusals;
  const auto start = std::chrono::steady_clock::now();
  for (const auto& [text, problem] : all_problems(networks)) {
    const auto direction = static_cast<int>(problem.direction);
    ++all[direction];
    std::string& line = table[std::string(gpu.architecture) + " " + text];
    Plan* plan = nullptr;
    if (const char* why = api.make_plan(device, &problem, most_workspace(problem), &plan)) {
      line = "refused";
      ++refusals[why];
      continue;
    }
    ++built[direction];
    workspaces[text] = api.workspace(plan);
    largest = std::max(largest, workspaces[text]);
    line = api.engine(plan) + std::string(" ") + std::to_string(workspaces[text]);
    api.release_plan(plan);
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  api.close_device(device);
  std::printf(
      "%s: built %d of %d forward, %d of %d backward_input, %d of %d backward_filter; largest workspace %.1f "
      "MiB; %.0f ms\n",
      gpu.architecture, built[0], all[0], built[1], all[1], built[2], all[2],
      static_cast<double>(largest) / (1 << 20), seconds * 1e3);
  for (const auto& [why, count] : refusals) std::printf("  refused %d: %s\n", count, why.c_str());
  for (const Network& network : networks) print_memory(network, workspaces);
  return "";
}

Table read(const std::string& path) {
  Table table;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (const size_t colon = line.find(": "); colon != std::string::npos)
      table[line.substr(0, colon)] = line.substr(colon + 2);
  return table;
}

int run(const std::string& path, bool write) {
  std::string why;
  const PlanApi* api = open_plans(&why);
  if (!api) {
    std::printf("skipped: %s\n", why.c_str());
    return 77;
  }
  const std::vector<Network> networks = all_networks();
  Table table;
  table["cuDNN"] = std::to_string(api->version());
  for (const DescribedGpu& gpu : kGpus)
    if (const std::string reason = build_for(*api, gpu, networks, table); !reason.empty()) {
      if (reason.find("SUBLIBRARY_LOADING_FAILED") != std::string::npos) {
        std::printf(
            "skipped: cuDNN %s needs NVIDIA's driver even for described GPUs, as all versions since 9.27 do: "
            "%s\n",
            table["cuDNN"].c_str(), reason.c_str());
        return 77;
      }
      std::printf("schema changed: cuDNN %s rejects the description of %s: %s\n", table["cuDNN"].c_str(),
                  gpu.architecture, reason.c_str());
      return 1;
    }
  if (write) {
    std::ofstream file(path);
    for (const auto& [key, value] : table) file << key << ": " << value << "\n";
    return file.good() ? 0 : 1;
  }
  const Table expected = read(path);
  if (const auto version = expected.find("cuDNN");
      version != expected.end() && version->second != table["cuDNN"]) {
    std::printf("the table is that of cuDNN %s, and this is cuDNN %s (run the program with --write)\n",
                version->second.c_str(), table["cuDNN"].c_str());
    return 1;
  }
  int differences = 0;
  for (const auto& [key, value] : table) {
    const auto found = expected.find(key);
    if (found != expected.end() && found->second == value) continue;
    std::printf("%s: %s; the table has %s\n", key.c_str(), value.c_str(),
                found == expected.end() ? "no such line" : found->second.c_str());
    ++differences;
  }
  for (const auto& [key, value] : expected) {
    if (table.count(key)) continue;
    std::printf("%s is in the table, but not checked\n", key.c_str());
    ++differences;
  }
  std::printf("%zu lines, %d differences\n", table.size(), differences);
  return differences != 0;
}

}  // namespace
}  // namespace cutset::cuda

int main(int count, char** argument) {
  if (count < 2) {
    std::printf("usage: cutset_cuda_cudnn_plans TABLE [--write]\n");
    return 2;
  }
  return cutset::cuda::run(argument[1], count > 2 && std::strcmp(argument[2], "--write") == 0);
}
