// SPDX-License-Identifier: Apache-2.0
#include <cutset/constants.h>
#include <cutset/layers.h>
#include <cutset/losses.h>
#include <cutset/reductions.h>
#include <cutset/shapes.h>

#include <cmath>

#include "frontends/cpp/functional/compose_in_f32.h"
#include "frontends/cpp/graph/graph_state.h"

namespace cutset {
namespace {

using Where = std::source_location;

// The losses as `reduction` wants them. `weight` has the weights of a weighted mean, and is empty if all
// losses count equally.
Tensor reduced(const Tensor& losses, const Tensor& weight, LossReduction reduction, Where where) {
  switch (reduction) {
    case LossReduction::kNone:
      return losses;
    case LossReduction::kSum:
      return sum(losses, {}, false, where);
    case LossReduction::kMean:
      if (!weight.defined()) return mean(losses, {}, false, where);
      return div(sum(losses, {}, false, where), sum(weight, {}, false, where), where);
    case LossReduction::kBatchMean:
      if (losses.shape().empty()) refuse(losses, "a loss with the reduction kBatchMean", "a batch", where);
      return div(sum(losses, {}, false, where), ops::count(losses, {.axes = {0}}, where), where);
  }
  refuse(losses, "a loss", "a reduction that exists, not " + std::to_string(static_cast<int>(reduction)),
         where);
}

// Returns the dimension of the classes, counted from the first one.
int64_t checked_class_axis(const Tensor& x, const char* function, std::optional<int64_t> given, Where where) {
  const int64_t rank = x.type().rank(), by_default = rank < 2 ? 0 : 1, axis = given.value_or(by_default);
  const bool exists = axis >= -rank && axis < rank;
  if (given && rank > 0 && !exists)
    refuse(x, function,
           "a class_axis from " + std::to_string(-rank) + " to " + std::to_string(rank - 1) + ", not " +
               std::to_string(axis),
           where);
  const int64_t from_first = axis < 0 ? axis + rank : axis;
  if (!exists || !is_float(x.dtype()) || x.shape()[static_cast<size_t>(from_first)] < 1)
    refuse(x, function, "a floating-point type and a dimension of one class or more", where);
  return from_first;
}

void check_weight(const Tensor& x, int64_t class_axis, const char* function, const Tensor& weight,
                  Where where) {
  const int64_t classes = x.shape()[static_cast<size_t>(class_axis)];
  if (weight.defined() && weight.type() != TensorType{x.dtype(), {classes}})
    refuse(x, function,
           "weights of the type " + to_string(TensorType{x.dtype(), {classes}}) + ", not " +
               to_string(weight.type()),
           where);
}

// The logits or logarithms as [rows, classes], one row per label.
Tensor rows_of(const Tensor& x, int64_t class_axis, Where where) {
  const int64_t rank = x.type().rank();
  const Tensor classes_last = class_axis == rank - 1 ? x : move_axis(x, class_axis, -1, where);
  return rank == 2 ? classes_last
                   : reshape(classes_last, {.shape = {-1, classes_last.shape().back()}}, where);
}

// Labels, one per row of a matrix.
struct Labels {
  Tensor of_rows;  // i32 or i64 [rows]; 0 in rows that are ignored
  Tensor counted;  // i1 [rows]: which rows are not ignored; empty if all count
};

Labels labels_of(const Tensor& x, int64_t class_axis, const char* function, const Tensor& label,
                 std::optional<int64_t> ignore_index, Where where) {
  require_tensor(label, function, where);
  Shape expected = x.shape();
  expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(class_axis));
  if (is_float(label.dtype()) || label.dtype() == DType::i1 || label.shape() != expected)
    refuse(x, function,
           "integer labels of the shape " + to_string(expected) + ", not " + to_string(label.type()) +
               (x.type().rank() > 1 ? "; dimension " + std::to_string(class_axis) + " is that of the classes"
                                    : ""),
           where);
  const bool is_index = label.dtype() == DType::i32 || label.dtype() == DType::i64;
  Labels l;
  l.of_rows = is_index ? label : cast(label, {.dtype = DType::i64}, where);
  if (label.type().rank() != 1) l.of_rows = reshape(l.of_rows, {.shape = {-1}}, where);
  LabelClasses& known = x.graph()->labels;
  known.add_labels(l.of_rows.value(), x.shape()[static_cast<size_t>(class_axis)]);
  if (!ignore_index) return l;
  // An index that labels of the type cannot have is no error: it ignores nothing.
  if (l.of_rows.dtype() == DType::i32 && (*ignore_index > INT32_MAX || *ignore_index < INT32_MIN)) return l;
  l.counted = not_equal(l.of_rows, constant(l.of_rows, Number(*ignore_index, where)), where);
  const Tensor given = l.of_rows;
  l.of_rows = cutset::where(l.counted, given, constant(given, Number(0, where)), where);
  known.add_padding(l.of_rows.value(), given.value(), *ignore_index);
  return l;
}

// The element of each row at its label: [rows]. A negative index would count from the end, so it becomes one
// behind the end, which gives NaN.
Tensor at_labels(const Tensor& rows, const Labels& labels, Where where) {
  const Tensor& label = labels.of_rows;
  const auto number = [&](int64_t n) { return constant(label, Number(n, where)); };
  const Tensor index =
      cutset::where(less(label, number(0), where), number(rows.shape().back()), label, where);
  if (rows.type().rank() == 1) return gather(rows, index, {}, where);
  const Tensor column = reshape(index, {.shape = {-1, 1}}, where);
  return reshape(gather_elements(rows, column, {.axis = 1}, where), {.shape = {-1}}, where);
}

// The losses of rows, weighted, without those that are ignored, and in the shape of the labels.
Tensor joined(const Tensor& of_rows, const Labels& labels, const Tensor& weight, const Tensor& label,
              LossReduction reduction, Where where) {
  const auto counted = [&](const Tensor& x) {
    return labels.counted.defined()
               ? cutset::where(labels.counted, x, constant(of_rows, Number(0, where)), where)
               : x;
  };
  Tensor divisor;
  if (weight.defined() || labels.counted.defined())
    divisor = counted(weight.defined() ? weight : constant(of_rows, Number(1, where)));
  Tensor losses = counted(of_rows);
  if (label.type().rank() != 1) losses = ops::reshape_like(losses, label, where);
  return reduced(losses, divisor, reduction, where);
}

// The cross-entropy with labels, one loss per row. `weight` is that of the labels, and may be empty.
Tensor of_labels(const Tensor& rows, const Labels& labels, const Tensor& weight, const CrossEntropyOptions& o,
                 Where where) {
  if (o.label_smoothing == 0) {
    const Tensor losses = softmax_cross_entropy(rows, labels.of_rows, where);
    return weight.defined() ? mul(losses, weight, where) : losses;
  }
  const Tensor log_probability = log_softmax(rows, {}, where);
  Tensor losses = neg(at_labels(log_probability, labels, where), where);
  if (weight.defined()) losses = mul(losses, weight, where);
  const Tensor terms = o.weight.defined() ? mul(log_probability, o.weight, where) : log_probability;
  const double share = o.label_smoothing / static_cast<double>(rows.shape().back());
  return add(ops::scale(losses, {.factor = 1 - o.label_smoothing}, where),
             ops::scale(sum(terms, {1}, false, where), {.factor = -share}, where), where);
}

Tensor of_probabilities(const Tensor& logits, int64_t axis, const Tensor& target,
                        const CrossEntropyOptions& o, Where where) {
  if (target.type() != logits.type() || o.ignore_index)
    refuse(logits, "cross_entropy",
           "labels, or probabilities of the same type without an index to ignore, not " +
               to_string(target.type()),
           where);
  const int64_t classes = logits.shape()[static_cast<size_t>(axis)];
  const Tensor zero = constant(logits, Number(0, where));
  Tensor share = target;
  if (o.label_smoothing > 0)
    share = add(ops::scale(target, {.factor = 1 - o.label_smoothing}, where),
                constant(logits, Number(o.label_smoothing / static_cast<double>(classes), where)), where);
  const Tensor log_probability = log_softmax(logits, {.axis = axis}, where);
  // 0 times the logarithm of 0 would be NaN.
  const Tensor seen = cutset::where(cutset::equal(share, zero, where), zero, log_probability, where);
  Tensor terms = mul(share, seen, where);
  if (o.weight.defined()) {
    Shape beside(static_cast<size_t>(logits.type().rank() - axis), 1);
    beside[0] = classes;
    terms = mul(terms, reshape(o.weight, {.shape = beside}, where), where);
  }
  return reduced(neg(sum(terms, {axis}, false, where), where), {}, o.reduction, where);
}

void require_target(const Tensor& x, const char* function, const Tensor& target, Where where) {
  require_tensor(target, function, where);
  if (x.type() != target.type() || !is_float(x.dtype()))
    refuse(x, function, "a target of the same floating-point type and shape, not " + to_string(target.type()),
           where);
}

// With d = |x - target| and m = min(d, delta): m (d - m / 2). A choice between the two formulas would compute
// d^2 where d is large.
Tensor huber(const Tensor& x, const Tensor& target, double delta, Where where) {
  const Tensor d = abs(sub(x, target, where), where);
  const Tensor m = minimum(d, constant(x, Number(delta, where)), where);
  return mul(m, sub(d, ops::scale(m, {.factor = 0.5}, where), where), where);
}

}  // namespace

template <class F>
static NllLossOptions with_each(NllLossOptions o, F f) {
  o.weight = with_each(o.weight, f);
  return o;
}
template <class F>
static CrossEntropyOptions with_each(CrossEntropyOptions o, F f) {
  o.weight = with_each(o.weight, f);
  return o;
}
template <class F>
static BinaryCrossEntropyOptions with_each(BinaryCrossEntropyOptions o, F f) {
  o.weight = with_each(o.weight, f), o.pos_weight = with_each(o.pos_weight, f);
  return o;
}

Tensor nll_loss(const Tensor& log_probability, const Tensor& label, const NllLossOptions& o, Where where) {
  const auto again = [x = kept(log_probability), label = kept(label), o = kept(o),
                      where](const Counterpart& now) { return nll_loss(now(x), now(label), now(o), where); };
  const auto build = [&](const Tensor& log_probability, const NllLossOptions& o) {
    const int64_t axis = checked_class_axis(log_probability, "nll_loss", o.class_axis, where);
    check_weight(log_probability, axis, "nll_loss", o.weight, where);
    const Labels labels = labels_of(log_probability, axis, "nll_loss", label, o.ignore_index, where);
    Tensor losses = neg(at_labels(rows_of(log_probability, axis, where), labels, where), where), weight;
    if (o.weight.defined()) weight = at_labels(o.weight, labels, where), losses = mul(losses, weight, where);
    return joined(losses, labels, weight, label, o.reduction, where);
  };
  return compose_in_f32(log_probability, "nll_loss", where, again, std::tie(log_probability, o), build);
}

Tensor cross_entropy(const Tensor& logits, const Tensor& target, const CrossEntropyOptions& o, Where where) {
  const auto again = [x = kept(logits), target = kept(target), o = kept(o), where](const Counterpart& now) {
    return cross_entropy(now(x), now(target), now(o), where);
  };
  const auto build = [&](const Tensor& logits, const Tensor& target, const CrossEntropyOptions& o) {
    require_tensor(target, "cross_entropy", where);
    const int64_t axis = checked_class_axis(logits, "cross_entropy", o.class_axis, where);
    check_weight(logits, axis, "cross_entropy", o.weight, where);
    if (!(o.label_smoothing >= 0 && o.label_smoothing <= 1))
      refuse(logits, "cross_entropy", "label_smoothing from 0 to 1, not " + std::to_string(o.label_smoothing),
             where);
    if (is_float(target.dtype())) return of_probabilities(logits, axis, target, o, where);
    const Labels labels = labels_of(logits, axis, "cross_entropy", target, o.ignore_index, where);
    Tensor weight;
    if (o.weight.defined()) weight = at_labels(o.weight, labels, where);
    return joined(of_labels(rows_of(logits, axis, where), labels, weight, o, where), labels, weight, target,
                  o.reduction, where);
  };
  return compose_in_f32(logits, "cross_entropy", where, again, std::tie(logits, target, o), build);
}

Tensor binary_cross_entropy_with_logits(const Tensor& logits, const Tensor& target,
                                        const BinaryCrossEntropyOptions& o, Where where) {
  const char* function = "binary_cross_entropy_with_logits";
  const auto build = [&](const Tensor& logits, const Tensor& target, const BinaryCrossEntropyOptions& o) {
    require_target(logits, function, target, where);
    Tensor positive = mul(target, softplus(neg(logits, where), where), where);
    if (o.pos_weight.defined()) positive = mul(positive, o.pos_weight, where);
    const Tensor rest = sub(constant(target, Number(1, where)), target, where);
    Tensor losses = add(positive, mul(rest, softplus(logits, where), where), where);
    if (o.weight.defined()) losses = mul(losses, o.weight, where);
    if (losses.shape() != logits.shape())
      refuse(logits, function, "weights that broadcast to the logits", where);
    return reduced(losses, {}, o.reduction, where);
  };
  return compose_in_f32(logits, function, where, std::tie(logits, target, o), build);
}

Tensor mse_loss(const Tensor& x, const Tensor& target, LossReduction reduction, Where where) {
  return compose_in_f32(x, "mse_loss", where, std::tie(x, target),
                        [&](const Tensor& x, const Tensor& target) {
                          require_target(x, "mse_loss", target, where);
                          const Tensor d = sub(x, target, where);
                          return reduced(mul(d, d, where), {}, reduction, where);
                        });
}

Tensor l1_loss(const Tensor& x, const Tensor& target, LossReduction reduction, Where where) {
  return compose_in_f32(x, "l1_loss", where, std::tie(x, target), [&](const Tensor& x, const Tensor& target) {
    require_target(x, "l1_loss", target, where);
    return reduced(abs(sub(x, target, where), where), {}, reduction, where);
  });
}

Tensor huber_loss(const Tensor& x, const Tensor& target, const HuberLossOptions& o, Where where) {
  return compose_in_f32(x, "huber_loss", where, std::tie(x, target),
                        [&](const Tensor& x, const Tensor& target) {
                          require_target(x, "huber_loss", target, where);
                          if (!(o.delta > 0) || std::isinf(o.delta))
                            refuse(x, "huber_loss", "a delta above 0, not " + std::to_string(o.delta), where);
                          return reduced(huber(x, target, o.delta, where), {}, o.reduction, where);
                        });
}

Tensor smooth_l1_loss(const Tensor& x, const Tensor& target, const SmoothL1LossOptions& o, Where where) {
  return compose_in_f32(
      x, "smooth_l1_loss", where, std::tie(x, target), [&](const Tensor& x, const Tensor& target) {
        require_target(x, "smooth_l1_loss", target, where);
        if (!(o.beta >= 0) || std::isinf(o.beta))
          refuse(x, "smooth_l1_loss", "a beta that is not negative, not " + std::to_string(o.beta), where);
        if (o.beta == 0) return l1_loss(x, target, o.reduction, where);
        const Tensor beta = constant(x, Number(o.beta, where));
        return reduced(div(huber(x, target, o.beta, where), beta, where), {}, o.reduction, where);
      });
}

// The operands are replaced where the probability is 0, so that neither the term nor its gradient is NaN
// there.
Tensor kl_div(const Tensor& log_probability, const Tensor& target, const KlDivOptions& o, Where where) {
  const auto build = [&](const Tensor& log_probability, const Tensor& target) {
    require_target(log_probability, "kl_div", target, where);
    const Tensor zero = constant(target, Number(0, where)), one = constant(target, Number(1, where));
    const Tensor probability = o.log_target ? exp(target, where) : target;
    const Tensor none = cutset::equal(probability, zero, where);
    const Tensor log_of_target = o.log_target ? cutset::where(none, zero, target, where)
                                              : log(cutset::where(none, one, target, where), where);
    const Tensor other = cutset::where(none, zero, log_probability, where);
    return reduced(mul(probability, sub(log_of_target, other, where), where), {}, o.reduction, where);
  };
  return compose_in_f32(log_probability, "kl_div", where, std::tie(log_probability, target), build);
}

}  // namespace cutset
