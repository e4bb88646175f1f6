// SPDX-License-Identifier: Apache-2.0
#include "backends/simulated/faults.h"

#include <chrono>
#include <cstdlib>
#include <optional>
#include <set>
#include <sstream>
#include <thread>

#include "runtime/abi/error.h"

namespace cutset::simulated {
namespace {

[[noreturn]] void malformed(const std::string& request) {
  throw abi::Exception(CUTSET_INVALID_ARGUMENT,
                       "CUTSET_SIMULATED_FAULTS: '" + request +
                           "' does not have the form FUNCTION[/OP][@INDEX]=N[+]" +
                           "[:ACTION] with a FUNCTION, an N and an ACTION of backends/simulated/faults.h");
}

// Reads a number of at most nine digits.
long number(const std::string& digits, const std::string& request) {
  if (digits.empty() || digits.size() > 9 || digits.find_first_not_of("0123456789") != std::string::npos)
    malformed(request);
  return std::stol(digits);
}

// Removes the first separator and the text after it. Returns the text after it, or nothing if there is no
// separator.
std::optional<std::string> split_off(std::string& text, char separator) {
  const size_t at = text.find(separator);
  if (at == std::string::npos) return std::nullopt;
  std::string after = text.substr(at + 1);
  text.resize(at);
  return after;
}

bool is_possible(const std::string& function, const std::string& action) {
  static const std::set<std::string> others = {
      "describe",      "available",        "open",         "allocate", "queue",
      "event",         "prepare",          "finish",       "begin",    "end",
      "allocate_host", "create_timestamp", "create_group", "resume"};
  static const std::set<std::string> commands = {"enqueue", "signal",     "wait",   "write",
                                                 "read",    "copy",       "launch", "copy_peer",
                                                 "record",  "all_reduce", "send",   "receive"};
  if (action == "fail" || action == "late" || action == "dead")
    return others.contains(function) || commands.contains(function);
  if (action == "lost" || action == "hang") return commands.contains(function);
  return action == "nan" && function == "enqueue";
}

}  // namespace

Faults::Faults(int index) {
  const char* list = std::getenv("CUTSET_SIMULATED_FAULTS");
  std::stringstream items(list ? list : "");
  for (std::string item; std::getline(items, item, ',');) {
    Request r;
    const size_t equals = item.find('=');
    if (equals == std::string::npos) malformed(item);
    std::string who = item.substr(0, equals), when = item.substr(equals + 1);
    const std::optional<std::string> device = split_off(who, '@');
    r.op = split_off(who, '/').value_or("");
    r.action = split_off(when, ':').value_or(r.action);
    if (!when.empty() && when.back() == '+') {
      r.from_then_on = true;
      when.pop_back();
    }
    r.function = who;
    r.at = number(when, item);
    if (!is_possible(r.function, r.action) || r.at == 0) malformed(item);
    if (!device || number(*device, item) == index) requests_.push_back(r);
  }
}

Faults::Outcome Faults::call(const char* function, const char* op) {
  if (requests_.empty()) return Outcome::kRun;
  std::string action;
  long call = 0;
  {
    std::lock_guard lock(mutex_);
    for (Request& r : requests_) {
      if (r.function != function || (!r.op.empty() && r.op != op)) continue;
      ++r.calls;
      if (r.calls == r.at || (r.from_then_on && r.calls > r.at)) {
        action = r.action;
        call = r.calls;
      }
    }
    dead_ = dead_ || action == "dead";
    if (dead_) throw abi::Exception(CUTSET_DEVICE_LOST, "the device is lost on request");
  }
  if (action == "late") std::this_thread::sleep_for(std::chrono::milliseconds(20));
  if (action == "lost") return Outcome::kLost;
  if (action == "hang") return Outcome::kHang;
  if (action == "nan") return Outcome::kNan;
  if (action != "fail") return Outcome::kRun;
  const std::string name = function;
  throw abi::Exception(name == "allocate" || name == "allocate_host" ? CUTSET_OUT_OF_MEMORY : CUTSET_FAILED,
                       name + " fails on request (call " + std::to_string(call) + ")");
}

}  // namespace cutset::simulated
