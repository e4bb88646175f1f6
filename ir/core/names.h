// SPDX-License-Identifier: Apache-2.0
// Checks names of tensors, variables and functions, and other text, from a user or a file. Names become file
// names, keys of saved files and text on a terminal, so a name must not be able to leave a folder or to
// control a terminal.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "ir/core/result.h"

namespace cutset {

// Fails unless `name` consists of 1 to 1024 ASCII letters, digits and characters of "_.-/:", and no component
// between its slashes is empty, "." or "..". `what` says in the error message what has the name: "an output".
Status check_name(std::string_view name, std::string_view what);

// Whether `text`, in UTF-8, has no control characters (U+0000 to U+001F and U+007F to U+009F) and no
// characters that reorder the text or end a line (U+061C, U+200E, U+200F, U+2028 to U+202E and U+2066 to
// U+2069). This is the only condition on layer names, source lines and other text that is only displayed.
bool is_printable(std::string_view text);

// Returns a list of names for a message: "'a', 'b'". If there are more than `most` names, the number of the
// others follows: "'a', 'b' and 3 more".
std::string quoted_list(std::span<const std::string> names, size_t most = 20);

// Returns a list of names for a message: "a, b".
std::string plain_list(std::span<const std::string> names);

// Returns the smallest number of changes that turn `a` into `b` (the distance of Damerau and Levenshtein, in
// which each letter is exchanged at most once). A change inserts, removes or replaces a letter, or exchanges
// two neighbours. Capitals count as small letters. The time grows with the product of the lengths.
size_t changes_between(std::string_view a, std::string_view b);
// Returns the name in `known` that was probably meant by `name`, or an empty text if there is none:
// - the name that needs the fewest changes, if they are few for the length of `name`;
// - otherwise the only name that begins with `name`, if `name` has at least three letters.
std::string nearest_name(std::string_view name, std::span<const std::string> known);
// Returns the hint for an unknown name: "did you mean 'fc.weight'?", or else "there are: " and the list.
std::string hint_of_names(std::string_view name, std::span<const std::string> known);
// Returns the end of a hint that lists the known names itself: "; did you mean 'fc.weight'?", or an empty
// text.
std::string and_nearest(std::string_view name, std::span<const std::string> known);
// Returns a hint that lists the known names: "fc.weight, fc.bias; did you mean 'fc.weight'?".
std::string list_and_nearest(std::string_view name, std::span<const std::string> known);

}  // namespace cutset
