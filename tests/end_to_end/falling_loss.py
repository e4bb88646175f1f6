#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the results that `cutset train --json FILE` wrote: in every run the loss is finite and has fallen.

Usage: falling_loss.py FILE. The mean of the last ten losses must be below 0.8 times the mean of the first
ten."""
import json
import math
import sys

runs = json.load(open(sys.argv[1]))
runs = runs if isinstance(runs, list) else [runs]
assert runs, "the file has no runs"
for run in runs:
    losses = run["loss"]
    assert len(losses) >= 20, f"{run['devices']}: only {len(losses)} losses"
    first, last = sum(losses[:10]) / 10, sum(losses[-10:]) / 10
    print(f"{run['devices']} {run['strategy']}: loss {first:.3f} at first, {last:.3f} at last")
    if not all(map(math.isfinite, losses)) or not last < 0.8 * first:
        sys.exit(f"{run['devices']}: the loss has not fallen")
