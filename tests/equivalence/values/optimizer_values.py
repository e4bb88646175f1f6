#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the known answers of optimizers_test.cc: the values that PyTorch gives a variable in f64.

  tests/equivalence/values/optimizer_values.py > tests/equivalence/values/optimizer_values.inc

Needs torch in the Python that runs this script. Step t has the gradient 0.5 w + c(t). torch has no LAMB, so
`Lamb` below is algorithm 2 of You et al. (ICLR 2020), written from the paper. optimizers_test.cc has the same
gradients, and reads the optimizers in C++ from the file that this script writes. """
import torch

torch.set_default_dtype(torch.float64)


class Lamb(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-6, weight_decay=0.01):
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            beta1, beta2 = group["betas"]
            for p in group["params"]:
                s = self.state[p]
                if not s:
                    s["t"], s["m"], s["v"] = 0, torch.zeros_like(p), torch.zeros_like(p)
                s["t"] += 1
                s["m"] = beta1 * s["m"] + (1 - beta1) * p.grad
                s["v"] = beta2 * s["v"] + (1 - beta2) * p.grad ** 2
                m, v = s["m"] / (1 - beta1 ** s["t"]), s["v"] / (1 - beta2 ** s["t"])
                r = m / (v.sqrt() + group["eps"]) + group["weight_decay"] * p
                p -= group["lr"] * p.norm() / r.norm() * r


o = torch.optim
OPTIMIZERS = [
    ("sgd", "Sgd{.learning_rate = 0.1, .momentum = 0.9}",
     lambda w: o.SGD(w, lr=0.1, momentum=0.9)),
    ("sgd_decay", "Sgd{.learning_rate = 0.1, .momentum = 0.9, .dampening = 0.3, .weight_decay = 0.05}",
     lambda w: o.SGD(w, lr=0.1, momentum=0.9, dampening=0.3, weight_decay=0.05)),
    ("sgd_nesterov", "Sgd{.learning_rate = 0.1, .momentum = 0.8, .weight_decay = 0.1, .nesterov = true}",
     lambda w: o.SGD(w, lr=0.1, momentum=0.8, weight_decay=0.1, nesterov=True)),
    ("adam", "Adam{}",
     lambda w: o.Adam(w)),
    ("adam_decay", "Adam{.learning_rate = 0.05, .beta1 = 0.8, .beta2 = 0.95, .epsilon = 1e-3, .weight_decay "
                   "= 0.1}",
     lambda w: o.Adam(w, lr=0.05, betas=(0.8, 0.95), eps=1e-3, weight_decay=0.1)),
    ("adamw", "AdamW{}",
     lambda w: o.AdamW(w)),
    ("adamw_decay", "AdamW{.learning_rate = 0.05, .beta1 = 0.8, .beta2 = 0.95, .weight_decay = 0.2}",
     lambda w: o.AdamW(w, lr=0.05, betas=(0.8, 0.95), weight_decay=0.2)),
    ("adagrad", "Adagrad{}",
     lambda w: o.Adagrad(w)),
    ("adagrad_decay",
     "Adagrad{.learning_rate = 0.2, .learning_rate_decay = 0.1, .weight_decay = 0.05, .first_sum = 0.25}",
     lambda w: o.Adagrad(w, lr=0.2, lr_decay=0.1, weight_decay=0.05, initial_accumulator_value=0.25)),
    ("rmsprop", "RmsProp{}",
     lambda w: o.RMSprop(w)),
    ("rmsprop_momentum",
     "RmsProp{.learning_rate = 0.02, .alpha = 0.9, .weight_decay = 0.05, .momentum = 0.5}",
     lambda w: o.RMSprop(w, lr=0.02, alpha=0.9, momentum=0.5, weight_decay=0.05)),
    ("rmsprop_centered", "RmsProp{.learning_rate = 0.02, .alpha = 0.9, .momentum = 0.3, .centered = true}",
     lambda w: o.RMSprop(w, lr=0.02, alpha=0.9, momentum=0.3, centered=True)),
    ("lamb", "Lamb{}",
     lambda w: Lamb(w)),
    ("lamb_decay", "Lamb{.learning_rate = 0.05, .beta1 = 0.8, .beta2 = 0.95, .weight_decay = 0.1}",
     lambda w: Lamb(w, lr=0.05, betas=(0.8, 0.95), weight_decay=0.1)),
]


def c(t):
    return torch.tensor([((7 * t + 3 * i) % 11 - 5) / 4 for i in range(6)])


print("// Written by optimizer_values.py: each optimizer; then the optimizer, the step, and the variable "
      "after it.")
for name, in_cpp, make in OPTIMIZERS:
    print(f'CUTSET_OPTIMIZER("{name}", ({in_cpp}))')
for name, in_cpp, make in OPTIMIZERS:
    w = torch.tensor([((5 * i) % 7 - 3) / 8 for i in range(6)], requires_grad=True)
    optimizer = make([w])
    for t in range(1, 21):
        w.grad = 0.5 * w.detach() + c(t)
        optimizer.step()
        if t in (1, 2, 20):
            print(f'CUTSET_VALUES("{name}", {t}, {", ".join(f"{v:.17g}" for v in w.tolist())})')
