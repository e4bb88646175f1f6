// SPDX-License-Identifier: Apache-2.0
#include "runtime/program/variable_pieces.h"

#include "ir/core/rows.h"

namespace cutset {

bool is_piece(const Piece& p) {
  return p.layout >= kPartialSum && p.layout < kMaxRank && p.factor >= kNone && p.count >= 1 &&
         p.count <= kMostPieces && p.index >= 0 && p.index < p.count && p.unit >= 1;
}

bool fits_pieces(const Variable& v) {
  if (v.axis == kNone) return v.pieces == 1 && v.piece_unit == 1;
  if (v.axis < 0 || v.axis >= v.type.rank() || v.pieces < 1 || v.pieces > kMostPieces || v.piece_unit < 1)
    return false;
  return v.homes.size() % static_cast<size_t>(v.pieces) == 0 &&
         v.type.shape[static_cast<size_t>(v.axis)] % v.piece_unit == 0;
}

PieceRange range_at_home(const Variable& v, size_t home) {
  return range_of(v.type.shape[static_cast<size_t>(v.axis)], v.piece_unit, v.pieces,
                  static_cast<int64_t>(home) % v.pieces);
}

TensorType type_at_home(const Variable& v, size_t home) {
  TensorType type = v.type;
  if (v.axis != kNone) type.shape[static_cast<size_t>(v.axis)] = range_at_home(v, home).size;
  return type;
}

HostTensor rows_of(const HostTensor& tensor, int32_t dimension, int64_t start, int64_t size) {
  TensorType type = tensor.type();
  const int64_t all = std::exchange(type.shape[static_cast<size_t>(dimension)], size);
  HostTensor part(type);
  copy_rows(blocks_of(type.shape, dimension), size_of(type.dtype), tensor.data(), all, start, part.data(),
            size, 0, size);
  return part;
}

void set_rows(HostTensor& tensor, int32_t dimension, int64_t start, const HostTensor& rows) {
  const auto axis = static_cast<size_t>(dimension);
  const int64_t size = rows.type().shape[axis], all = tensor.type().shape[axis];
  copy_rows(blocks_of(rows.type().shape, dimension), size_of(rows.type().dtype), rows.data(), size, 0,
            tensor.data(), all, start, size);
}

}  // namespace cutset
