#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every public declaration of the C++ API has a comment that documents it, and public headers make only
public declarations visible.

Usage: docstrings.py SOURCE BUILD. clang parses the public headers. A declaration in namespace cutset is
printed if it has no comment of its own and no documented declaration directly above it. A declaration in
namespace cutset is also printed if its header is not public and a public header includes this header. Exits
with 77 (skipped) where clang is missing."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

source, build = sys.argv[1:3]
clang = shutil.which("clang++-22")
if not clang:
    print("skipped: clang++-22 was not found; third_party/setup.sh installs it")
    sys.exit(77)

DECLARATIONS = {"FunctionDecl", "CXXMethodDecl", "CXXConstructorDecl", "CXXRecordDecl", "EnumDecl",
                "EnumConstantDecl", "FieldDecl",
                "VarDecl", "TypeAliasDecl", "TypedefDecl", "FunctionTemplateDecl", "ClassTemplateDecl",
                "ConceptDecl"}
# clang prints a file and a line only where they differ from those printed before
place = {"file": "", "line": 0}


def location(node):
    """Returns the file and line of a location. A later location that names no file or line has those that
    were read last."""
    for inner in ("spellingLoc", "expansionLoc"):
        if inner in node:
            result = location(node[inner])
    if "offset" in node:
        place["file"] = node.get("file", place["file"])
        place["line"] = node.get("line", place["line"])
        return dict(place)
    return result if "spellingLoc" in node else dict(place)


found = []  # file, line, kind, name, documented


def walk(node, public):
    where = location(node.get("loc", {}))
    for end in ("begin", "end"):
        location(node.get("range", {}).get(end, {}))
    kind, name = node.get("kind", ""), node.get("name", "")
    inner = node.get("inner", [])
    if kind in DECLARATIONS and public and not node.get("isImplicit"):
        documented = any(i.get("kind") == "FullComment" for i in inner)
        templated = kind.endswith("TemplateDecl")
        forward = kind == "CXXRecordDecl" and not node.get("completeDefinition")
        defaulted = node.get("explicitlyDeleted") or node.get("explicitlyDefaulted")
        if name and not templated and not forward and not defaulted:
            found.append((where["file"], where["line"], kind, name, documented))
    access = "private" if node.get("tagUsed") == "class" else "public"
    for i in inner:
        if i.get("kind") == "AccessSpecDecl":
            access = i.get("access", access)
        inside = public and access == "public" and (kind not in DECLARATIONS
                                                    or kind in ("CXXRecordDecl", "EnumDecl",
                                                                "FunctionTemplateDecl", "ClassTemplateDecl"))
        walk(i, inside)


folders = [os.path.join(source, f) for f in ("frontends/cpp/include", "frontends/onnx/include")]
headers = sorted(h for folder in folders for h in glob.glob("**/*.h", root_dir=os.path.join(folder, "cutset"),
                                                            recursive=True))
with tempfile.TemporaryDirectory() as temporary:
    unit = os.path.join(temporary, "all.cc")
    with open(unit, "w") as out:
        out.writelines(f"#include <cutset/{h}>\n" for h in headers if h != "testing.h")
    done = subprocess.run([clang, "-std=c++20", "-fsyntax-only", "-fparse-all-comments", "-I", source,
                           *(f"-I{folder}" for folder in folders), "-I", f"{build}/generated", "-I",
                           f"{build}/generated/include", "-Xclang", "-ast-dump=json", "-Xclang",
                           "-ast-dump-filter=cutset", unit], capture_output=True, text=True)
assert done.returncode == 0, done.stderr
decoder, at, text = json.JSONDecoder(), 0, done.stdout
while (at := text.find("{", at)) >= 0:
    tree, at = decoder.raw_decode(text, at)
    if tree.get("kind") == "NamespaceDecl" and tree.get("name") == "cutset":
        walk(tree, True)

# The headers of public types that the runtime also uses. A header under cutset/ includes each of them.
SHARED = ("graph/config/strategy.h", "ir/core/types.h", "ir/core/error.h", "runtime/files/host_tensor.h",
          "passes/inspect/dot_level.h", "passes/inspect/drawings.h", "passes/inspect/explanation.h")
roots = tuple(os.path.realpath(p) + "/" for p in (*folders, f"{build}/generated/include")) + tuple(
    os.path.realpath(os.path.join(source, p)) for p in SHARED)
lines, seen, problems = {}, set(), []
for file, line, kind, name, documented in found:
    path = os.path.realpath(file)
    if path.startswith(roots):
        lines.setdefault(path, {}).setdefault(line, []).append((kind, name, documented))
    elif path.startswith(os.path.realpath(source) + "/"):
        problems.append(f"{os.path.relpath(path, source)}:{line}: {name} is not public, and a public header "
                        "makes it visible to users")
for path, declared in sorted(lines.items()):
    content = open(path, encoding="utf-8").read().splitlines()
    good = set()
    for line in sorted(declared):
        above = line - 1  # a group: declarations on consecutive lines share the comment of the first
        while above > 0 and re.match(r"\s*(template|requires|\[\[|std::source_location|//)",
                                     content[above - 1]):
            above -= 1
        grouped = above in good or any(a in good for a in range(max(1, above - 3), above)
                                       if all(content[k - 1].strip() for k in range(a, above + 1)))
        # instantiations of templates lack the comment
        commented = any(documented for kind, name, documented in declared[line])
        for kind, name, documented in declared[line]:
            if commented or grouped or re.search(r"//", content[line - 1]):
                good.add(line)
            elif (path, line) not in seen:
                seen.add((path, line))
                problems.append(f"{os.path.relpath(path, source)}:{line}: {name} has no comment that "
                                "documents it")
print("\n".join(problems))
count = sum(len(v) for v in lines.values())
assert count > 150, f"only {count} declarations were found"
print(f"{len(problems)} of {count} lines with public declarations have no comment")
sys.exit(bool(problems))
