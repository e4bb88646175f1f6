// The value that a buffer of a split program should hold, and how far off it may be.
#pragma once
#include "runtime/verify/reference.h"

namespace cutset {

class Expected {
 public:
  Expected(const Function& function, const ReferenceValues& values) : function_(function), values_(values) {}

  // What a buffer of this meaning holds.
  Result<HostTensor> of(const Meaning& meaning) const;
  // For a value that was computed. `doubt` asks for the exact bound, which runs the op again in f64.
  double bound(const Meaning& meaning, const HostTensor& want, bool doubt) const;

 private:
  Result<HostTensor> partial(int32_t number, int32_t factor, int32_t first, int32_t last, bool wide) const;
  std::pair<int64_t, int64_t> rows(int32_t first, int32_t last) const;  // start, size
  int32_t factor_of(int32_t number) const;

  const Function& function_;
  const ReferenceValues& values_;
};

HostTensor rows_of(const HostTensor& whole, int32_t dimension, int64_t start, int64_t size);

}  // namespace cutset
