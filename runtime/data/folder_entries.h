// Says what a folder has, for errors about a folder that does not have what is expected.
#pragma once
#include <string>

namespace cutset {

// "it has 'cat', 'dog', 'fish' and 5 more", in the order of the bytes of the names; "it is empty"; or why it cannot be listed.
std::string entries_of(const std::string& folder);

}  // namespace cutset
