#include <algorithm>
#include <set>

#include "ir/core/names.h"
#include "runtime/check/check.h"
#include "runtime/device.h"
#include "runtime/program_file.h"

namespace cutset {
namespace {

using check::within;

// Names go into file names and into a list that is split at commas, so their letters are few.
bool is_device_name(const std::string& name) {
  const auto parsed = parse_device_name(name);
  constexpr size_t kLongest = 64;
  return parsed && parsed->kind.size() <= kLongest && std::all_of(parsed->kind.begin(), parsed->kind.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
         });
}

Status check_devices(const Program& p) {
  constexpr size_t kMaxDevices = 1024;
  constexpr int32_t kMaxThreads = 1 << 16;
  if (p.devices.empty() || p.devices.size() > kMaxDevices)
    return invalid_data("it has " + std::to_string(p.devices.size()) + " devices; it needs one, and may have " +
                        std::to_string(kMaxDevices));
  for (const std::string& name : p.devices)
    if (!is_device_name(name)) return invalid_data("it has a device without a name as in cpu:0");
  if (std::set<std::string>(p.devices.begin(), p.devices.end()).size() != p.devices.size())
    return invalid_data("a device is there twice");
  if (p.threads.size() != p.devices.size() ||
      std::any_of(p.threads.begin(), p.threads.end(), [](int32_t n) { return n < 0 || n > kMaxThreads; }))
    return invalid_data("it does not say how many threads its devices have, or too many");
  return {};
}

Status check_variables(const Program& p) {
  std::set<std::string> names;
  for (const Variable& v : p.variables) {
    CUTSET_TRY(check_name(v.name, "a variable"));
    CUTSET_TRY(check_type(v.type));
    if (!names.insert(v.name).second) return invalid_data("variable '" + v.name + "' is there twice");
    if (v.homes.empty()) return invalid_data("variable '" + v.name + "' has no home");
    if (std::set<int32_t>(v.homes.begin(), v.homes.end()).size() != v.homes.size())
      return invalid_data("variable '" + v.name + "' is twice on one device");
    for (int32_t home : v.homes)
      if (!within(home, p.devices)) return invalid_data("variable '" + v.name + "' lives on a device that is none");
  }
  for (const Variable& v : p.variables)
    if (!v.state_of.empty() && !names.contains(v.state_of))
      return invalid_data("variable '" + v.name + "' is state of a variable that is none");
  return {};
}

}  // namespace

Status check_program(const Program& p) {
  CUTSET_TRY(check_devices(p));
  CUTSET_TRY(check_variables(p));
  for (const Constant& c : p.constants) {
    CUTSET_TRY(check_type(c.type));
    if (!within(c.device, p.devices) || static_cast<int64_t>(c.bytes.size()) != c.type.bytes())
      return invalid_data("a constant without its bytes or device");
    CUTSET_TRY(check_bytes(c.type, c.bytes));
  }
  std::set<std::string> functions;
  for (const Function& f : p.functions) {
    CUTSET_TRY(check::check_instructions(p, f));
    CUTSET_TRY(check::check_order(f));
    CUTSET_TRY(check::check_memory(f));
    if (!functions.insert(f.name).second) return invalid_data("function '" + f.name + "' is there twice");
  }
  return {};
}

}  // namespace cutset
