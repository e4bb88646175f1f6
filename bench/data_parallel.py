#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the training of LeNet on two cores in images per second: data(2) over two CPU devices with one
thread each, one CPU device with two threads, and PyTorch's DistributedDataParallel with gloo and two
processes. The three run alternately, in rounds.

  bench/data_parallel.py CUTSET PYTHON [ROUNDS]

CUTSET is the built binary, and PYTHON is a Python interpreter with torch. Default: 5 rounds."""
import os
import subprocess
import sys
import tempfile

from commands import json_of

cutset, python, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 5
BATCH, STEPS = 128, 120
PEER = '''
import os, sys, time, torch, torch.distributed as dist
from torch import nn
rank, size, batch, steps, path = int(sys.argv[1]), 2, int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
torch.set_num_threads(1)
dist.init_process_group("gloo", init_method="file://" + path, rank=rank, world_size=size)
model = nn.Sequential(nn.Conv2d(1, 20, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(20, 50, 5), nn.ReLU(),
                      nn.MaxPool2d(2), nn.Flatten(), nn.Linear(800, 500), nn.ReLU(), nn.Linear(500, 10))
model = nn.parallel.DistributedDataParallel(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
loss = nn.CrossEntropyLoss()
x, y = torch.rand(batch // size, 1, 28, 28), torch.randint(0, 10, (batch // size,))
times = []
for step in range(steps):
    start = time.perf_counter()
    optimizer.zero_grad()
    loss(model(x), y).backward()
    optimizer.step()
    times.append(time.perf_counter() - start)
if rank == 0: print(batch / sorted(times[5:])[len(times[5:]) // 2])
dist.destroy_process_group()
'''


def ours(*arguments):
    return json_of([cutset, "train", "lenet", "--batch", str(BATCH), "--steps", str(STEPS), "--no-evaluate",
                    "--json", "-", *arguments])["items_per_second"]


def peer():
    with tempfile.TemporaryDirectory() as folder:
        running = [subprocess.Popen([python, "-c", PEER, str(rank), str(BATCH), str(STEPS),
                                     folder + "/store"], stdout=subprocess.PIPE, text=True,
                                    env={**os.environ, "OMP_NUM_THREADS": "1"}) for rank in (0, 1)]
        out = [r.communicate()[0] for r in running]
        return float(out[0])


rows = {"data(2) on cpu:0,cpu:1, one thread each": lambda: ours("--devices", "cpu:0,cpu:1",
                                                                "--strategy", "data(2, shares=1:1)",
                                                                "--threads", "1"),
        "cpu:0, two threads": lambda: ours("--devices", "cpu:0", "--threads", "2"),
        "PyTorch DDP, gloo, two processes": peer}
measured = {name: [] for name in rows}
for _ in range(rounds):
    for name, run in rows.items():
        measured[name].append(run())
first = list(rows)[0]
for name, values in measured.items():
    ratios = sorted(a / b for a, b in zip(measured[first], values))
    values = sorted(values)
    print(f"{name:42} {values[len(values) // 2]:8.0f} images/s   data(2) relative to this row: "
          f"{ratios[len(ratios) // 2]:.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})")
