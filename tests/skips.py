# SPDX-License-Identifier: Apache-2.0
"""Counts the skipped tests in the output of CTest, and prints each of them once.

Usage: skips.py LOG [KINDS]. A test that is skipped prints a line that begins with "skipped: "
(tests/skips.cc, and the scripts in tests/end_to_end). A line "skipped: SUITE on KIND, N tests: REASON" counts
N tests. If several processes print it for one suite, their numbers are added. The last line of the output is
the number of skipped tests. The exit status is 1 if a reason names one of the comma-separated kinds of
devices KINDS."""
import re
import sys

log, kinds = sys.argv[1], [k for k in (sys.argv[2] if len(sys.argv) > 2 else "").split(",") if k]
lines = {}  # what is skipped, and why -> the number of tests
for line in open(log, encoding="utf-8", errors="replace"):
    if not line.startswith("skipped: "):
        continue
    text = line[len("skipped: "):].strip()
    several = re.match(r"(\S+ on \S+), (\d+) tests?: (.*)", text)
    if several:
        text = f"{several[1]}: {several[3]}"
        lines[text] = lines.get(text, 0) + int(several[2])
    else:
        lines[text] = 1
refused = [text for text in lines if any(re.search(rf"\b{re.escape(kind)}\b", text) for kind in kinds)]
for text, count in sorted(lines.items()):
    print(f"skipped: {text}" + (f" ({count} tests)" if count > 1 else ""))
for text in refused:
    print(f"error: this machine must have {' '.join(kinds)}, and a test was skipped: {text}")
print(sum(lines.values()))
sys.exit(bool(refused))
