#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the checks of this folder: each mistake of mutations.json is made in a copy of the tree, and the
check must find it.

    mutations.py SOURCE BUILD

A mistake is a new file with a text, or a change of `old` to `new` in a file. In a text, {lines} stands for
`line`, `count` times. A list of texts is their sum. `says` is a part of what the check prints."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

from source_files import source_files

source, build = map(os.path.abspath, sys.argv[1:3])
here = os.path.dirname(os.path.abspath(__file__))
mistakes = json.load(open(f"{here}/mutations.json", encoding="utf-8"))


def run(check, tree):
    done = subprocess.run([sys.executable, f"{here}/{check}.py", tree, build], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def text_of(mistake, key):
    text = "".join(mistake[key])
    return text.replace("{lines}", mistake["line"] * mistake["count"]) if "line" in mistake else text


def mutate(path, mistake):
    """Makes the mistake, and returns the text that the file had before, or None."""
    if "text" in mistake:
        open(path, "x", encoding="utf-8").write(text_of(mistake, "text"))
        return None
    text = open(path, encoding="utf-8").read()
    assert mistake["old"] in text, f"{mistake['file']} does not have '{mistake['old']}'"
    open(path, "w", encoding="utf-8").write(text.replace(mistake["old"], text_of(mistake, "new"), 1))
    return text


problems, skipped = [], set()
with tempfile.TemporaryDirectory() as tree:
    for path in filter(None, source_files(source, "")):
        os.makedirs(os.path.dirname(f"{tree}/{path}"), exist_ok=True)
        shutil.copy(f"{source}/{path}", f"{tree}/{path}")
    for check in sorted({mistake["check"] for mistake in mistakes}):
        code, said = run(check, tree)
        if code == 77:
            skipped.add(check)
        elif code:
            problems.append(f"{check} fails without a mistake: {said[-300:]}")
    for mistake in mistakes:
        if mistake["check"] in skipped:
            continue
        path = f"{tree}/{mistake['file']}"
        before = mutate(path, mistake)
        code, said = run(mistake["check"], tree)
        if not code or mistake["says"] not in said:
            found = f"exit code {code}, {said[-300:]}"
            problems.append(f"{mistake['check']} does not find the mistake in {mistake['file']}: {found}")
        if before is None:
            os.remove(path)
        else:
            open(path, "w", encoding="utf-8").write(before)
print("\n".join(problems))
notes = "".join(f"; {check} was skipped" for check in sorted(skipped))
print(f"{len(mistakes)} mistakes, {len(problems)} problems{notes}")
sys.exit(bool(problems))
