// SPDX-License-Identifier: Apache-2.0
// The objects to which the handles of the driver double point, and the state of the process. Every access
// holds the lock.
#pragma once
#include <deque>
#include <map>
#include <set>
#include <string>
#include <thread>

#include "backends/cuda/driver_api.h"
#include "tests/cuda/driver/commands.h"
#include "tests/cuda/driver/device_memory.h"
#include "tests/cuda/emulator/kernel_interface.h"
#include "tests/cuda/fault_requests.h"
#include "tests/cuda/spin_lock.h"

namespace cutset::cuda {

namespace doubles {
// A node of a graph: a command that runs after other nodes.
struct Node {
  std::vector<size_t> after;  // earlier nodes
  Context context;
  Work work;
};
// A capture that has not ended.
struct Capture {
  Stream origin;
  int mode;  // 0: global, 1: thread local, 2: relaxed
  std::thread::id thread;
  bool invalid = false;
  std::vector<Node> nodes = {};
  std::set<Stream> streams = {};
};
using CapturePointer = std::shared_ptr<Capture>;
}  // namespace doubles

struct Context_t {
  DeviceId device = 0;
  int retained = 0;
  Status fault = kSuccess;  // the error of a command that failed; every later call returns this error
  std::set<Context> peers = {};
  Stream null_stream = nullptr;
};
struct Stream_t {
  Context context;
  bool blocking;  // is ordered with the null stream
  doubles::Lane* lane;
  doubles::CommandPointer last = {};
  doubles::CapturePointer capture = {};
  std::vector<size_t> frontier = {};  // the nodes after which the next captured command runs
};
struct DriverEvent_t {
  Context context;
  bool timed;
  doubles::CommandPointer recorded = {};
  doubles::CapturePointer capture = {};  // the capture in which the event was recorded last
  std::vector<size_t> frontier = {};     // the frontier of the stream when the event was recorded last
};
struct Function_t {
  Module module;
  const doubles::KernelEntry* kernel;
};
struct Module_t {
  Context context;
  int file;
  void* library;
  doubles::KernelLibrary* kernels;
  std::map<std::string, Function_t> functions = {};
};
struct Graph_t {
  std::vector<doubles::Node> nodes;
};
struct GraphRun_t {
  std::vector<doubles::Node> nodes;
  doubles::CommandPointer last = {};  // the end of the last launch
};

namespace doubles {

struct DriverState {
  SpinLock lock;
  bool initialized = false;
  std::vector<Context_t> contexts;  // by device
  DeviceMemory memory;
  Commands commands;
  FaultRequests requests;
  std::set<Stream> streams;  // null streams are not in it
  std::set<DriverEvent> events;
  std::set<Module> modules;
  std::set<Function> functions;
  std::set<Graph> graphs;
  std::set<GraphRun> graph_runs;
  std::set<CapturePointer> captures;
  std::deque<Lane*> free_lanes;
  std::deque<Lane> graph_lanes;      // one lane per node of a graph
  std::deque<std::string> messages;  // the texts of faults; they live as long as the process
};

// Returns the state, which lives until the process ends. The first call reads the environment.
DriverState& state();

// Records the error of a command: prints it, and makes every later call with this context fail.
void break_context(Context_t& context, const std::string& error);

}  // namespace doubles
}  // namespace cutset::cuda
