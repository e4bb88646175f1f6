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

// Reduces the losses by `reduction`. `weight` has the weights of a weighted mean, and is empty if all losses
// count equally.
Tensor reduced(const Tensor& losses, const Tensor& weight, LossReduction reduction, Where source) {
  switch (reduction) {
    case LossReduction::kNone:
      return losses;
    case LossReduction::kSum:
      return sum(losses, {}, false, source);
    case LossReduction::kMean:
      if (!weight.defined()) return mean(losses, {}, false, source);
      return div(sum(losses, {}, false, source), sum(weight, {}, false, source), source);
    case LossReduction::kBatchMean:
      if (losses.shape().empty()) refuse(losses, "a loss with the reduction kBatchMean", "a batch", source);
      return div(sum(losses, {}, false, source), ops::count(losses, {.axes = {0}}, source), source);
  }
  refuse(losses, "a loss", "a reduction that exists, not " + std::to_string(static_cast<int>(reduction)),
         source);
}

// Returns the dimension of the classes as an index from 0.
int64_t checked_class_axis(const Tensor& x, const char* function, std::optional<int64_t> class_axis,
                           Where source) {
  const int64_t rank = x.type().rank(), by_default = rank < 2 ? 0 : 1, axis = class_axis.value_or(by_default);
  const bool exists = axis >= -rank && axis < rank;
  if (class_axis && rank > 0 && !exists)
    refuse(x, function,
           "a class_axis from " + std::to_string(-rank) + " to " + std::to_string(rank - 1) + ", not " +
               std::to_string(axis),
           source);
  const int64_t from_first = axis < 0 ? axis + rank : axis;
  if (!exists || !is_float(x.dtype()) || x.shape()[static_cast<size_t>(from_first)] < 1)
    refuse(x, function, "a floating-point type and a dimension of one class or more", source);
  return from_first;
}

void check_weight(const Tensor& x, int64_t class_axis, const char* function, const Tensor& weight,
                  Where source) {
  const int64_t classes = x.shape()[static_cast<size_t>(class_axis)];
  if (weight.defined() && weight.type() != TensorType{x.dtype(), {classes}})
    refuse(x, function,
           "weights of the type " + to_string(TensorType{x.dtype(), {classes}}) + ", not " +
               to_string(weight.type()),
           source);
}

// Returns the logits or logarithms as [rows, classes], one row per label.
Tensor rows_of(const Tensor& x, int64_t class_axis, Where source) {
  const int64_t rank = x.type().rank();
  const Tensor classes_last = class_axis == rank - 1 ? x : move_axis(x, class_axis, -1, source);
  return rank == 2 ? classes_last
                   : reshape(classes_last, {.shape = {-1, classes_last.shape().back()}}, source);
}

// Labels, one per row of a matrix.
struct Labels {
  Tensor of_rows;  // i32 or i64 [rows]; 0 in rows that are ignored
  Tensor counted;  // i1 [rows]: which rows are not ignored; empty if all count
};

Labels labels_of(const Tensor& x, int64_t class_axis, const char* function, const Tensor& label,
                 std::optional<int64_t> ignore_index, Where source) {
  require_tensor(label, function, source);
  Shape expected = x.shape();
  expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(class_axis));
  if (is_float(label.dtype()) || label.dtype() == DType::i1 || label.shape() != expected)
    refuse(x, function,
           "integer labels of the shape " + to_string(expected) + ", not " + to_string(label.type()) +
               (x.type().rank() > 1 ? "; dimension " + std::to_string(class_axis) + " has the classes" : ""),
           source);
  const bool is_index = label.dtype() == DType::i32 || label.dtype() == DType::i64;
  Labels l;
  l.of_rows = is_index ? label : cast(label, {.dtype = DType::i64}, source);
  if (label.type().rank() != 1) l.of_rows = reshape(l.of_rows, {.shape = {-1}}, source);
  LabelClasses& label_classes = x.graph()->labels;
  label_classes.add_labels(l.of_rows.value(), x.shape()[static_cast<size_t>(class_axis)]);
  if (!ignore_index) return l;
  // An index that labels of the type cannot have is no error: it ignores nothing.
  if (l.of_rows.dtype() == DType::i32 && (*ignore_index > INT32_MAX || *ignore_index < INT32_MIN)) return l;
  l.counted = not_equal(l.of_rows, constant(l.of_rows, Number(*ignore_index, source)), source);
  const Tensor labels_of_rows = l.of_rows;
  l.of_rows = cutset::where(l.counted, labels_of_rows, constant(labels_of_rows, Number(0, source)), source);
  label_classes.add_padding(l.of_rows.value(), labels_of_rows.value(), *ignore_index);
  return l;
}

// Returns the element of each row at its label: [rows]. If `rows` is a vector, returns its element at each
// label. A negative index would count from the end, so it is replaced by an index past the end, which gives
// NaN.
Tensor at_labels(const Tensor& rows, const Labels& labels, Where source) {
  const Tensor& label = labels.of_rows;
  const auto number = [&](int64_t n) { return constant(label, Number(n, source)); };
  const Tensor index =
      cutset::where(less(label, number(0), source), number(rows.shape().back()), label, source);
  if (rows.type().rank() == 1) return gather(rows, index, {}, source);
  const Tensor column = reshape(index, {.shape = {-1, 1}}, source);
  return reshape(gather_elements(rows, column, {.axis = 1}, source), {.shape = {-1}}, source);
}

// Sets the losses of ignored rows to 0, gives the losses the shape of `label`, and reduces them. `of_rows`
// has the losses of the rows, already weighted.
Tensor joined(const Tensor& of_rows, const Labels& labels, const Tensor& weight, const Tensor& label,
              LossReduction reduction, Where source) {
  const auto counted = [&](const Tensor& x) {
    return labels.counted.defined()
               ? cutset::where(labels.counted, x, constant(of_rows, Number(0, source)), source)
               : x;
  };
  Tensor divisor;
  if (weight.defined() || labels.counted.defined())
    divisor = counted(weight.defined() ? weight : constant(of_rows, Number(1, source)));
  Tensor losses = counted(of_rows);
  if (label.type().rank() != 1) losses = ops::reshape_like(losses, label, source);
  return reduced(losses, divisor, reduction, source);
}

// Returns the cross-entropy with labels, one loss per row. `weight` has the weights of the labels, and may be
// empty.
Tensor of_labels(const Tensor& rows, const Labels& labels, const Tensor& weight, const CrossEntropyOptions& o,
                 Where source) {
  if (o.label_smoothing == 0) {
    const Tensor losses = softmax_cross_entropy(rows, labels.of_rows, source);
    return weight.defined() ? mul(losses, weight, source) : losses;
  }
  const Tensor log_probability = log_softmax(rows, {}, source);
  Tensor losses = neg(at_labels(log_probability, labels, source), source);
  if (weight.defined()) losses = mul(losses, weight, source);
  const Tensor terms = o.weight.defined() ? mul(log_probability, o.weight, source) : log_probability;
  const double share = o.label_smoothing / static_cast<double>(rows.shape().back());
  return add(ops::scale(losses, {.factor = 1 - o.label_smoothing}, source),
             ops::scale(sum(terms, {1}, false, source), {.factor = -share}, source), source);
}

Tensor of_probabilities(const Tensor& logits, int64_t axis, const Tensor& target,
                        const CrossEntropyOptions& o, Where source) {
  if (target.type() != logits.type() || o.ignore_index)
    refuse(logits, "cross_entropy",
           "labels, or probabilities of the same type without an index to ignore, not " +
               to_string(target.type()),
           source);
  const int64_t classes = logits.shape()[static_cast<size_t>(axis)];
  const Tensor zero = constant(logits, Number(0, source));
  Tensor share = target;
  if (o.label_smoothing > 0)
    share = add(ops::scale(target, {.factor = 1 - o.label_smoothing}, source),
                constant(logits, Number(o.label_smoothing / static_cast<double>(classes), source)), source);
  const Tensor log_probability = log_softmax(logits, {.axis = axis}, source);
  // 0 times the logarithm of 0 would be NaN.
  const Tensor seen = cutset::where(cutset::equal(share, zero, source), zero, log_probability, source);
  Tensor terms = mul(share, seen, source);
  if (o.weight.defined()) {
    Shape beside(static_cast<size_t>(logits.type().rank() - axis), 1);
    beside[0] = classes;
    terms = mul(terms, reshape(o.weight, {.shape = beside}, source), source);
  }
  return reduced(neg(sum(terms, {axis}, false, source), source), {}, o.reduction, source);
}

void require_target(const Tensor& x, const char* function, const Tensor& target, Where source) {
  require_tensor(target, function, source);
  if (x.type() != target.type() || !is_float(x.dtype()))
    refuse(x, function, "a target of the same floating-point type and shape, not " + to_string(target.type()),
           source);
}

// Returns m (d - m / 2), with d = |x - target| and m = min(d, delta). A choice between a formula for small d
// and one for large d would also compute d^2 where d is large.
Tensor huber(const Tensor& x, const Tensor& target, double delta, Where source) {
  const Tensor d = abs(sub(x, target, source), source);
  const Tensor m = minimum(d, constant(x, Number(delta, source)), source);
  return mul(m, sub(d, ops::scale(m, {.factor = 0.5}, source), source), source);
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
  o.weight = with_each(o.weight, f);
  o.pos_weight = with_each(o.pos_weight, f);
  return o;
}

Tensor nll_loss(const Tensor& log_probability, const Tensor& label, const NllLossOptions& o, Where source) {
  const auto again = [x = kept(log_probability), label = kept(label), o = kept(o), source](
                         const Counterpart& now) { return nll_loss(now(x), now(label), now(o), source); };
  const auto build = [&](const Tensor& log_probability, const NllLossOptions& o) {
    const int64_t axis = checked_class_axis(log_probability, "nll_loss", o.class_axis, source);
    check_weight(log_probability, axis, "nll_loss", o.weight, source);
    const Labels labels = labels_of(log_probability, axis, "nll_loss", label, o.ignore_index, source);
    Tensor losses = neg(at_labels(rows_of(log_probability, axis, source), labels, source), source), weight;
    if (o.weight.defined()) {
      weight = at_labels(o.weight, labels, source);
      losses = mul(losses, weight, source);
    }
    return joined(losses, labels, weight, label, o.reduction, source);
  };
  return compose_in_f32(log_probability, "nll_loss", source, again, std::tie(log_probability, o), build);
}

Tensor cross_entropy(const Tensor& logits, const Tensor& target, const CrossEntropyOptions& o, Where source) {
  const auto again = [x = kept(logits), target = kept(target), o = kept(o), source](const Counterpart& now) {
    return cross_entropy(now(x), now(target), now(o), source);
  };
  const auto build = [&](const Tensor& logits, const Tensor& target, const CrossEntropyOptions& o) {
    require_tensor(target, "cross_entropy", source);
    const int64_t axis = checked_class_axis(logits, "cross_entropy", o.class_axis, source);
    check_weight(logits, axis, "cross_entropy", o.weight, source);
    if (!(o.label_smoothing >= 0 && o.label_smoothing <= 1))
      refuse(logits, "cross_entropy", "label_smoothing from 0 to 1, not " + std::to_string(o.label_smoothing),
             source);
    if (is_float(target.dtype())) return of_probabilities(logits, axis, target, o, source);
    const Labels labels = labels_of(logits, axis, "cross_entropy", target, o.ignore_index, source);
    Tensor weight;
    if (o.weight.defined()) weight = at_labels(o.weight, labels, source);
    return joined(of_labels(rows_of(logits, axis, source), labels, weight, o, source), labels, weight, target,
                  o.reduction, source);
  };
  return compose_in_f32(logits, "cross_entropy", source, again, std::tie(logits, target, o), build);
}

Tensor binary_cross_entropy_with_logits(const Tensor& logits, const Tensor& target,
                                        const BinaryCrossEntropyOptions& o, Where source) {
  const char* function = "binary_cross_entropy_with_logits";
  const auto build = [&](const Tensor& logits, const Tensor& target, const BinaryCrossEntropyOptions& o) {
    require_target(logits, function, target, source);
    Tensor positive = mul(target, softplus(neg(logits, source), source), source);
    if (o.pos_weight.defined()) positive = mul(positive, o.pos_weight, source);
    const Tensor rest = sub(constant(target, Number(1, source)), target, source);
    Tensor losses = add(positive, mul(rest, softplus(logits, source), source), source);
    if (o.weight.defined()) losses = mul(losses, o.weight, source);
    if (losses.shape() != logits.shape())
      refuse(logits, function, "weights that broadcast to the logits", source);
    return reduced(losses, {}, o.reduction, source);
  };
  return compose_in_f32(logits, function, source, std::tie(logits, target, o), build);
}

Tensor mse_loss(const Tensor& x, const Tensor& target, LossReduction reduction, Where source) {
  return compose_in_f32(x, "mse_loss", source, std::tie(x, target),
                        [&](const Tensor& x, const Tensor& target) {
                          require_target(x, "mse_loss", target, source);
                          const Tensor d = sub(x, target, source);
                          return reduced(mul(d, d, source), {}, reduction, source);
                        });
}

Tensor l1_loss(const Tensor& x, const Tensor& target, LossReduction reduction, Where source) {
  return compose_in_f32(x, "l1_loss", source, std::tie(x, target),
                        [&](const Tensor& x, const Tensor& target) {
                          require_target(x, "l1_loss", target, source);
                          return reduced(abs(sub(x, target, source), source), {}, reduction, source);
                        });
}

Tensor huber_loss(const Tensor& x, const Tensor& target, const HuberLossOptions& o, Where source) {
  return compose_in_f32(
      x, "huber_loss", source, std::tie(x, target), [&](const Tensor& x, const Tensor& target) {
        require_target(x, "huber_loss", target, source);
        if (!(o.delta > 0) || std::isinf(o.delta))
          refuse(x, "huber_loss", "a delta above 0, not " + std::to_string(o.delta), source);
        return reduced(huber(x, target, o.delta, source), {}, o.reduction, source);
      });
}

Tensor smooth_l1_loss(const Tensor& x, const Tensor& target, const SmoothL1LossOptions& o, Where source) {
  return compose_in_f32(
      x, "smooth_l1_loss", source, std::tie(x, target), [&](const Tensor& x, const Tensor& target) {
        require_target(x, "smooth_l1_loss", target, source);
        if (!(o.beta >= 0) || std::isinf(o.beta))
          refuse(x, "smooth_l1_loss", "a beta that is not negative, not " + std::to_string(o.beta), source);
        if (o.beta == 0) return l1_loss(x, target, o.reduction, source);
        const Tensor beta = constant(x, Number(o.beta, source));
        return reduced(div(huber(x, target, o.beta, source), beta, source), {}, o.reduction, source);
      });
}

// The operands are replaced where the probability is 0, so that neither the term nor its gradient is NaN
// there.
Tensor kl_div(const Tensor& log_probability, const Tensor& target, const KlDivOptions& o, Where source) {
  const auto build = [&](const Tensor& log_probability, const Tensor& target) {
    require_target(log_probability, "kl_div", target, source);
    const Tensor zero = constant(target, Number(0, source)), one = constant(target, Number(1, source));
    const Tensor probability = o.log_target ? exp(target, source) : target;
    const Tensor none = cutset::equal(probability, zero, source);
    const Tensor log_of_target = o.log_target ? cutset::where(none, zero, target, source)
                                              : log(cutset::where(none, one, target, source), source);
    const Tensor other = cutset::where(none, zero, log_probability, source);
    return reduced(mul(probability, sub(log_of_target, other, source), source), {}, o.reduction, source);
  };
  return compose_in_f32(log_probability, "kl_div", source, std::tie(log_probability, target), build);
}

}  // namespace cutset
