// SPDX-License-Identifier: Apache-2.0
#include <cutset/error.h>
#include <cutset/ops.h>
#include <cutset/tensor.h>

namespace cutset {
namespace {

// Returns the operand of a unary operator. It is never a number: `-2` is an operator of the language.
Tensor only(const TensorOrNumber& x) { return x.tensor(); }

}  // namespace

Tensor TensorOrNumber::tensor() const { return tensor_ ? *tensor_ : Tensor(); }

Tensor operator+(const TensorOrNumber& x, const TensorOrNumber& y) { return add(x, y, x.source()); }
Tensor operator-(const TensorOrNumber& x, const TensorOrNumber& y) { return sub(x, y, x.source()); }
Tensor operator*(const TensorOrNumber& x, const TensorOrNumber& y) { return mul(x, y, x.source()); }
Tensor operator/(const TensorOrNumber& x, const TensorOrNumber& y) { return div(x, y, x.source()); }
Tensor operator%(const TensorOrNumber& x, const TensorOrNumber& y) { return mod(x, y, x.source()); }
Tensor operator-(const TensorOrNumber& x) { return neg(only(x), x.source()); }

Tensor& operator+=(Tensor& x, const TensorOrNumber& y) { return x = add(x, y, y.source()); }
Tensor& operator-=(Tensor& x, const TensorOrNumber& y) { return x = sub(x, y, y.source()); }
Tensor& operator*=(Tensor& x, const TensorOrNumber& y) { return x = mul(x, y, y.source()); }
Tensor& operator/=(Tensor& x, const TensorOrNumber& y) { return x = div(x, y, y.source()); }
Tensor& operator%=(Tensor& x, const TensorOrNumber& y) { return x = mod(x, y, y.source()); }

Tensor operator<(const TensorOrNumber& x, const TensorOrNumber& y) { return less(x, y, x.source()); }
Tensor operator<=(const TensorOrNumber& x, const TensorOrNumber& y) { return less_equal(x, y, x.source()); }
Tensor operator>(const TensorOrNumber& x, const TensorOrNumber& y) { return greater(x, y, x.source()); }
Tensor operator>=(const TensorOrNumber& x, const TensorOrNumber& y) {
  return greater_equal(x, y, x.source());
}
Tensor operator==(const TensorOrNumber& x, const TensorOrNumber& y) {
  return cutset::equal(x, y, x.source());
}
Tensor operator!=(const TensorOrNumber& x, const TensorOrNumber& y) { return not_equal(x, y, x.source()); }

Tensor operator&(const TensorOrNumber& x, const TensorOrNumber& y) { return bitwise_and(x, y, x.source()); }
Tensor operator|(const TensorOrNumber& x, const TensorOrNumber& y) { return bitwise_or(x, y, x.source()); }
Tensor operator^(const TensorOrNumber& x, const TensorOrNumber& y) { return bitwise_xor(x, y, x.source()); }
Tensor& operator&=(Tensor& x, const TensorOrNumber& y) { return x = bitwise_and(x, y, y.source()); }
Tensor& operator|=(Tensor& x, const TensorOrNumber& y) { return x = bitwise_or(x, y, y.source()); }
Tensor& operator^=(Tensor& x, const TensorOrNumber& y) { return x = bitwise_xor(x, y, y.source()); }
Tensor operator~(const TensorOrNumber& x) { return bitwise_not(only(x), x.source()); }
Tensor operator!(const TensorOrNumber& x) {
  const Tensor condition = only(x);
  if (condition.defined() && condition.dtype() != i1)
    throw Error(ErrorCode::kInvalidArgument,
                "! of " + to_string(condition.type()) + " needs the element type i1",
                Error::line_of(x.source()), "compare it: x == 0");
  return bitwise_not(condition, x.source());
}

}  // namespace cutset
