# SPDX-License-Identifier: Apache-2.0
"""Runs the same training in PyTorch and in Cutset, and prints a table of the differences of their losses."""
import numpy as np
import torch

from commands import result_of_training


def losses_of_torch(net, batches, rate, momentum, threads):
    """Returns the losses of SGD over batches. A batch is a list of inputs, followed by the label."""
    torch.set_num_threads(threads)
    optimizer = torch.optim.SGD(net.train().parameters(), lr=rate, momentum=momentum)
    losses = []
    for *inputs, label in batches:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(net(*inputs), label.flatten())
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return np.array(losses)


def losses_of_cutset(command, run, folder):
    """Returns the losses of a command `cutset train` on a run: a list of devices and, after a space, a
    strategy."""
    devices, _, strategy = run.partition(" ")
    return np.array(result_of_training([*command, "--devices", devices,
                                        *(["--strategy", strategy] if strategy else [])],
                                       f"{folder}/result.json")["loss"])


def print_header(kind):
    print(f"| {kind} | run | first 5 losses | all losses | PyTorch's own, all |")
    print("|--|--|--|--|--|")


def print_row(name, run, losses, want, other):
    """Prints a row of the largest relative differences from PyTorch's losses `want`. `other` are the losses
    of PyTorch with other threads. Returns whether the first 5 losses differ by at most 1e-3, and all losses
    by at most 2e-2 or three times PyTorch's own difference. PyTorch's own difference must not be above 5e-2,
    because a run that differs more from itself shows nothing."""
    difference, own = np.abs(losses - want) / np.abs(want), (np.abs(other - want) / np.abs(want)).max()
    print(f"| {name} | {run} | {difference[:5].max():.1e} | {difference.max():.1e} | {own:.1e} |", flush=True)
    return bool(difference[:5].max() <= 1e-3 and difference.max() <= max(2e-2, 3 * own) and own <= 5e-2)
