#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the known answers of losses_test.cc: the losses that PyTorch computes in f64, and their gradients.

  tests/equivalence/values/loss_values.py > tests/equivalence/values/loss_values.inc

Needs torch in the Python that runs this script. A loss that is not reduced is summed with the factors 1, 2, 3
and so on. losses_test.cc has the same operands and losses. """
import torch
from torch.nn import functional as F

torch.set_default_dtype(torch.float64)
IGNORED = -100


def numbers(*shape, factor=0.5):
    count = torch.Size(shape).numel()
    return torch.tensor([((7 * i) % 11 - 5) * factor for i in range(count)]).reshape(shape)


def others(*shape):
    count = torch.Size(shape).numel()
    return torch.tensor([((5 * i + 2) % 13 - 6) * 0.25 for i in range(count)]).reshape(shape)


def labels(*shape, ignored=False):
    count = torch.Size(shape).numel()
    return torch.tensor([IGNORED if ignored and i % 3 == 1 else (2 * i + 1) % 3
                         for i in range(count)]).reshape(shape)


def parts(*shape):  # numbers from 0 to 1, of which some are 0
    count = torch.Size(shape).numel()
    return torch.tensor([((3 * i) % 5) * 0.25 for i in range(count)]).reshape(shape)


def weighted(losses):
    return (losses * torch.arange(1, losses.numel() + 1).reshape(losses.shape)).sum()


WEIGHT = torch.tensor([0.5, 2.0, 1.25])
ROWS, IMAGES, ONE = (4, 3), (2, 3, 2), (3,)
CASES = [
    ("nll", ROWS, lambda x: F.nll_loss(x, labels(4))),
    ("nll_weight", ROWS, lambda x: F.nll_loss(x, labels(4), WEIGHT)),
    ("nll_ignored", ROWS, lambda x: F.nll_loss(x, labels(4, ignored=True), ignore_index=IGNORED)),
    ("nll_sum", ROWS, lambda x: F.nll_loss(x, labels(4), WEIGHT, reduction="sum")),
    ("nll_none", IMAGES, lambda x: weighted(F.nll_loss(x, labels(2, 2, ignored=True), WEIGHT,
                                                       reduction="none"))),
    ("nll_one", ONE, lambda x: F.nll_loss(x, labels(1)[0])),
    ("cross_entropy", ROWS, lambda x: F.cross_entropy(x, labels(4))),
    ("cross_entropy_weight", ROWS, lambda x: F.cross_entropy(x, labels(4), WEIGHT)),
    ("cross_entropy_ignored", ROWS, lambda x: F.cross_entropy(x, labels(4, ignored=True))),
    ("cross_entropy_class_1_ignored", ROWS, lambda x: F.cross_entropy(x, labels(4), WEIGHT, ignore_index=1)),
    ("cross_entropy_smooth", ROWS, lambda x: F.cross_entropy(x, labels(4), label_smoothing=0.1)),
    ("cross_entropy_all", ROWS,
     lambda x: F.cross_entropy(x, labels(4, ignored=True), WEIGHT, label_smoothing=0.25)),
    ("cross_entropy_images", IMAGES,
     lambda x: F.cross_entropy(x, labels(2, 2, ignored=True), WEIGHT, label_smoothing=0.25)),
    ("cross_entropy_sum", IMAGES, lambda x: F.cross_entropy(x, labels(2, 2), WEIGHT, reduction="sum")),
    ("cross_entropy_none", IMAGES,
     lambda x: weighted(F.cross_entropy(x, labels(2, 2, ignored=True), reduction="none"))),
    ("cross_entropy_one", ONE, lambda x: F.cross_entropy(x, labels(1)[0], label_smoothing=0.1)),
    ("cross_entropy_large", ROWS, lambda x: F.cross_entropy(x * 1000, labels(4))),
    ("cross_entropy_parts", ROWS, lambda x: F.cross_entropy(x, parts(4, 3))),
    ("cross_entropy_parts_weight", IMAGES,
     lambda x: F.cross_entropy(x, parts(2, 3, 2), WEIGHT, label_smoothing=0.1)),
    ("binary", ROWS, lambda x: F.binary_cross_entropy_with_logits(x, parts(4, 3))),
    ("binary_weights", ROWS,
     lambda x: F.binary_cross_entropy_with_logits(x, parts(4, 3), WEIGHT, pos_weight=WEIGHT * 2)),
    ("binary_large", ROWS, lambda x: F.binary_cross_entropy_with_logits(x * 1000, parts(4, 3),
            reduction="sum")),
    ("mse", ROWS, lambda x: F.mse_loss(x, others(4, 3))),
    ("mse_sum", ROWS, lambda x: F.mse_loss(x, others(4, 3), reduction="sum")),
    ("l1", ROWS, lambda x: F.l1_loss(x, others(4, 3))),
    ("huber", ROWS, lambda x: F.huber_loss(x, others(4, 3), delta=0.7)),
    ("huber_none", ROWS, lambda x: weighted(F.huber_loss(x, others(4, 3), reduction="none", delta=1.2))),
    ("smooth_l1", ROWS, lambda x: F.smooth_l1_loss(x, others(4, 3), beta=0.7)),
    ("smooth_l1_sharp", ROWS, lambda x: F.smooth_l1_loss(x, others(4, 3), beta=0)),
    ("kl_div", ROWS, lambda x: F.kl_div(x, parts(4, 3))),
    ("kl_div_batch_mean", ROWS, lambda x: F.kl_div(x, parts(4, 3), reduction="batchmean")),
    ("kl_div_log", ROWS, lambda x: F.kl_div(x, others(4, 3), log_target=True, reduction="sum")),
]

print("// Written by loss_values.py: the loss, its value, and its gradient.")
for name, shape, loss in CASES:
    x = numbers(*shape).requires_grad_()
    value = loss(x)
    value.backward()
    print(f'{{"{name}", {value.item():.17g}, '
          f'{{{", ".join(f"{v:.17g}" for v in x.grad.flatten().tolist())}}}}},')
