// SPDX-License-Identifier: Apache-2.0
#include "runtime/program/check/check_program.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "ir/core/check_types.h"
#include "ir/core/names.h"
#include "ir/core/number_text.h"
#include "runtime/device/device.h"
#include "runtime/program/check/check.h"
#include "runtime/program/check/declarations.h"
#include "runtime/program/check/finite_checks.h"
#include "runtime/program/check/instructions.h"
#include "runtime/program/check/memory.h"
#include "runtime/program/check/roles.h"
#include "runtime/program/order/expand.h"
#include "runtime/program/variable_pieces.h"

namespace cutset {
namespace {

using checks::out_of_range;
using checks::shown;
using checks::within;

// Whether a device may have this name. Names become parts of file names and of a list that is separated by
// commas, so few characters are allowed.
bool is_device_name(const std::string& name) {
  const auto parsed = parse_device_name(name);
  constexpr size_t kLongest = 64;
  return parsed && parsed->kind.size() <= kLongest &&
         std::all_of(parsed->kind.begin(), parsed->kind.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
                  c == '-';
         });
}

Status check_devices(const Program& p) {
  constexpr size_t kMaxDevices = 1024;
  if (p.devices.empty() || p.devices.size() > kMaxDevices)
    return invalid_data("the program has " + counted(p.devices.size(), "device") + "; it must have 1 to " +
                        std::to_string(kMaxDevices));
  std::set<std::string> names;
  for (size_t d = 0; d < p.devices.size(); ++d) {
    if (!is_device_name(p.devices[d]))
      return invalid_data("device " + std::to_string(d) + " has the name '" + shown(p.devices[d]) +
                          "', which is not of the form KIND:NUMBER, as in cpu:0");
    if (!names.insert(p.devices[d]).second)
      return invalid_data("device '" + p.devices[d] + "' is listed twice");
  }
  return {};
}

Status check_variables(const Program& p) {
  std::set<std::string> names;
  for (const Variable& v : p.variables) {
    CUTSET_TRY(check_name(v.name, "a variable"));
    CUTSET_TRY(check_type(v.type));
    if (!names.insert(v.name).second) return invalid_data("variable '" + v.name + "' is listed twice");
    if (v.homes.empty()) return invalid_data("variable '" + v.name + "' has no home");
    if (std::set<int32_t>(v.homes.begin(), v.homes.end()).size() != v.homes.size())
      return invalid_data("variable '" + v.name + "' has two homes on one device");
    if (v.first != 0 && (v.state_of.empty() || !is_float(v.type.dtype) || !std::isfinite(v.first)))
      return invalid_data("variable '" + v.name + "' cannot have the first value " + shortest_text(v.first));
    if (v.drawn.is_set() || !v.drawn.attributes.empty()) {
      const Status drawn = v.state_of.empty() ? check_drawn(v.drawn, v.type)
                                              : invalid_data("no op draws the first value of a state");
      if (!drawn.ok()) return invalid_data("variable '" + v.name + "': " + shown(drawn.error().what));
    }
    if (!fits_pieces(v))
      return invalid_data("variable '" + v.name + "' is divided into pieces that do not fit its type");
    for (int32_t home : v.homes)
      if (!within(home, p.devices))
        return invalid_data("variable '" + v.name +
                            "': " + out_of_range("device", home, p.devices.size(), "the program"));
  }
  for (const Variable& v : p.variables)
    if (!v.state_of.empty() && !names.contains(v.state_of))
      return invalid_data("variable '" + v.name + "' is optimizer state of variable '" + shown(v.state_of) +
                          "', which the program does not have");
  return {};
}

}  // namespace

Status check_races(const Function& f) {
  CUTSET_ASSIGN(const checks::Order order, checks::Order::of(f));
  return checks::check_memory(f, order);
}

Status check_program(const Program& p) {
  CUTSET_TRY(check_devices(p));
  CUTSET_TRY(check_variables(p));
  for (size_t i = 0; i < p.constants.size(); ++i) {
    const Constant& c = p.constants[i];
    const std::string name = "constant " + std::to_string(i);
    CUTSET_TRY(check_type(c.type));
    if (!within(c.device, p.devices))
      return invalid_data(name + ": " + out_of_range("device", c.device, p.devices.size(), "the program"));
    if (static_cast<int64_t>(c.bytes.size()) != c.type.bytes())
      return invalid_data(name + " has " + std::to_string(c.bytes.size()) + " bytes, and its type " +
                          to_string(c.type) + " takes " + std::to_string(c.type.bytes()));
    CUTSET_TRY(check_bytes(c.type, c.bytes));
  }
  std::set<std::string> functions;
  for (const Function& compact : p.functions) {
    CUTSET_TRY(checks::check_roles(compact));
    const Function expanded = compact.roles.empty() ? Function() : expand(compact);
    const Function& f = compact.roles.empty() ? compact : expanded;
    CUTSET_TRY(checks::check_declarations(p, f));
    CUTSET_TRY(checks::check_instructions(f));
    CUTSET_TRY(check_races(f));
    CUTSET_TRY(checks::check_finite_checks(f));
    if (!functions.insert(f.name).second) return invalid_data("function '" + f.name + "' is listed twice");
  }
  return {};
}

}  // namespace cutset
