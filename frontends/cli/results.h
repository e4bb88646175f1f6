// What is reported of training runs, and of the memory that a program takes.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "frontends/cli/training.h"

namespace cutset::cli {

nlohmann::json json_of(const MemoryUse& memory);
nlohmann::json json_of(const TrainingResult& result, const TrainingOptions& options);

// The table that compares runs, the first being what the others are compared with.
std::string comparison(const std::vector<TrainingResult>& results, int64_t batch);

}  // namespace cutset::cli
