// What `--strategy` may say. The grammar of later strategies is known, so they are refused by name.
#pragma once
#include <string>

#include "ir/core/result.h"

namespace cutset::passes {

enum class Strategy { kOneDevice, kModel };

// Empty: one_device for one device, model for more.
Result<Strategy> parse_strategy(const std::string& text, size_t devices);

}  // namespace cutset::passes
