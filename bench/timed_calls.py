# SPDX-License-Identifier: Apache-2.0
"""Measures the times of repeated calls."""
import time


def milliseconds(call, runs, warm_up=1):
    """Returns the times of `runs` calls in milliseconds, in their order. `warm_up` calls before them are not
    measured."""
    for _ in range(warm_up):
        call()
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        call()
        times.append(1e3 * (time.perf_counter() - start))
    return times
