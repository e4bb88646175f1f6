#include "passes/place/strategy.h"

namespace cutset::passes {

Result<Strategy> parse_strategy(const std::string& text, size_t devices) {
  if (text.empty()) return devices > 1 ? Strategy::kModel : Strategy::kOneDevice;
  if (text == "one_device") {
    if (devices != 1)
      return invalid_argument("strategy 'one_device' takes one device, not " + std::to_string(devices),
                              "use --strategy model");
    return Strategy::kOneDevice;
  }
  if (text == "model") return Strategy::kModel;
  const std::string name = text.substr(0, text.find_first_of("( *"));
  for (const char* later : {"data", "pipeline", "shard", "average", "async", "downpour", "central", "mirrored",
                            "multi_worker_mirrored", "parameter_server", "central_storage"})
    if (name == later) return unsupported("strategy '" + name + "' does not exist yet", "have: one_device, model");
  return invalid_argument("unknown strategy '" + text + "'", "have: one_device, model");
}

}  // namespace cutset::passes
