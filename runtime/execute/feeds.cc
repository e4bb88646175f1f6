// SPDX-License-Identifier: Apache-2.0
#include "runtime/execute/feeds.h"

#include <cmath>
#include <cstring>

#include "ir/core/half.h"
#include "ir/core/names.h"
#include "ir/core/tensor_view.h"

namespace cutset {

std::vector<Port> caller_inputs(const Function& function) {
  std::vector<Port> ports;
  for (const Port& p : function.inputs)
    if (p.feed == Feed::kCaller) ports.push_back(p);
  return ports;
}

static bool finite_as(DType type, double value) {
  if (is_half(type)) return std::isfinite(from_half(to_half(value, type), type));
  return std::isfinite(type == DType::f32 ? static_cast<double>(static_cast<float>(value)) : value);
}

Status feed(const Port& port, const Feeds& feeds, unsigned char* into) {
  if (port.feed == Feed::kStep) {
    const auto step = static_cast<int64_t>(feeds.step);
    std::memcpy(into, &step, sizeof step);
    return {};
  }
  auto set_value = feeds.hyper_parameters.find(port.name);
  const double value = set_value == feeds.hyper_parameters.end() ? port.initial : set_value->second;
  if (!finite_as(port.type.dtype, value))
    return invalid_argument("hyper-parameter '" + port.name + "' is " + std::to_string(value) +
                            ", which is not a finite " + name_of(port.type.dtype));
  if (is_half(port.type.dtype)) {
    const uint16_t bits = to_half(value, port.type.dtype);
    std::memcpy(into, &bits, sizeof bits);
    return {};
  }
  return dispatch_float(port.type.dtype, [&]<class T>(T v) {
    v = static_cast<T>(value);
    std::memcpy(into, &v, sizeof v);
  });
}

std::map<std::string, double> hyper_parameters(const Program& program, const Feeds& feeds) {
  std::map<std::string, double> all;
  for (const Function& f : program.functions)
    for (const Port& p : f.inputs)
      if (p.feed == Feed::kHyperParameter) all.emplace(p.name, p.initial);
  for (auto& [name, value] : all)
    if (auto set_value = feeds.hyper_parameters.find(name); set_value != feeds.hyper_parameters.end())
      value = set_value->second;
  return all;
}

// Returns a failure whose hint lists the names in `have`.
static Failure no_hyper_parameter(const std::string& name, const std::map<std::string, double>& have) {
  std::vector<std::string> names;
  for (const auto& [other, value] : have) names.push_back(other);
  return invalid_argument("the program has no hyper-parameter '" + name + "'",
                          names.empty() ? "it has none" : "it has: " + list_and_nearest(name, names));
}

Result<double> hyper_parameter(const Program& program, const std::string& name, const Feeds& feeds) {
  const std::map<std::string, double> all = hyper_parameters(program, feeds);
  const auto found = all.find(name);
  if (found == all.end()) return no_hyper_parameter(name, all);
  return found->second;
}

Status set_hyper_parameter(const Program& program, const std::string& name, double value, Feeds& feeds) {
  bool exists = false;
  for (const Function& f : program.functions)
    for (const Port& p : f.inputs) {
      if (p.feed != Feed::kHyperParameter || p.name != name) continue;
      exists = true;
      if (!finite_as(p.type.dtype, value))
        return invalid_argument("hyper-parameter '" + name + "' cannot be set to " + std::to_string(value) +
                                ", which is not a finite " + name_of(p.type.dtype));
    }
  if (!exists) return no_hyper_parameter(name, hyper_parameters(program, feeds));
  if (const auto range = feeds.ranges.find(name); range != feeds.ranges.end())
    CUTSET_TRY(check_hyper_parameter(name, value, range->second));
  feeds.hyper_parameters[name] = value;
  return {};
}

}  // namespace cutset
