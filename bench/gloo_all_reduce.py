#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures an all-reduce of 25 MB by Gloo between processes of this machine, beside cutset_all_reduce. It
needs PyTorch.

usage: gloo_all_reduce.py [PROCESSES...]          default: 2 4 8
"""
import os
import statistics
import sys
import tempfile
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as multiprocessing

ELEMENTS, ROUNDS = 25_000_000 // 4, 20


def worker(rank, processes, file, results):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{file}", rank=rank, world_size=processes)
    tensor = torch.ones(ELEMENTS)
    seconds = []
    for _ in range(ROUNDS):
        tensor.fill_(1)
        dist.barrier()
        start = time.perf_counter()
        dist.all_reduce(tensor)
        dist.barrier()
        seconds.append(time.perf_counter() - start)
    assert tensor[0] == processes
    if rank == 0:
        results.put(seconds)
    dist.destroy_process_group()


def main():
    print(f"{'processes':>9} {'median ms':>10} {'min ms':>10} {'GB/s':>8}")
    for processes in [int(n) for n in sys.argv[1:]] or [2, 4, 8]:
        with tempfile.TemporaryDirectory() as folder:
            results = multiprocessing.get_context("spawn").SimpleQueue()
            multiprocessing.spawn(worker, (processes, os.path.join(folder, "store"), results), processes)
            seconds = results.get()
        median = statistics.median(seconds)
        print(f"{processes:9} {1e3 * median:10.2f} {1e3 * min(seconds):10.2f} {0.025 / median:8.2f}")


if __name__ == "__main__":
    main()
