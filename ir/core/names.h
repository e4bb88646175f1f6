// SPDX-License-Identifier: Apache-2.0
// Checks of the names of tensors, variables and functions, and of other text, that come from a user or a
// file. Names become file names, keys of saved files and text on a terminal, so a name must not be able to
// leave a folder or to control a terminal.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "ir/core/result.h"

namespace cutset {

// Fails unless `name` consists of 1 to 1024 ASCII letters, digits and characters of "_.-/:", and none of the
// components between its slashes is empty, "." or "..". `what` is part of the error message and says what is
// named: "an output".
Status check_name(std::string_view name, std::string_view what);

// Whether `text`, in UTF-8, has no control characters (U+0000 to U+001F and U+007F to U+009F) and none that
// reorder the text or end a line (U+061C, U+200E, U+200F, U+2028 to U+202E and U+2066 to U+2069). This is the
// only condition on layer names, source lines and other text that is only shown to people.
bool is_printable(std::string_view text);

// A list of names for a message: "'a', 'b'". If there are more than `most`, the number of the others follows:
// "'a', 'b' and 3 more".
std::string quoted_list(std::span<const std::string> names, size_t most = 20);

// A list of names for a message: "a, b".
std::string plain_list(std::span<const std::string> names);

// The fewest changes that turn `a` into `b`: the distance of Damerau and Levenshtein, in which a letter is
// exchanged once at most. A change inserts, removes or replaces a letter, or exchanges two neighbours;
// capitals count as small letters. The time grows with the product of the lengths.
size_t changes_between(std::string_view a, std::string_view b);
// The name in `known` that `name` was probably meant to be: the one that fewest changes turn it into, if they
// are few for its length, or else the only one that begins with it, if it has three letters or more. Empty if
// there is none.
std::string nearest_name(std::string_view name, std::span<const std::string> known);
// What a hint says of a name that is not known: "did you mean 'fc.weight'?", or else "there are: " and the
// list.
std::string hint_of_names(std::string_view name, std::span<const std::string> known);
// The end of a hint that lists the known names itself: "; did you mean 'fc.weight'?", or an empty text.
std::string and_nearest(std::string_view name, std::span<const std::string> known);
// A hint that lists the known names: "fc.weight, fc.bias; did you mean 'fc.weight'?".
std::string list_and_nearest(std::string_view name, std::span<const std::string> known);

}  // namespace cutset
