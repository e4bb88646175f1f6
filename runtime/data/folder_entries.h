// SPDX-License-Identifier: Apache-2.0
// Lists the entries of a folder for errors about a folder that lacks an expected file.
#pragma once
#include <string>

namespace cutset {

// Returns the text that follows the name of the folder in an error message: "has 'cat', 'dog', 'fish' and 5
// more", in the order of the bytes of the names, "is empty", or "cannot be listed: WHY".
std::string entries_of(const std::string& folder);

}  // namespace cutset
