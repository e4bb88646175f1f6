// Checkpoints of the command line. A checkpoint is never replaced by one from which training cannot continue.
#pragma once
#include <cutset/session.h>

#include <string>

namespace cutset::cli {

// Writes the variables of `session` to `path`. Throws a cutset::Error, and leaves an existing file unchanged, if a
// value of a variable is not finite.
void save_checkpoint(const Session& session, const std::string& path);

}  // namespace cutset::cli
