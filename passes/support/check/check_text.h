// SPDX-License-Identifier: Apache-2.0
// Refuses text that could crash or hang MLIR's parser, before the parser runs.
#pragma once
#include <cstddef>
#include <string_view>

#include "ir/core/result.h"

namespace cutset::passes {

// The limits of a text.
inline constexpr size_t kTextBytes = size_t{1} << 24;
inline constexpr int kTextDepth = 200;       // levels of nested brackets
inline constexpr size_t kTokenBytes = 4096;  // bytes of a number, a name or a type without brackets

// Refuses text that could crash or hang the parser.
//
// Problem: MLIR 22's parser recurses with the nesting of brackets and of affine expressions. It takes
//   quadratic time for long numbers, aborts at arrays of `index`, and trusts bytecode.
// Method: one scan of the characters. It refuses bytecode, deep nesting, long tokens, affine maps, aliases,
//   attributes and types of other dialects, and arrays of elements that are not numbers. No module of Cutset
//   needs any of these.
// Complexity: linear in the text. Failure: an error that names the line.
Status check_text(std::string_view text);

}  // namespace cutset::passes
