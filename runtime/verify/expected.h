// SPDX-License-Identifier: Apache-2.0
// Computes the value that a buffer of a partitioned program should hold, and by how much the computed value
// may differ from it because of rounding.
#pragma once
#include <map>
#include <set>

#include "runtime/verify/reference.h"

namespace cutset {

// The largest absolute difference that is allowed. Default: 0.
struct Tolerance {
  double all = 0;            // the tolerance of every element
  std::vector<double> each;  // by element, in addition to `all`; empty: nothing is added
  double of(int64_t element) const { return each.empty() ? all : all + each[static_cast<size_t>(element)]; }
};

// `function` belongs to the partitioned program, and `values` to the single-device program. Both must outlive
// this object.
class Expected {
 public:
  Expected(const Function& function, const ReferenceValues& values);

  // Returns the value of a buffer with this origin: the reference's value, its rows, or the partial sum,
  // which is computed with the reference kernel. Fails if the reference has no such value or rows.
  Result<HostTensor> of(const ValueOrigin& origin) const;
  // Returns the tolerance of a computed value of this origin, where `want` is of(origin).
  //   - Without `doubt`: a small fraction of the largest element. The fraction grows with the number of terms
  //     of a sum. This tolerance is cheap to compute.
  //   - With `doubt`: also the rounding error of the reference, which is found by computing the op again in
  //     f64, and for sums the probable rounding error of the sum of the magnitudes of the terms.
  //   - For a variable that an update overwrites: a small fraction of its largest change, and two roundings
  //     of each element, so that a wrong update of a large variable is found.
  Tolerance tolerance(const ValueOrigin& origin, const HostTensor& want, bool doubt) const;

 private:
  // How an op is computed again. kAsItIs: with the operands as they are. kWide: in f64. kMagnitudes: in f64,
  // with the absolute values of the operands.
  enum class Form { kAsItIs, kWide, kMagnitudes };
  static bool is_partial(const ValueOrigin& origin);
  // Returns the rows and the piece of `value` that the origin names; `value` itself along an axis with
  // partial sums.
  Result<HostTensor> part_of(HostTensor value, const ValueOrigin& origin) const;
  // Returns the rows of the shards of `origin`, or a piece, of `value` along a dimension. `what` names
  // `value` in an error message.
  Result<HostTensor> rows(const HostTensor& value, int32_t dimension, const ValueOrigin& origin,
                          const std::string& what) const;
  static Result<HostTensor> piece(const HostTensor& value, int32_t dimension, int64_t unit, const Piece& p,
                                  const std::string& what);
  // Returns the partial sum with this origin, which the reference kernel computes from slices of the
  // operands.
  Result<HostTensor> partial(const ValueOrigin& origin, Form form) const;
  Result<HostTensor> whole(int32_t number, Form form) const;
  Result<HostTensor> in_form(const ValueOrigin& origin, Form form) const;
  // Whether the op of value `number`, or an op that is fused with it, adds up terms; how many multiply-adds
  // an element takes; and how many terms it has, over all shards.
  bool sums(int32_t number) const;
  double length(int32_t number) const;
  double terms(int32_t number) const;
  int32_t factor_of(int32_t number) const;
  bool is_fused(int32_t number) const;  // an op that reads the value computes it, so that no buffer holds it

  const Function& function_;
  const ReferenceValues& values_;
  std::map<int32_t, int32_t> partial_factors_;  // by number, for values that are partial sums in some buffer
  std::map<int32_t, Piece> partial_pieces_;     // the same along the tensor axis
  std::set<int32_t> computed_;                  // the numbers of the values that some buffer holds
};

}  // namespace cutset
