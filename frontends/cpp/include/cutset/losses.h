// SPDX-License-Identifier: Apache-2.0
// Losses with the names and the meaning of torch.nn.functional, composed of the ops of <cutset/ops.h>. The
// loss of one element or one row is softmax_cross_entropy of <cutset/ops.h>, which cross_entropy() uses where
// it can.
//
//   g.minimize(cross_entropy(logits, label, {.ignore_index = -100, .label_smoothing = 0.1}),
//              Adam{.learning_rate = 0.001});
//
// The divisor of a mean is counted over the whole batch when the program runs. The mean is therefore right
// for every batch size and for a batch that is split over replicas or micro-batches, even if they have
// unequal numbers of labels that count. The mean of no elements is NaN, as in PyTorch.
//
// All functions throw a cutset::Error with the line of the call if an operand or an option does not fit, and
// then add nothing to the graph.
#pragma once
#include <cutset/graph.h>

#include <cstdint>
#include <optional>
#include <source_location>
#include <type_traits>

namespace cutset {

// How the losses of the elements become one number. kMean is the mean over all of them, unless the comment of
// the function says otherwise. kBatchMean is the sum divided by the size of dimension 0. kNone returns all
// losses.
enum class LossReduction { kMean, kSum, kNone, kBatchMean };

// The options of nll_loss.
struct NllLossOptions {
  // Factors of the losses by the label, [classes], with the element type of the first operand. The mean is
  // then weighted: the sum of the weighted losses divided by the sum of the weights of the labels. Empty: all
  // factors are 1.
  Tensor weight = {};
  // A label whose loss is 0 and that does not count in the mean. It need not be the index of a class.
  // std::nullopt: there is none, which differs from PyTorch, whose default is -100.
  std::optional<int64_t> ignore_index = {};
  LossReduction reduction = LossReduction::kMean;
  // The dimension of the classes; a negative number counts from the end. std::nullopt: 1, as in PyTorch, or 0
  // without a batch.
  std::optional<int64_t> class_axis = {};
};
// Returns the negative log-likelihood of the labels: -log_probability[label]. The logarithms of probabilities
// are [n, classes, ...], or [classes] without a batch, unless `class_axis` names another dimension. The
// labels are integers. Labels and losses have the shape of the logarithms without the dimension of the
// classes. A label that is not the index of a class, and is not ignored, gives NaN, so that a step with it is
// not committed.
Tensor nll_loss(const Tensor& log_probability, const Tensor& label, const NllLossOptions& options = {},
                std::source_location source = std::source_location::current());

// The options of cross_entropy.
struct CrossEntropyOptions {
  Tensor weight = {};  // as in NllLossOptions
  // As in NllLossOptions; not possible with probabilities as target.
  std::optional<int64_t> ignore_index = {};
  LossReduction reduction = LossReduction::kMean;
  // The share of the uniform distribution in the target, from 0 to 1 (Szegedy and others, "Rethinking the
  // Inception architecture for computer vision", CVPR 2016). With weights, class c has the share
  // label_smoothing / classes times its weight.
  double label_smoothing = 0;
  std::optional<int64_t> class_axis = {};  // as in NllLossOptions
};
// Returns the cross-entropy of softmax(logits) and the target. The logits are [n, classes, ...], or [classes]
// without a batch, unless `class_axis` names another dimension: -1 for the [n, sequence, vocabulary] of a
// language model. The target is labels as in nll_loss, or probabilities with the type of the logits. The
// largest logit is subtracted before exponentials are taken, so no logit overflows. For probabilities:
// - The mean divides by the number of distributions, even if there are weights.
// - A probability of 0 contributes 0, even where the logit is -infinity.
Tensor cross_entropy(const Tensor& logits, const Tensor& target, const CrossEntropyOptions& options = {},
                     std::source_location source = std::source_location::current());

// The options of binary_cross_entropy_with_logits.
struct BinaryCrossEntropyOptions {
  Tensor weight = {};  // factors of the losses, which broadcast to the logits; empty: all are 1
  Tensor pos_weight =
      {};  // factors of the term of the target 1, which broadcast to the logits; empty: all are 1
  LossReduction reduction = LossReduction::kMean;
};
// Returns the cross-entropy of sigmoid(logit) and the target, a probability, element by element: pos_weight *
// target * softplus(-logit) + (1 - target) * softplus(logit). Both terms are positive, so nothing cancels,
// and no exponential overflows.
Tensor binary_cross_entropy_with_logits(const Tensor& logits, const Tensor& target,
                                        const BinaryCrossEntropyOptions& options = {},
                                        std::source_location source = std::source_location::current());

// The losses below compare x with a target of the same floating-point type and shape, element by element.

// The arguments of mse_loss and l1_loss by name.
struct LossOptions {
  LossReduction reduction = LossReduction::kMean;
};
// Returns (x - target)^2.
Tensor mse_loss(const Tensor& x, const Tensor& target, LossReduction reduction = LossReduction::kMean,
                std::source_location source = std::source_location::current());
template <class Options = LossOptions>
Tensor mse_loss(const Tensor& x, const Tensor& target, const std::type_identity_t<Options>& options,
                std::source_location source = std::source_location::current()) {
  return mse_loss(x, target, options.reduction, source);
}
// Returns |x - target|. The gradient is 0 where both are equal.
Tensor l1_loss(const Tensor& x, const Tensor& target, LossReduction reduction = LossReduction::kMean,
               std::source_location source = std::source_location::current());
template <class Options = LossOptions>
Tensor l1_loss(const Tensor& x, const Tensor& target, const std::type_identity_t<Options>& options,
               std::source_location source = std::source_location::current()) {
  return l1_loss(x, target, options.reduction, source);
}

// The options of huber_loss.
struct HuberLossOptions {
  double delta = 1;  // the difference from which on the loss is linear; above 0
  LossReduction reduction = LossReduction::kMean;
};
// Returns d^2 / 2 where d = |x - target| is at most delta, and delta * (d - delta / 2) elsewhere (Huber,
// "Robust estimation of a location parameter", 1964).
Tensor huber_loss(const Tensor& x, const Tensor& target, const HuberLossOptions& options = {},
                  std::source_location source = std::source_location::current());

// The options of smooth_l1_loss.
struct SmoothL1LossOptions {
  double beta = 1;  // the difference from which on the loss is linear; not negative
  LossReduction reduction = LossReduction::kMean;
};
// Returns huber_loss with delta = beta, divided by beta (Girshick, "Fast R-CNN", ICCV 2015). A beta of 0
// gives l1_loss.
Tensor smooth_l1_loss(const Tensor& x, const Tensor& target, const SmoothL1LossOptions& options = {},
                      std::source_location source = std::source_location::current());

// The options of kl_div.
struct KlDivOptions {
  bool log_target = false;  // whether the target also has logarithms of probabilities
  // kBatchMean is the mean of the divergences. kMean also divides by the number of classes, as in PyTorch.
  LossReduction reduction = LossReduction::kMean;
};
// Returns the terms of the Kullback-Leibler divergence of the target from the distribution whose logarithm is
// `log_probability`: target * (log(target) - log_probability), which is 0 where the target is 0.
Tensor kl_div(const Tensor& log_probability, const Tensor& target, const KlDivOptions& options = {},
              std::source_location source = std::source_location::current());

}  // namespace cutset
