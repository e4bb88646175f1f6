// SPDX-License-Identifier: Apache-2.0
#include "runtime/program/variable_pieces.h"

#include <gtest/gtest.h>

namespace cutset {
namespace {

Variable divided(int32_t axis, int32_t pieces, int64_t unit) {
  Variable v{"w", {DType::f32, {6, 7}}, {0, 1, 2, 3, 4, 5}};
  v.axis = axis;
  v.pieces = pieces;
  v.piece_unit = unit;
  return v;
}

TEST(Piece, PiecesCoverADimensionWithoutAGapAndDifferByAtMostOneUnit) {
  for (int64_t unit : {1, 4})
    for (int64_t units = 0; units <= 20; ++units)
      for (int64_t count = 1; count <= 7; ++count) {
        int64_t next = 0;
        for (int64_t i = 0; i < count; ++i) {
          const PieceRange r = range_of(units * unit, unit, count, i);
          EXPECT_EQ(r.start, next);
          EXPECT_EQ(r.size % unit, 0);
          EXPECT_LE(range_of(units * unit, unit, count, 0).size - r.size, unit);
          EXPECT_GE(range_of(units * unit, unit, count, 0).size, r.size);
          next += r.size;
        }
        EXPECT_EQ(next, units * unit);
      }
}

TEST(VariablePieces, EveryHomeHoldsThePieceOfItsNumber) {
  const Variable v = divided(1, 3, 1);
  ASSERT_TRUE(fits_pieces(v));
  EXPECT_EQ(type_at_home(v, 0).shape, (Shape{6, 3}));
  EXPECT_EQ(type_at_home(v, 1).shape, (Shape{6, 2}));
  EXPECT_EQ(type_at_home(v, 3).shape, (Shape{6, 3}));
  EXPECT_EQ(range_at_home(v, 5).start, 5);
  EXPECT_EQ(type_at_home(divided(0, 2, 3), 1).shape, (Shape{3, 7}));
}

TEST(VariablePieces, PiecesThatDoNotFitAreFound) {
  EXPECT_FALSE(fits_pieces(divided(2, 2, 1)));
  EXPECT_FALSE(fits_pieces(divided(-2, 2, 1)));
  EXPECT_FALSE(fits_pieces(divided(0, 4, 1))) << "six homes do not hold copies of four pieces";
  EXPECT_FALSE(fits_pieces(divided(0, 0, 1)));
  EXPECT_FALSE(fits_pieces(divided(0, 2, 4)));
  EXPECT_FALSE(fits_pieces(divided(0, 2, 0)));
  EXPECT_FALSE(fits_pieces(divided(kNone, 2, 1)));
  EXPECT_TRUE(fits_pieces(divided(0, 2, 3)));
}

TEST(VariablePieces, RowsThatAreTakenOutAndPutBackGiveTheWhole) {
  HostTensor whole({DType::f32, {6, 7}}), joined({DType::f32, {6, 7}});
  for (int64_t i = 0; i < 42; ++i) whole.set(i, static_cast<double>(i));
  for (int32_t axis : {0, 1}) {
    const int64_t size = whole.type().shape[static_cast<size_t>(axis)];
    set_rows(joined, axis, 0, rows_of(whole, axis, 0, 2));
    set_rows(joined, axis, 2, rows_of(whole, axis, 2, size - 2));
    EXPECT_EQ(joined, whole) << axis;
    joined = HostTensor({DType::f32, {6, 7}});
  }
}

}  // namespace
}  // namespace cutset
