// The value that a buffer of a split program should hold, and how far off it may be.
#pragma once
#include <map>

#include "runtime/verify/reference.h"

namespace cutset {

// How far each element of a value may be off: `all`, and its own part where `each` is not empty.
struct Tolerance {
  double all = 0;
  std::vector<double> each;
  double of(int64_t element) const { return each.empty() ? all : all + each[static_cast<size_t>(element)]; }
};

class Expected {
 public:
  Expected(const Function& function, const ReferenceValues& values);

  // What a buffer of this meaning holds.
  Result<HostTensor> of(const Meaning& meaning) const;
  // For a value that was computed. An updated variable may be off by a share of its change and by the rounding
  // of its size, never by a share of its size. `doubt` asks for the exact tolerance, which runs the op again in
  // f64: for what f32 did to the reference's own value, and for the size of what was summed.
  Tolerance tolerance(const Meaning& meaning, const HostTensor& want, bool doubt) const;

 private:
  enum class Form { kAsItIs, kWide, kMagnitudes };  // kWide: in f64; kMagnitudes: of absolute values, in f64
  Result<HostTensor> partial(int32_t number, int32_t factor, int32_t first, int32_t last, Form form) const;
  Result<HostTensor> whole(int32_t number, Form form) const;
  Result<HostTensor> in_form(const Meaning& meaning, Form form) const;
  bool sums(int32_t number) const;
  double terms(int32_t number) const;
  std::pair<int64_t, int64_t> rows(int32_t first, int32_t last) const;  // start, size
  int32_t factor_of(int32_t number) const;

  const Function& function_;
  const ReferenceValues& values_;
  std::map<int32_t, int32_t> partial_factors_;  // of values that are partial sums somewhere, by number
};

HostTensor rows_of(const HostTensor& whole, int32_t dimension, int64_t start, int64_t size);

}  // namespace cutset
