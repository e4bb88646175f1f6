#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the losses of five steps of the models in tests/equivalence/support/user_models.cc, computed by
PyTorch in f64. They are constants of that file.

  bench/model_losses.py

Needs torch and numpy. Weights and inputs are computed from their names with the formulas of user_models.cc.
"""
import math

import numpy
import torch
import torch.nn.functional as F

torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)


def unit(name, count):
    """Returns `count` numbers in [0, 1) that depend on the name: the function `unit` of user_models.cc."""
    z = 0xCBF29CE484222325
    for c in name.encode():
        z = ((z ^ c) * 0x100000001B3) & (2**64 - 1)
    with numpy.errstate(over="ignore"):
        z = numpy.uint64(z) + (numpy.arange(count, dtype=numpy.uint64) + numpy.uint64(1)) * numpy.uint64(
            0x9E3779B97F4A7C15)
        z = (z ^ z >> numpy.uint64(30)) * numpy.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ z >> numpy.uint64(27)) * numpy.uint64(0x94D049BB133111EB)
        return ((z ^ z >> numpy.uint64(31)) >> numpy.uint64(11)).astype(numpy.float64) * 2.0**-53


def rounded(values, shape):
    """Returns an f64 tensor of the values rounded to f32, because the programs read f32."""
    return torch.from_numpy(values.astype(numpy.float32).astype(numpy.float64).reshape(shape))


class Weights(dict):
    """The weights of a model, by name. A weight is created when it is first read."""

    def get(self, name, *shape):
        if name not in self:
            bound = 0.1 if len(shape) < 2 else 1 / math.sqrt(math.prod(shape[1:]))
            u = unit(name, math.prod(shape))
            self[name] = rounded(name.endswith(".gain") + bound * (2 * u - 1), shape).requires_grad_()
        return self[name]


def numbers(name, step, *shape):
    return rounded(2 * unit(f"{name}#{step}", math.prod(shape)) - 1, shape)


def labels(name, step, classes, *shape):
    return torch.from_numpy((unit(f"{name}#{step}", math.prod(shape)) * classes).astype(numpy.int64).reshape(
        shape))


def linear(w, name, x, out):
    return F.linear(x, w.get(name + ".weight", out, x.shape[-1]), w.get(name + ".bias", out))


def residual(w, step):
    def conv(name, x, filters, kernel, stride, padding):
        return F.conv2d(x, w.get(name + ".weight", filters, x.shape[1], kernel, kernel),
                        w.get(name + ".bias", filters), stride=stride, padding=padding)

    h = F.relu(conv("stem", numbers("image", step, 5, 3, 12, 12), 4, 3, 1, 1))
    for n, filters, stride in (("b1", 4, 1), ("b2", 6, 2), ("b3", 6, 1), ("b4", 8, 2)):
        b = conv(n + ".c2", F.relu(conv(n + ".c1", h, filters, 3, stride, 1)), filters, 3, 1, 1)
        h = F.relu(b + (h if stride == 1 and h.shape[1] == filters
                        else conv(n + ".skip", h, filters, 1, stride, 0)))
    return F.cross_entropy(linear(w, "fc", h.mean((2, 3)), 7), labels("label", step, 7, 5))


def transformer(w, step):
    batch, time, words, size, heads = 6, 5, 11, 8, 2
    x = F.embedding(labels("ids", step, words, batch, time),
                    w.get("words.weight", words, size)) + w.get("places.weight", time, size)

    def norm(name, x):
        return F.layer_norm(x, (size,), w.get(name + ".gain", size), w.get(name + ".bias", size), 1e-5)

    def split(t):
        return t.view(batch, time, heads, size // heads).transpose(1, 2)

    for n in ("block0", "block1"):
        a = norm(n + ".ln1", x)
        o = F.scaled_dot_product_attention(*(split(linear(w, f"{n}.{k}", a, size)) for k in "qkv"))
        x = x + linear(w, n + ".o", o.transpose(1, 2).reshape(batch, time, size), size)
        x = x + linear(w, n + ".m2", F.relu(linear(w, n + ".m1", norm(n + ".ln2", x), 2 * size)), size)
    logits = norm("last", x) @ w.get("words.weight", words, size).T
    return F.cross_entropy(logits.view(-1, words), labels("label", step, words, batch, time).view(-1))


def lstm(w, step):
    batch, time, features, size = 6, 100, 2, 4
    x = numbers("x", step, batch, time, features)
    wx = torch.cat([w.get(g + ".wx", size, features) for g in "ifgo"])
    wh = torch.cat([w.get(g + ".wh", size, size) for g in "ifgo"])
    b = torch.cat([w.get(g + ".b", size) for g in "ifgo"])
    start = torch.zeros(1, batch, size)
    out = torch.lstm(x, (start, start), [wx, wh, b, torch.zeros_like(b)], True, 1, 0.0, True, False, True)[0]
    return F.cross_entropy(linear(w, "fc", out[:, -1], 4), labels("label", step, 4, batch))


def two_losses(w, step):
    batch = 9
    conv = F.relu(F.conv2d(numbers("image", step, batch, 1, 8, 8), w.get("conv.weight", 4, 1, 3, 3),
                           w.get("conv.bias", 4)))
    a, b = F.relu(linear(w, "a", conv.flatten(1), 24)), F.relu(
        linear(w, "b", numbers("vector", step, batch, 10), 24))
    h = a * b + a + b
    first = F.cross_entropy(linear(w, "logits", h, 4), labels("label", step, 4, batch))
    return first + 0.5 * F.mse_loss(linear(w, "values", h, 2), numbers("target", step, batch, 2))


for model, rate in ((residual, 0.05), (transformer, 0.1), (lstm, 0.2), (two_losses, 0.05)):
    weights, losses = Weights(), []
    model(weights, 0)  # creates the weights
    optimizer = torch.optim.SGD(weights.values(), lr=rate, momentum=0.9)
    for step in range(5):
        optimizer.zero_grad()
        loss = model(weights, step)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    print(f'{{"{model.__name__}", {model.__name__}, {{{", ".join(f"{v:.12g}" for v in losses)}}}}},')
