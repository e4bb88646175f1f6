#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that a header x.h is implemented in x.cc, and that x.cc implements no other header. A file of a
folder y beside y.h registers itself in what y.h declares, and needs no header of its own. The script reads
the declarations and definitions that begin at the first column, where clang-format places the
declarations of a namespace."""
import os
import re
import sys

source = sys.argv[1]
FOLDERS = ("graph", "runtime", "frontends/cpp", "frontends/compiler")
# The folder of public headers. A header x.h of it is implemented in x.cc of a folder of frontends/cpp, and a
# header onnx_ops/x.h in frontends/cpp/onnx_ops/x.cc.
PUBLIC = "frontends/cpp/include/cutset"
NO_FUNCTION = re.compile(
    r"(?:inline|template|static|using|typedef|friend|constexpr|enum|namespace|return|else|if|for|while|"
    r"switch|#|//|\}|\))")
problems = []


def files(ending):
    for folder in FOLDERS:
        for at, folders, names in os.walk(os.path.join(source, folder)):
            for name in sorted(names):
                if name.endswith(ending) and not name.endswith("_test.cc"):
                    yield os.path.relpath(os.path.join(at, name), source)


def statements(path):
    """Yields each statement that begins at the first column, up to its ';' or '{'. Skips unnamed
    namespaces."""
    unnamed, held = False, ""
    for line in open(os.path.join(source, path), encoding="utf-8"):
        line = line.rstrip("\n")
        if line == "namespace {":
            unnamed = True
        elif line == "}  // namespace":
            unnamed = False
        if unnamed or (not held and (not line or line[0].isspace() or NO_FUNCTION.match(line))):
            continue
        line = re.sub(r'"(?:[^"\\]|\\.)*"', '""', line).replace("{}", "0").split("//")[0].rstrip()
        held += " " + line.strip() if held else line
        if re.search(r"[;{}:,]$", held) and not held.endswith(",") or "{" in held:
            yield held
            held = ""


def own_headers(path):
    """Returns the headers that the file implements: the header in its folder, the public header with its
    name, and the header beside its folder that has the folder's name."""
    stem = path[: -len(".cc")]
    public = os.path.relpath(stem, "frontends/cpp")  # "onnx_ops/resize"
    return {stem + ".h", f"{PUBLIC}/{os.path.basename(stem)}.h", f"{PUBLIC}/{public}.h",
            os.path.dirname(path) + ".h"}


declared = {}  # function or Class:: -> the headers that declare it
for header in files(".h"):
    for text in statements(header):
        of_class = re.match(r"(?:class|struct)(?: \[\[\w+\]\])? (\w+)[^;]*\{", text)
        of_function = re.match(r'(?:\[\[\w+\]\] |extern "" )*[\w:<>,&* ]*?[&* '
                               r'](\w+)\((?!.*\{)[^=]*(?:=[^=]+)*\)(?: const)?(?: noexcept)?;$', text)
        if of_class:
            declared.setdefault(of_class[1] + "::", set()).add(header)
        elif of_function:
            declared.setdefault(of_function[1], set()).add(header)

for path in files(".cc"):
    own = own_headers(path)
    if not any(os.path.exists(os.path.join(source, h)) for h in own):
        problems.append(f"{path}: there is no header with the same name")
    for text in statements(path):
        member = re.match(r"[\w:<>,&* ~]*?\b(\w+)::~?\w+\(", text.split(" = ")[0])
        function = re.match(r"[\w:<>,&* ]*?[&* ](\w+)\(", text)
        name = member[1] + "::" if member and member[1] + "::" in declared else function[
            1] if function and not member and text.endswith("{") else None
        if name in declared and not declared[name] & own:
            problems.append(f"{path}: defines {name.rstrip(':')}, which {', '.join(sorted(declared[name]))} "
                            "declares")

assert len(declared) > 150, "the declarations were not found"
for p in sorted(set(problems)):
    print(p)
print(f"{len(set(problems))} problems")
sys.exit(bool(problems))
