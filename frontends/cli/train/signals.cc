// SPDX-License-Identifier: Apache-2.0
#include "frontends/cli/train/signals.h"

#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <iterator>
#include <string_view>

namespace cutset::cli {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};  // SIGHUP: the terminal was closed
volatile std::sig_atomic_t received_signal = 0;
struct sigaction old_actions[std::size(kSignals)];

void say(std::string_view text) {
  if (write(STDERR_FILENO, text.data(), text.size()) < 0) return;  // a signal handler cannot report the error
}

void on_signal(int signal) {
  if (received_signal != 0) {
    say("\n");  // ends the line of the progress bar
    std::signal(signal, SIG_DFL);
    ::raise(signal);
    return;
  }
  received_signal = signal;
  say("\nstopping after this step; a second signal stops at once\n");
}

}  // namespace

StopSignals::StopSignals() {
  received_signal = 0;
  struct sigaction action{};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  for (size_t i = 0; i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], nullptr, &old_actions[i]);
    if (old_actions[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}
StopSignals::~StopSignals() {
  for (size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &old_actions[i], nullptr);
}
int StopSignals::received() const { return received_signal; }

}  // namespace cutset::cli
