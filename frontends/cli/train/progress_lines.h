// SPDX-License-Identifier: Apache-2.0
// What cutset train prints while it trains, and how it shows an evaluation.
#pragma once
#include <cutset/trainer.h>

#include <nlohmann/json.hpp>
#include <string>

namespace cutset::cli {

// Returns "loss 0.35, top-1 87.10 %".
std::string text_of(const Evaluation& evaluation);
nlohmann::json json_of(const Evaluation& evaluation);
// Returns "epoch 2 of 3: loss 0.4321, 1234 samples/s; evaluation: loss 0.35". `metrics` is the last part.
std::string text_of(const TrainingEpoch& epoch, const std::string& metrics);

}  // namespace cutset::cli
