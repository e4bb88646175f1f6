// What MLIR's own parser does not survive, refused before it runs.
#pragma once
#include <cstddef>
#include <string_view>

#include "ir/core/result.h"

namespace cutset::passes {

inline constexpr size_t kTextBytes = size_t{1} << 24;
inline constexpr int kTextDepth = 200;       // of brackets
inline constexpr size_t kTokenBytes = 4096;  // of a number, a name or a type without brackets

// MLIR 22's parser recurses with the nesting of brackets and of affine expressions, takes quadratic time for long
// numbers, builds an array of `index` without a width, and trusts bytecode. The text of a module of ours is shallow,
// has none of affine maps, aliases and arrays of other elements than numbers, and is no bytecode. A failure names
// the line. Takes time linear in the text.
Status check_text(std::string_view text);

}  // namespace cutset::passes
