// SPDX-License-Identifier: Apache-2.0
// The checkpoints in a folder: step-N.safetensors, and best.safetensors.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace cutset {

// Returns the checkpoints in a folder by their steps. Throws a cutset::Error if the folder cannot be read.
std::map<uint64_t, std::string> checkpoints_in(const std::string& folder);
// Return the path of the checkpoint of a step, and the path of the best checkpoint.
std::string checkpoint_path(const std::string& folder, uint64_t step);
std::string best_checkpoint_path(const std::string& folder);
// Removes the temporary files that killed processes have left in the folder.
void remove_orphans(const std::string& folder);

// Returns the file from which a run continues, as checkpoint_of() does, or nothing if the folder has none.
std::optional<std::string> find_checkpoint(const std::string& path);
// Returns the checkpoint before the newest checkpoint in the folder `path`, or nothing if there is none or
// `path` is no folder.
std::optional<std::string> checkpoint_before_newest(const std::string& path);
// Returns the file from which a run continues: `path` itself, or the newest checkpoint in the folder `path`,
// or else the best checkpoint. Throws a cutset::Error if there is no such file, or if the folder has none.
std::string checkpoint_of(const std::string& path);
// Whether a run that writes its checkpoints into `folder` may remove or replace the file, because the file is
// one of these checkpoints.
bool may_change(const std::string& folder, const std::string& file);

// Returns the step for which the file `path` is named, N of step-N.safetensors, or nothing if it has another
// name.
std::optional<uint64_t> step_in_name(const std::string& path);

}  // namespace cutset
