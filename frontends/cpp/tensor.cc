#include <cutset/constants.h>
#include <cutset/ops.h>
#include <cutset/tensor.h>

namespace cutset {
namespace {

// Returns the number as a constant of the element type of x. Errors name the line of the operator.
Tensor beside(const Located& x, Number value) {
  value.where = x.where;
  return constant(x.tensor, value);
}

}  // namespace

Tensor operator+(const Located& x, const Located& y) { return add(x.tensor, y.tensor, x.where); }
Tensor operator-(const Located& x, const Located& y) { return sub(x.tensor, y.tensor, x.where); }
Tensor operator*(const Located& x, const Located& y) { return mul(x.tensor, y.tensor, x.where); }
Tensor operator/(const Located& x, const Located& y) { return div(x.tensor, y.tensor, x.where); }
Tensor operator-(const Located& x) { return neg(x.tensor, x.where); }

Tensor operator+(const Located& x, const Number& y) { return add(x.tensor, beside(x, y), x.where); }
Tensor operator-(const Located& x, const Number& y) { return sub(x.tensor, beside(x, y), x.where); }
Tensor operator*(const Located& x, const Number& y) { return mul(x.tensor, beside(x, y), x.where); }
Tensor operator/(const Located& x, const Number& y) { return div(x.tensor, beside(x, y), x.where); }
Tensor operator+(const Number& x, const Located& y) { return add(beside(y, x), y.tensor, y.where); }
Tensor operator-(const Number& x, const Located& y) { return sub(beside(y, x), y.tensor, y.where); }
Tensor operator*(const Number& x, const Located& y) { return mul(beside(y, x), y.tensor, y.where); }
Tensor operator/(const Number& x, const Located& y) { return div(beside(y, x), y.tensor, y.where); }

}  // namespace cutset
