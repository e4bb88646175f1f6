// Which names tensors, variables and functions may have. Names become file names, keys of saved files and text
// on a terminal, so those that come from outside go through here.
#pragma once
#include <string_view>

#include "ir/core/result.h"

namespace cutset {

// Allows one to 1024 letters, digits and characters of "_.-/:", where the components between slashes are
// neither empty nor "." nor "..". `what` is part of the error: "an output", "a variable".
Status check_name(std::string_view name, std::string_view what);

// Is it free of control characters? Labels, source lines and other text for people may be anything else.
bool is_printable(std::string_view text);

}  // namespace cutset
