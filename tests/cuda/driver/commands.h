// SPDX-License-Identifier: Apache-2.0
// The commands of streams and graphs, and the order in which they run. The caller holds the lock of the
// driver double.
//
// The double has no threads. A command runs when a call forces it to, or earlier. The seed chooses one of the
// orders that the dependencies of the commands allow:
// - 0: at once, in program order.
// - 1: as late as possible, and later commands first where possible.
// - Other seeds: a random order, in which random commands run before they must.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backends/cuda/driver_api.h"
#include "tests/cuda/random.h"
#include "tests/cuda/sanitizers.h"

namespace cutset::cuda::doubles {

// Does the work of a command. Returns an empty text or an error. After an error, no command of the context
// runs.
using Work = std::function<std::string()>;

struct Command {
  Context context = nullptr;
  Lane* lane = nullptr;
  Work work;                                        // may be null
  std::vector<std::shared_ptr<Command>> after;      // must run before
  std::vector<std::shared_ptr<Command>> followers;  // wait for this command
  size_t waits = 0;                                 // the number of commands of `after` that have not run
  uint64_t number = 0;                              // counts the commands in the order of submission
  bool done = false, needed = false;
  double seconds = 0;  // the time at which the command has run
  OrderTag order;
};
using CommandPointer = std::shared_ptr<Command>;

class Commands {
 public:
  // Starts to draw orders from a seed. All commands must be done.
  void set_seed(uint64_t seed);
  uint64_t seed() const { return seed_; }
  Random& random() { return random_; }

  // Submits a command, which runs after the commands in its member `after`.
  void submit(const CommandPointer& command);
  // Runs commands until `command` is done, and orders it before the later accesses of the calling thread.
  // `command` may be null.
  void finish(const CommandPointer& command);
  // Runs one command if any can run.
  void run_one();
  void finish_all();

 private:
  void run(size_t index);  // a command of ready_
  void run_until_done(const CommandPointer& command);
  static void mark_needed(Command& command);

  uint64_t seed_ = 0, submitted_ = 0;
  Random random_{0};
  std::vector<CommandPointer> ready_;  // the commands that can run
};

}  // namespace cutset::cuda::doubles
