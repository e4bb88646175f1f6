#include "runtime/device_file.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "runtime/files.h"

namespace cutset {

Status apply_device_file(const std::string& path, const std::string& device, cutset_device_info& info) {
  if (path.empty()) return {};
  constexpr uint64_t kLimit = 1 << 20;
  CUTSET_ASSIGN(const std::string text, read_file(path, kLimit));
  const auto root = nlohmann::json::parse(text, nullptr, false);
  auto bad = [&](const std::string& why) { return invalid_data("device file '" + path + "': " + why); };
  if (root.is_discarded() || !root.is_object()) return bad("is not a JSON object of devices");
  if (!root.contains(device)) return {};
  if (!root[device].is_object()) return bad("'" + device + "' is not an object of numbers");
  struct Member {
    const char* name;
    double cutset_device_info::* value;
  };
  constexpr Member members[] = {{"flops_per_second", &cutset_device_info::flops_per_second},
                                {"bytes_per_second", &cutset_device_info::bytes_per_second},
                                {"link_bytes_per_second", &cutset_device_info::link_bytes_per_second},
                                {"link_seconds", &cutset_device_info::link_seconds},
                                {"launch_seconds", &cutset_device_info::launch_seconds}};
  for (const auto& [name, value] : root[device].items()) {
    const double number = value.is_number() ? value.get<double>() : 0;
    if (!(number > 0) || !std::isfinite(number))
      return bad("'" + name + "' of '" + device + "' is not a positive number");
    bool known = name == "threads" && number <= 1024;
    if (known) info.threads = static_cast<int32_t>(number);
    if (name == "memory_bytes" && number < 1e18) info.memory_bytes = static_cast<uint64_t>(number), known = true;
    if (name == "timed") info.timed = 1, known = true;
    for (const Member& m : members)
      if (name == m.name) info.*m.value = number, known = true;
    if (!known) return bad("'" + device + "' has an unknown member '" + name + "'");
  }
  return {};
}

}  // namespace cutset
