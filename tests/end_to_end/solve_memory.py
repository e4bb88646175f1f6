# SPDX-License-Identifier: Apache-2.0
"""Tests `cutset solve memory` on public instances. A scorer in this script checks each packing for overlaps
and compares its size with a limit, a little above the figure in docs/benchmarks.md. Times are not checked."""
import bisect
import csv
import gzip
import os

from harness import *  # noqa: F403

instances = f"{source}/third_party/instances/memory"


def unpack(name):
    path = f"{folder}/{name}.csv"
    open(path, "wb").write(gzip.open(f"{instances}/{name}.csv.gz").read())
    return path


def score(problem, solution):
    """Returns (height, live peak, number of overlaps). The buffers that are alive are sorted by offset, so
    that a new buffer is only compared with its two neighbours."""
    lives = {r["id"]: (int(r["lower"]), int(r["upper"]), int(r["size"]))
             for r in csv.DictReader(open(problem))}
    offsets = {r["id"]: int(r["offset"]) for r in csv.DictReader(open(solution))}
    events = []
    for name, (lower, upper, size) in lives.items():
        if lower < upper and size > 0:
            events += [(lower, 1, name), (upper, 0, name)]
    alive, overlaps, height, bytes_alive, peak = [], 0, 0, 0, 0
    for _, begins, name in sorted(events):
        size = lives[name][2]
        entry = (offsets[name], offsets[name] + size, name)
        if not begins:
            alive.remove(entry)
            bytes_alive -= size
            continue
        at = bisect.bisect_left(alive, entry)
        overlaps += (at > 0 and alive[at - 1][1] > entry[0]) + (at < len(alive) and alive[at][0] < entry[1])
        alive.insert(at, entry)
        bytes_alive += size
        height, peak = max(height, entry[1]), max(peak, bytes_alive)
    return height, peak, overlaps


def solve(name, *options):
    problem, solution = unpack(name), f"{folder}/{name}.out.csv"
    done = run("solve", "memory", problem, "--out", solution, *options)
    expect(done.returncode == 0, f"{name} {' '.join(options)} is solved", done)
    return score(problem, solution) if os.path.exists(solution) else (2**62, 1, 1)


# Tests the scorer itself: it must find the overlap and the height of this packing.
open(f"{folder}/p.csv", "w").write("id,lower,upper,size\na,0,2,10\nb,1,3,10\n")
open(f"{folder}/s.csv", "w").write("id,lower,upper,size,offset\na,0,2,10,0\nb,1,3,10,9\n")
expect(score(f"{folder}/p.csv", f"{folder}/s.csv") == (19, 20, 1), "the scorer finds an overlap")

for name, most in {"A.1048576": 1.15, "C.1048576": 1.21, "F.1048576": 1.17, "resnet50": 1.002,
                   "S_1": 1.002}.items():
    height, peak, overlaps = solve(name)
    expect(overlaps == 0, f"{name}: {overlaps} buffers overlap")
    expect(height <= most * peak,
           f"{name}: {height} bytes are {height / peak:.4f} times the live peak; the limit is {most} times")
for name in ["A.1048576", "C.1048576", "F.1048576"]:
    height, _, overlaps = solve(name, "--mode", "exact", "--capacity", "1048576", "--seconds", "120")
    expect(overlaps == 0 and height <= 1048576,
           f"{name}: packed into {height} bytes with {overlaps} overlaps")

# All lifetimes are nested, so a stack packs them. An instance of this size must not take quadratic time.
many = 200_000
with open(f"{folder}/nested.csv", "w") as f:
    f.write("id,lower,upper,size\n" + "".join(f"{i},{i},{2 * many - i},{64 * (1 + i % 97)}\n"
                                              for i in range(many)))
done = run("solve", "memory", f"{folder}/nested.csv", "--json", "-")
expect(done.returncode == 0 and '"ratio": 1.0' in done.stdout, "nested lifetimes are packed without a hole",
       done)

# An exhaustive search of a large instance ends at its time limit with an error message.
refuse("an exact search that is too large", "solve", "memory", unpack("S_1"), "--mode", "exact",
       "--seconds", "1", says="--", code=1)
finish()
