// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/device_file.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "runtime/files/files.h"

namespace cutset {
namespace {

struct Member {
  const char* name;
  double most;  // the largest value of a member that must be a whole number; 0: fractions are allowed,
                // without a limit
  void (*set)(cutset_device_info&, double);
};
constexpr Member kMembers[] = {
    {"flops_per_second", 0, [](cutset_device_info& i, double v) { i.flops_per_second = v; }},
    {"bytes_per_second", 0, [](cutset_device_info& i, double v) { i.bytes_per_second = v; }},
    {"link_bytes_per_second", 0, [](cutset_device_info& i, double v) { i.link_bytes_per_second = v; }},
    {"link_seconds", 0, [](cutset_device_info& i, double v) { i.link_seconds = v; }},
    {"launch_seconds", 0, [](cutset_device_info& i, double v) { i.launch_seconds = v; }},
    {"threads", 1024, [](cutset_device_info& i, double v) { i.threads = static_cast<int32_t>(v); }},
    {"memory_bytes", 1e18,
     [](cutset_device_info& i, double v) { i.memory_bytes = static_cast<uint64_t>(v); }},
    {"timed", 1, [](cutset_device_info& i, double) { i.timed = 1; }},
    {"captures", 1, [](cutset_device_info& i, double) { i.captures = 1; }}};

const Member* find_member(const std::string& name) {
  for (const Member& m : kMembers)
    if (name == m.name) return &m;
  return nullptr;
}

}  // namespace

Result<DeviceFile> read_device_file(const std::string& path) {
  if (path.empty()) return DeviceFile();
  constexpr uint64_t kLimit = 1 << 20;
  CUTSET_ASSIGN(const std::string text, read_file(path, kLimit));
  auto bad = [&](const std::string& why) { return invalid_data("device file '" + path + "': " + why); };
  // The parser would silently keep the last of two members with the same name. A repeated name is therefore
  // an error.
  std::string twice;
  std::map<int, std::set<std::string>> names;  // the names seen so far in the innermost object, by its depth
  const auto root = nlohmann::json::parse(
      text,
      [&](int depth, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
        if (event == nlohmann::json::parse_event_t::object_start) names.erase(depth + 1);
        if (event == nlohmann::json::parse_event_t::key &&
            !names[depth].insert(parsed.get_ref<const std::string&>()).second)
          twice = parsed.get<std::string>();
        return true;
      },
      false);
  if (root.is_discarded() || !root.is_object()) return bad("it is not a JSON object of devices");
  if (!twice.empty()) return bad("it has the member '" + twice + "' twice");
  std::string member_names;
  for (const Member& m : kMembers) member_names += (member_names.empty() ? "" : ", ") + std::string(m.name);
  DeviceFile file;
  for (const auto& [device, members] : root.items()) {
    if (!members.is_object()) return bad("'" + device + "' is not an object of numbers");
    auto& numbers = file[device];
    for (const auto& [name, value] : members.items()) {
      const double number = value.is_number() ? value.get<double>() : 0;
      if (!(number > 0) || !std::isfinite(number))
        return bad("'" + name + "' of '" + device + "' is not a positive number");
      const Member* m = find_member(name);
      if (!m)
        return bad("'" + device + "' has an unknown member '" + name + "'; the members are " + member_names);
      if (m->most > 0 && (number != std::floor(number) || number > m->most))
        return bad("'" + name + "' of '" + device + "' is not a whole number from 1 to " +
                   std::to_string(static_cast<uint64_t>(m->most)));
      numbers[name] = number;
    }
  }
  return file;
}

void apply(const DeviceFile& file, const std::string& device, cutset_device_info& info) {
  auto it = file.find(device);
  if (it == file.end()) return;
  for (const auto& [name, number] : it->second) find_member(name)->set(info, number);
}

}  // namespace cutset
