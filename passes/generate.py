#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generates code and a page from the passes and the options of the compilation.

  generate.py PASSES OPTIONS OUT   reads the JSON forms of passes/passes.td and passes/options.td, which
                                   `llvm-tblgen -dump-json` writes, and writes these files below OUT:
    passes/create_passes.inc   declares the function that creates each pass (passes/passes.h)
    passes/copied_options.inc  the options, as calls of CUTSET_NUMBER(member, default, least, most, help) and
                               CUTSET_FLAG(member, default, in_commands, help). A file that includes it
                               defines one of these macros, or both.
    docs/options.md            the options of the commands, for users

The script fails, naming the option, if its texts are missing or its range does not hold its default. It
writes a file only if its text has changed."""
import json
import os
import sys
import textwrap


def records(path, kind):
    read = json.load(open(path))
    return [read[name] for name in read["!instanceof"][kind]]


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if not os.path.exists(path) or open(path).read() != text:
        open(path, "w").write(text)


def check(numbers, flags):
    for o in numbers + flags:
        shown = o.get("inCommands", 1)
        if not o["summary"] or (shown and not o["description"]):
            sys.exit(f"the option {o['member']} needs a summary"
                     + " and, for the commands of cutset, a description" * shown)
    for o in numbers:
        if not o["smallest"] <= o["initial"] <= o["largest"]:
            sys.exit(f"the default {o['initial']} of the option {o['member']} is not from {o['smallest']} to "
                     f"{o['largest']}")


def macros(numbers, flags):
    boolean = ["false", "true"]
    whole = lambda number: f"int64_t{{{number}}}"
    rows = [f"CUTSET_NUMBER({o['member']}, {whole(o['initial'])}, {whole(o['smallest'])}, "
            f"{whole(o['largest'])}, {json.dumps(o['summary'])})" for o in numbers]
    rows += [f"CUTSET_FLAG({o['member']}, {boolean[o['initial']]}, {boolean[o['inCommands']]}, "
             f"{json.dumps(o['summary'])})" for o in flags]
    names = ("CUTSET_NUMBER", "CUTSET_FLAG")
    head = "".join(f"#ifndef {n}\n#define {n}(...)\n#endif\n" for n in names)
    return "// Generated from passes/options.td.\n" + head + "\n".join(rows) + "\n" + "".join(
        f"#undef {n}\n" for n in names)


def number_text(number):
    """Returns a power of 2 as such if it is large."""
    exponent = number.bit_length() - 1
    return f"2^{exponent}" if number >= 1024 and number == 1 << exponent else str(number)


def page(numbers, flags):
    entries = {}
    for o in numbers:
        span = f"{number_text(o['smallest'])} to {number_text(o['largest'])}"
        entries[o["member"]] = (f"- `--{o['member'].replace('_', '-')}` ({span}; default: "
                                f"{number_text(o['initial'])}): {o['description']}.")
    for o in flags:
        if o["inCommands"]:
            entries[o["member"]] = (f"- `--{'no-' * o['initial']}{o['member'].replace('_', '-')}`: "
                                    f"{o['description']}.")
    text = ["# Options of the compilation", "",
            "Generated from `passes/options.td`. Every command that compiles has these options. In C++, "
            "`CompileOptions` (`<cutset/session.h>`) has members of these names; `no-` stands for the value "
            "false.", "", *(entries[member] for member in sorted(entries))]
    return "\n".join(textwrap.fill(line, 110, subsequent_indent="  " * line.startswith("- "),
                                   break_long_words=False, break_on_hyphens=False) for line in text) + "\n"


def main(passes, options, out):
    names = sorted(record["argument"].replace("-", "_") for record in records(passes, "Cutset_Pass"))
    write(f"{out}/passes/create_passes.inc", "// Generated from passes/passes.td.\n"
          + "".join(f"CreatePass create_{name};\n" for name in names))
    numbers, flags = records(options, "Cutset_Number"), records(options, "Cutset_Flag")
    check(numbers, flags)
    write(f"{out}/passes/copied_options.inc", macros(numbers, flags))
    write(f"{out}/docs/options.md", page(numbers, flags))


main(*sys.argv[1:])
