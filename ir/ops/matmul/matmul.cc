// SPDX-License-Identifier: Apache-2.0
// The rules of matmul: infer, shard, cost and gradient (ir/core/op/op_info.h).
#include "ir/core/check_types.h"
#include "ir/ops/matmul/matmul_rules.h"
#include "ir/ops/matmul/matmul_shape.h"

namespace cutset {

Result<MatmulShape> matmul_shape(std::span<const int64_t> x, std::span<const int64_t> y, bool tx, bool ty) {
  if (x.size() < 2 || y.size() < 2)
    return invalid_argument("C1: ranks " + std::to_string(x.size()) + " and " + std::to_string(y.size()) +
                            "; both must be 2 or more");
  const int64_t xr = x[x.size() - 2], xc = x[x.size() - 1], yr = y[y.size() - 2], yc = y[y.size() - 1];
  MatmulShape s{};
  s.m = tx ? xc : xr;
  s.k = tx ? xr : xc;
  s.n = ty ? yr : yc;
  if (int64_t k = ty ? yc : yr; k != s.k)
    return invalid_argument("C2: inner sizes " + std::to_string(s.k) + " and " + std::to_string(k) + " of " +
                            to_string(Shape(x.begin(), x.end())) + (tx ? " transposed" : "") + " and " +
                            to_string(Shape(y.begin(), y.end())) + (ty ? " transposed" : "") + " differ");
  s.x_row = tx ? 1 : xc;
  s.x_column = tx ? xc : 1;
  s.y_row = ty ? 1 : yc;
  s.y_column = ty ? yc : 1;
  s.batch = 1;
  const size_t rank = std::max(x.size(), y.size());
  for (size_t i = 3; i <= rank; ++i) {
    int64_t a = i <= x.size() ? x[x.size() - i] : 1, b = i <= y.size() ? y[y.size() - i] : 1;
    if (a != b && a != 1 && b != 1)
      return invalid_argument("C3: leading sizes of " + to_string(Shape(x.begin(), x.end())) + " and " +
                              to_string(Shape(y.begin(), y.end())) + " do not broadcast");
    if (__builtin_mul_overflow(s.batch, a == 1 ? b : a, &s.batch))
      return invalid_argument("C4: the batch of matrix products of " + to_string(Shape(x.begin(), x.end())) +
                              " and " + to_string(Shape(y.begin(), y.end())) +
                              " is too large; it must have fewer than 2^63 products");
  }
  return s;
}

namespace rules::matmul {

Result<Types> infer(const MatmulAttrs& a, const Types& in) {
  if (!is_float(in[0].dtype) || in[0].dtype != in[1].dtype)
    return invalid_argument("C1: x is " + to_string(in[0]) + " and y is " + to_string(in[1]) +
                            "; both must have the same floating-point type");
  CUTSET_ASSIGN(MatmulShape s, matmul_shape(in[0].shape, in[1].shape, a.transpose_x, a.transpose_y));
  Shape shape = *broadcast_shapes(Shape(in[0].shape.begin(), in[0].shape.end() - 2),
                                  Shape(in[1].shape.begin(), in[1].shape.end() - 2));
  shape.push_back(s.m);
  shape.push_back(s.n);
  return Types{{in[0].dtype, shape}};
}

ShardingRule shard(const MatmulAttrs& a, const Types& in) {
  const int rx = in[0].rank(), ry = in[1].rank(), rank = std::max(rx, ry);
  ShardingRule rule;
  for (int d = 0; d < rank - 2; ++d) {
    int ax = d - (rank - rx), ay = d - (rank - ry);
    auto has = [&](const TensorType& t, int at, const TensorType& o, int other) {
      return at >= 0 && (other < 0 || t.shape[size_t(at)] >= o.shape[size_t(other)]);
    };
    rule.factor({has(in[0], ax, in[1], ay) ? ax : kAbsent, has(in[1], ay, in[0], ax) ? ay : kAbsent}, {d});
  }
  return rule.factor({a.transpose_x ? rx - 1 : rx - 2, kAbsent}, {rank - 2})
      .factor({kAbsent, a.transpose_y ? ry - 2 : ry - 1}, {rank - 1})
      .factor({a.transpose_x ? rx - 2 : rx - 1, a.transpose_y ? ry - 1 : ry - 2}, {kPartial});
}

Cost cost(const MatmulAttrs& a, const Types& in) {
  auto s = *matmul_shape(in[0].shape, in[1].shape, a.transpose_x, a.transpose_y);
  return streaming_cost(
      in, *infer(a, in),
      2.0 * static_cast<double>(s.batch * s.m) * static_cast<double>(s.n) * static_cast<double>(s.k));
}

// X and Y are x and y after transposition. For z = X Y, dX = g Y^T and dY = X^T g. The gradient of x is dX,
// or dX^T if x is transposed, summed over the dimensions along which x is broadcast. The gradient of y
// follows from dY in the same way.
GraphValues gradient(GradientBuilder& b, const MatmulAttrs& a, const Differentiated& op) {
  const GraphValue g = op.gradients[0], x = op.operands[0], y = op.operands[1];
  const bool tx = a.transpose_x, ty = a.transpose_y;
  const auto product = [&](GraphValue l, GraphValue r, bool tl, bool tr) {
    return b("matmul", {l, r}, {{"transpose_x", tl}, {"transpose_y", tr}});
  };
  return {b.sum_to_size(tx ? product(y, g, ty, true) : product(g, y, false, !ty), x),
          b.sum_to_size(ty ? product(g, x, true, tx) : product(x, g, !tx, false), y)};
}

}  // namespace rules::matmul
}  // namespace cutset
