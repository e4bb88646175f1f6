// SPDX-License-Identifier: Apache-2.0
// What the homes of a variable hold.
#pragma once
#include "runtime/files/host_tensor.h"
#include "runtime/program/program.h"

namespace cutset {

// The largest number of devices over which an operand is divided.
inline constexpr int32_t kMostPieces = 4096;

// Whether the numbers of a piece are in range: a file may have written them.
bool is_piece(const Piece& piece);
// Whether the pieces of a variable fit its type and the number of its homes: a file may have written them.
bool fits_pieces(const Variable& variable);

// Returns the elements along Variable::axis that home number `home` holds. The variable must be divided and
// fit its pieces.
PieceRange range_at_home(const Variable& variable, size_t home);
// Returns the type of the tensor that home number `home` holds: the variable or a piece of it.
TensorType type_at_home(const Variable& variable, size_t home);

// Returns the elements [start, start + size) of `tensor` along `dimension`. They must be in range.
HostTensor rows_of(const HostTensor& tensor, int32_t dimension, int64_t start, int64_t size);
// Writes `rows` to the elements of `tensor` along `dimension`, from `start` on. They must be in range.
void set_rows(HostTensor& tensor, int32_t dimension, int64_t start, const HostTensor& rows);

}  // namespace cutset
