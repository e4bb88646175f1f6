#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prose in comments, messages and documents: patterns that docs/style.md excludes, with what to write
instead.

Usage: prose.py SOURCE [BUILD]. The list holds the patterns that readers of this project stumbled over; it
does not judge style."""
import os
import re
import sys

from source_files import source_files

source = sys.argv[1]
THINGS = ("axis|batch|buffer|bucket|channel|column|device|dimension|element|epoch|file|function|gradient|"
          "group|input|kernel|layer|line|node|number|op|operand|output|parameter|part|pass|process|queue|"
          "replica|result|role|row|sample|shard|step|sum|tensor|thread|type|value|variable|window|worker")
PATTERNS = [
    (r"\b(an?|one|two|each|own|single|the) (\w+ "
     rf")?({THINGS}|copy|event|line|list|object|velocity|dispatch|description|entry|slot) an? ({THINGS})\b",
     "'per', not 'a': one queue per device"),
    (r"\b(that|which) (is|are) none\b",
     "name the index and its limit: 'device index 7 is out of range; the program has 2 devices'"),
    (r"\bfullest moment\b", "peak"),
    (r"\bsentences?\b", "error message"),
    (r"\bstory\b", "pipeline, or what it is"),
    (r"\bin (a )?circles?\b", "cycle"),
    (r"\bunlike (devices|kinds|machines|accelerators)\b", "devices of different kinds"),
    (r"\bequal to the bit\b|\bthe same to the bit\b|\bto the bit\b", "bitwise equal"),
    (r"\bwho it is\b", "its id"),
    (r"\bone behind the other\b|\bbehind each other\b", "one after the other"),
    (r"\bso many\b", "the number: 'the last n operands'"),
    (r"\b(op|the|an?) rooms?\b(?! for)|\brooms? of\b", "op folder"),
    (r"\bis told\b|\bare told\b", "say who reports what to whom"),
    (r"\bcomes? to lie\b", "is placed"),
    (r"\bwhat it stands on\b|\bstands on\b", "depends on"),
    (r"\btaken for granted\b|\btakes for granted\b", "assumes"),
    (r"\bin common with\b", "shares"),
    (r"\bsays himself\b|\bsays itself\b|\bsays so itself\b", "name the field that holds it"),
]
ALLOWED = {"tests/architecture/prose.py", "docs/style.md", "docs/glossary.md"}
ENDINGS = (".h", ".cc", ".c", ".td", ".inc", ".md", ".py", ".cmake", ".mlir", ".txt", ".sh")


def prose_of(path, text):
    """The lines of a file that are prose, with their numbers: whole documents, and comments and strings of
    sources."""
    for number, line in enumerate(text.splitlines(), 1):
        if path.endswith(".md"):
            yield number, line
        elif path.endswith((".py", ".cmake", ".txt", ".sh")):
            yield number, line
        else:
            in_block = re.match(r"\s*(/\*|\*)", line)
            parts = [line[line.index("//"):]] if "//" in line else [line] if in_block else []
            parts += re.findall(r'"((?:[^"\\]|\\.)*)"', line)
            yield number, " ".join(parts)


problems = read = 0
for path in source_files(source, ENDINGS):
    if path in ALLOWED:
        continue
    read += 1
    for number, line in prose_of(path, open(os.path.join(source, path), encoding="utf-8").read()):
        for pattern, instead in PATTERNS:
            for match in re.finditer(pattern, line, re.IGNORECASE):
                print(f"{path}:{number}: '{match.group(0)}': {instead}")
                problems += 1
assert read > 100, f"only {read} files were found"
print(f"{problems} problems in {read} files")
sys.exit(bool(problems))
