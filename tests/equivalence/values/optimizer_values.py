#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the known answers of optimizers_test.cc and sixteen_bit_training_test.cc: the values that PyTorch
gives a variable.

  tests/equivalence/values/optimizer_values.py > tests/equivalence/values/optimizer_values.inc

Needs torch in the Python that runs this script. PyTorch computes in f64. In optimizers_test.cc, step t has
the gradient 0.5 w + c(t). In sixteen_bit_training_test.cc, step t has the gradient `sixteen_bit_gradient`,
and the variable is rounded to f16 or bf16 after each step. torch has no LAMB, so `Lamb` below is algorithm 2
of You et al. (ICLR 2020), written from the paper. The tests have the same gradients, and read the optimizers
in C++ from the file that this script writes. """
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
    ("adadelta", "Adadelta{}",
     lambda w: o.Adadelta(w)),
    ("adadelta_decay", "Adadelta{.learning_rate = 0.5, .rho = 0.8, .epsilon = 1e-4, .weight_decay = 0.1}",
     lambda w: o.Adadelta(w, lr=0.5, rho=0.8, eps=1e-4, weight_decay=0.1)),
]

# Numbers that f16 or bf16 cannot hold, and limits of the gradients. A row ends with the largest absolute
# value of an element, and with the largest norm.
SIXTEEN_BITS = [(*row, None, None) for row in OPTIMIZERS] + [
    ("sgd_momentum", "Sgd{.learning_rate = 0.1, .momentum = 0.999}",
     lambda w: o.SGD(w, lr=0.1, momentum=0.999), None, None),
    ("sgd_small", "Sgd{.learning_rate = 1e-8}",
     lambda w: o.SGD(w, lr=1e-8), None, None),
    ("adagrad_small", "Adagrad{.learning_rate_decay = 1e-3}",
     lambda w: o.Adagrad(w, lr_decay=1e-3), None, None),
    ("rmsprop_long", "RmsProp{.alpha = 0.999, .momentum = 0.9, .centered = true}",
     lambda w: o.RMSprop(w, alpha=0.999, momentum=0.9, centered=True), None, None),
    ("sgd_clipped", "Sgd{.learning_rate = 0.1}",
     lambda w: o.SGD(w, lr=0.1), None, 1e-3),
    ("adam_clipped", "Adam{}",
     lambda w: o.Adam(w), 20, 1e-3),
]


def c(t):
    return torch.tensor([((7 * t + 3 * i) % 11 - 5) / 4 for i in range(6)])


def sixteen_bit_gradient(t):
    """Two elements are 0 in every step. The square of the largest is too large for f16."""
    k = [(7 * t + 3 * i) % 11 - 5 for i in range(6)]
    return torch.tensor([k[0] * 1e-3, 0, k[2] / 4, k[3] / 4, 0, k[5] * 6000.])


def numbers(values):
    return ", ".join(f"{v:.17g}" for v in values.tolist())


def print_values():
    for name, in_cpp, make in OPTIMIZERS:
        w = torch.tensor([((5 * i) % 7 - 3) / 8 for i in range(6)], requires_grad=True)
        optimizer = make([w])
        for t in range(1, 21):
            w.grad = 0.5 * w.detach() + c(t)
            optimizer.step()
            if t in (1, 2, 20):
                print(f'CUTSET_VALUES("{name}", {t}, {numbers(w)})')


@torch.no_grad()
def print_sixteen_bit_values(name, make, value, norm, type_name, dtype):
    w = torch.tensor([(5. * i - 12) / 100 for i in range(6)]).to(dtype).double().requires_grad_()
    optimizer = make([w])
    for t in range(1, 7):
        w.grad = sixteen_bit_gradient(t).to(dtype).double()
        if value:
            torch.nn.utils.clip_grad_value_([w], value)
        if norm:
            torch.nn.utils.clip_grad_norm_([w], norm)
        optimizer.step()
        w.copy_(w.to(dtype))
        if not w.isfinite().all():
            raise SystemExit(f"{name}: {type_name} overflows in step {t}")
        if t in (1, 2, 6):
            print(f'CUTSET_SIXTEEN_BIT_VALUES("{name}", {type_name}, {t}, {numbers(w)})')


print("// Written by optimizer_values.py: optimizers, the step, and the variable after it; then for 16 bits.")
MACROS = ["CUTSET_OPTIMIZER", "CUTSET_VALUES", "CUTSET_SIXTEEN_BIT_RUN", "CUTSET_SIXTEEN_BIT_VALUES"]
print("// A file that includes this one defines the macro of the rows that it wants.")
for macro in MACROS:
    print(f"#ifndef {macro}\n#define {macro}(...)\n#endif")
for name, in_cpp, make in OPTIMIZERS:
    print(f'CUTSET_OPTIMIZER("{name}", ({in_cpp}))')
print_values()
for name, in_cpp, make, value, norm in SIXTEEN_BITS:
    limits = [f".value = {value}"] * bool(value) + [f".norm = {norm}"] * bool(norm)
    print(f'CUTSET_SIXTEEN_BIT_RUN("{name}", ({in_cpp}), (GradientClipping{{{", ".join(limits)}}}))')
for name, in_cpp, make, value, norm in SIXTEEN_BITS:
    for type_name, dtype in (("f16", torch.float16), ("bf16", torch.bfloat16)):
        print_sixteen_bit_values(name, make, value, norm, type_name, dtype)
for macro in MACROS:
    print(f"#undef {macro}")
