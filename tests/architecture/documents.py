#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the documents: lines of at most 110 columns, a README of at most 120 lines, links to files and
headings that exist, and words that make text hard to read.

Usage: documents.py SOURCE [BUILD]. Generated pages are left out. CHANGELOG.md and the decisions are records:
their words stay."""
import os
import re
import sys

from source_files import source_files

source = sys.argv[1]
COLUMNS, README_LINES = 110, 120
WORDS = [
    (r"\bth(at|ose) of\b", "repeat the noun: 'the batch of the first replica and the batch of the second'"),
    (r"\balso if\b", "'even if'"),
    (r", too\b", "'also', before the verb"),
    (r"\bbehind\b", "'after' for an order, 'beside' or 'under' for a place"),
]
RECORDS = ("CHANGELOG.md", "docs/decisions/")
QUOTES = {"docs/style.md", "docs/glossary.md"}  # they list words that are not to be used


def without_code(text):
    """The text with the same lines, and without blocks and pieces of code."""
    text = re.sub(r"^```.*?^```", lambda block: "\n" * block.group(0).count("\n"), text, flags=re.M | re.S)
    return re.sub(r"`[^`\n]*`", "", text)


def anchors_of(page):
    """The anchors that GitHub gives the headings of a page."""
    text = open(os.path.join(source, page), encoding="utf-8").read()
    headings = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def problems_of(path, text):
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > COLUMNS:
            yield number, f"{len(line)} columns; at most {COLUMNS}"
    prose = without_code(text)
    if path not in QUOTES and not path.startswith(RECORDS):
        for pattern, instead in WORDS:
            # A line may end between two words.
            for match in re.finditer(pattern.replace(" ", r"\s+"), prose, re.I):
                yield prose.count("\n", 0,
                                  match.start()) + 1, f"'{' '.join(match.group(0).split())}': {instead}"
    for match in re.finditer(r"\]\(([^)#:\s]*)(?:#([^)\s]*))?\)", prose):
        linked, anchor = match.groups()
        page = os.path.normpath(os.path.join(os.path.dirname(path), linked)) if linked else path
        at = prose.count("\n", 0, match.start()) + 1
        if not os.path.exists(os.path.join(source, page)):
            yield at, f"'{linked}' does not exist"
        elif anchor and anchor not in anchors_of(page):
            yield at, f"'{page}' has no heading '#{anchor}'"
    if path == "README.md" and len(text.splitlines()) > README_LINES:
        yield README_LINES + 1, f"the README has {len(text.splitlines())} lines; at most {README_LINES}"


pages = [path for path in source_files(source, (".md",)) if not path.startswith("docs/generated/")]
assert len(pages) > 60, f"only {len(pages)} documents were found"
problems = []
for path in pages:
    text = open(os.path.join(source, path), encoding="utf-8").read()
    problems += [f"{path}:{number}: {what}" for number, what in problems_of(path, text)]
print("\n".join(problems))
print(f"{len(problems)} problems in {len(pages)} documents")
sys.exit(bool(problems))
