// The variables of a run as a file that is never replaced by worse ones.
#pragma once
#include <cutset/session.h>

#include <string>

namespace cutset::cli {

// Writes the variables of `session` to `path`. Throws cutset::Error, and leaves the file that is there, where a
// variable holds a value that is not finite: training could not go on from it.
void save_checkpoint(const Session& session, const std::string& path);

}  // namespace cutset::cli
