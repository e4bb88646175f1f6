#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the text of --help, docs/cli.md, and the widths of tables. Every option that --help shows is in the
section of its command in docs/cli.md or on a page of options to which the section links, and every option
there is shown by --help. Names that are not known get
the nearest one."""
import re
import struct

from harness import *

HELP_COLUMNS, TABLE_COLUMNS = 100, 120
OPTION = r"(?<![\w-])(--?[a-z][a-z0-9-]*)"


def options_in_help(command):
    """The options that `cutset COMMAND --help` shows, each at the beginning of a line."""
    names = []
    for line in run(*command.split(), "--help").stdout.splitlines():
        if shown := re.match(r"  (--?[a-z][\w-]*(?:, --[a-z][\w-]*)*) ", line):
            names += shown.group(1).split(", ")
    return set(names) - {"-h", "--help"}


def commands_in_help(*parent):
    """Returns the commands that `cutset --help` lists. Instead of a command with subcommands, such as
    `solve`, there are its subcommands."""
    text = run(*parent, "--help").stdout
    if not re.search(r"^Usage: .* SUBCOMMAND$", text, re.M):
        return [" ".join(parent)]
    return [command for name in re.findall(r"^  ([a-z]+)  +\w", text, re.M)
            for command in commands_in_help(*parent, name)]


def sections(text):
    """The sections of a document by the anchors of their headings. A section contains its subsections."""
    found, open_ones = {}, []
    for line in text.splitlines():
        if heading := re.match(r"(#+) (.*)", line):
            level = len(heading.group(1))
            open_ones = [(l, a) for l, a in open_ones
                         if l < level] + [(level, heading.group(2).lower().replace(" ", "-"))]
            found[open_ones[-1][1]] = ""
        for _, anchor in open_ones:
            found[anchor] += line + "\n"
    return found


def heads(text):
    """The names of options with which items of lists begin. An item that begins with a link to another page
    stands for the items of this page."""
    names = []
    for line in text.splitlines():
        if line.startswith("- `-"):
            names.append(re.split(r" \(|: ", line)[0])
        elif page := re.match(r"- [^\[]*\[[^\]]*\]\(([\w/]+\.md)\)", line):
            names += heads(open(f"{source}/docs/{page.group(1)}", encoding="utf-8").read())
    return names


def options_in_document(found, command):
    """Returns the options of a command. These are:
    - options with which the items of lists in its section begin,
    - `-o` and `--output` if its prose declares them,
    - options of the sections to which its introduction links with "It has the options of",
    - options of the table of hyper-parameters, if the section links to it."""
    text = found["cutset-" + command.replace(" ", "-")]
    rows, linked = heads(text), set()
    declared = re.findall(r"^(.*?)(?: names a file| names the file)", text.replace("\n", " "))
    prose = [part.rsplit(".", 1)[-1] for part in declared]
    for introduction in re.findall(r"It has the options of (.*?)(?:, and these:|\. )",
                                   text.replace("\n", " ")):
        for anchor in re.findall(r"\]\(#([\w-]+)\)", introduction):
            rows += heads(found[anchor])
            if "(generated/ops.md#hyper-parameters-of-optimizers)" in found[anchor]:
                linked = hyper_parameters
    return set(re.findall(OPTION, " ".join(rows + prose))) | linked


def options_in_table(text):
    """The options in the first column of a table."""
    return set(re.findall(r"^\| `(--[a-z][a-z0-9-]*)` \|", text, re.M))


found = sections(open(f"{source}/docs/cli.md", encoding="utf-8").read())
ops = sections(open(f"{source}/docs/generated/ops.md", encoding="utf-8").read())
hyper_parameters = options_in_table(ops["hyper-parameters-of-optimizers"])
COMMANDS = commands_in_help()
described = {anchor.removeprefix("cutset-").replace("-", " ") for anchor in found
             if anchor.startswith("cutset-")}
expect(set(COMMANDS) == described and len(COMMANDS) == len(described),
       f"docs/cli.md has a section for each command: {set(COMMANDS) ^ described}")
for command in (c for c in COMMANDS if c in described):
    shown, described = options_in_help(command), options_in_document(found, command)
    expect(shown, f"cutset {command} --help shows options")
    expect(shown <= described, f"docs/cli.md, cutset {command}, lacks {sorted(shown - described)}")
    expect(described <= shown,
           f"docs/cli.md, cutset {command}, has {sorted(described - shown)}, which --help does not show")
    text = run(*command.split(), "--help").stdout
    wide = [line for line in text.splitlines() if len(line) > HELP_COLUMNS]
    expect(not wide, f"cutset {command} --help has lines of more than {HELP_COLUMNS} columns: {wide}")
top = run("--help").stdout
expect(all(len(line) <= HELP_COLUMNS for line in top.splitlines()), "cutset --help is narrow")
expect(["Train and check", "Save and run", "Look inside", "This machine"] == re.findall(r"^(.*):$", top,
        re.M)[1:], "commands are in groups")
groups = re.findall(r"^(.*):$", run("train", "--help").stdout, re.M)
expect(groups[2:6] == ["Model", "Devices", "Loss", "Optimizer"],
       f"the options of cutset train are in groups, and not {groups}")

# --- the tables of docs/training.md and docs/cli.md
training = sections(open(f"{source}/docs/training.md", encoding="utf-8").read())
rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in training["built-in-models"].splitlines()
        if line.startswith("| `")]
documented = {name for row in rows for name in re.findall(r"`([\w-]+)`", row[0])}
listed = set(re.search(r"Built-in models:((?:\s+[\w-]+,?)+)\n",
                       run("train", "--help").stdout).group(1).replace(",", " ").split())
expect(len(listed) >= 13 and listed == documented,
       f"docs/training.md has the built-in models: {listed ^ documented}")
sizes = {}
for cells in rows:
    same = sizes[last] if re.search("the same", cells[2]) else []
    last = cells[0]
    sizes[last] = same + re.findall(r"`(\w+)`", cells[2])
    for name in listed & set(re.findall(r"`([\w-]+)`", last)):
        done = run("train", name, "--size", "unknown=1")
        expect(set(re.search(r"its sizes are ([\w, ]+)", done.stderr).group(1).split(", "))
               == set(sizes[last]), f"docs/training.md has the sizes of {name}", done)
joined = re.sub(r"\n {32}", " ", run("train", "--help").stdout)  # a long text continues on the next line
optimizers = re.search(r"--optimizer NAME +(.*?)(?: \[|\n)", joined).group(1)
documented = set(re.findall(r"^The struct is `\w+`, and the name on the command line `(\w+)`:", "\n".join(
    ops.values()), re.M))
expect(set(optimizers.split(", ")) == documented and len(documented) > 5,
       f"docs/generated/ops.md has the optimizers: {optimizers}")
datasets = set(re.search(r"--dataset NAME +(.*)", joined).group(1).split(", "))
documented = set(re.findall(r"^- `([\w-]+)`:", found["samples"].split("The data sets:")[1], re.M))
expect(datasets == documented, f"docs/cli.md has the data sets: {datasets ^ documented}")

# --- names that are not known
mlp = ["train", "mlp"]
for arguments, says in (
    ([*mlp, "--lr", "0.1"], "there is no option '--lr'; did you mean --learning-rate? (see cutset train "
                            "--help)"),
    ([*mlp, "--lr=0.1"], "did you mean --learning-rate?"),
    ([*mlp, "-lr", "0.1"], "there is no option '-lr'; did you mean --learning-rate?"),
    ([*mlp, "--device", "cpu:0"], "did you mean --devices?"),
    ([*mlp, "--learning_rate", "1"], "did you mean --learning-rate?"),
    ([*mlp, "--batch_size", "1"], "did you mean --batch?"),
    ([*mlp, "--bs", "1"], "did you mean --batch?"),
    ([*mlp, "--num-epochs", "1"], "did you mean --epochs?"),
    ([*mlp, "--num-classes", "1"], "did you mean --size classes=N?"),
    ([*mlp, "--warm", "1"], "did you mean --warmup-steps?"),
    (["devices", "--lr", "1"], "there is no option '--lr' (see cutset devices --help)"),
    (["trian", "mlp"], "did you mean 'train'?"),
    (["solve", "memroy", "x"],
     "there is no command 'cutset solve memroy' (the commands are memory, schedule; did you mean 'memory'?"),
    (["train", "resnt18"], "did you mean 'resnet18'?"),
    (["train", "ResNet18"], "did you mean 'resnet18'?"),
    ([*mlp, "--optimizer", "adan"],
     f"--optimizer: 'adan' is not one of {optimizers}; did you mean 'adam'?"),
    ([*mlp, "--dataset", "cifar"], "did you mean 'cifar10'?"),
    ([*mlp, "--size", "clases=3"], "did you mean 'classes'?"),
    ([*mlp, "--log", "plase"], "did you mean 'place'?"),
    (["dump", "mlp", "--to", "lowre"], "did you mean 'lower'?"),
    (["ops", "MatMull"], "did you mean 'matmul'?"),
    (["verify", "mlp", "--devices", "reference:0", "--dataset", "random", "--mutate", "stale_read"],
     "did you mean 'stale-read'?"),
):
    refuse(" ".join(arguments), *arguments, says=says, code=2)
capitals = run("dump", "mlp", "--devices", "reference:0", "--optimizer", "Adam", "--to", "Import")
expect(capitals.returncode == 0 and 'op = "adam"' in capitals.stdout, "names of lists may have capitals",
       capitals)

good = dataset("good")
program = f"{folder}/mlp.cutset"
expect(run("compile", "mlp", "--devices", "reference:0,sim:0", "--strategy", "data(2)", "-o",
           program).returncode == 0, "a program to run")
refuse("a misspelt function", "run", program, "--function", "predcit", says="did you mean 'predict'?", code=2)
# An array of one dimension in NumPy's format, with three elements.
header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }".ljust(117) + b"\n"
open(f"{folder}/x.npy", "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header
                                    + bytes(12))
refuse("a misspelt input", "run", program, "--input", f"imgae={folder}/x.npy", says="did you mean 'image'?",
       code=2)
refuse("misspelt samples", "train", "mlp", "--devices", "reference:0", "--samples", f"imgae={folder}/x.npy",
       says="did you mean 'image'?", code=2)

# --- tables
many = ",".join(f"reference:{i}" for i in range(6)) + ",sim:0,sim:1"
two = "reference:0,sim:0"
for arguments in (
    ["train", "lenet", "--devices", two, "--devices", many, "--strategy", "model", "--batch", "32",
     "--steps", "1", "--data", good],
    ["explain", "lenet", "--devices", two],
    ["explain", "lenet", "--devices", two, "--strategy", "pipeline(2, micro_batches=4)"],
    ["explain", "lenet", "--devices", two, "--strategy", "data(2, shard=parameters)"],
    ["explain", "lenet", "--devices", many],
    ["verify", "mlp", "--devices", two, "--devices", many, "--strategy", "model", "--dataset", "random",
     "--steps", "1"],
    ["benchmark", program, "--runs", "1"], ["devices"], ["ops"], ["ops", "conv"],
):
    done = run(*arguments)
    expect(done.returncode == 0, " ".join(arguments), done)
    tables = re.findall(r"^(.+\n-{10,}\n(?:.+\n)*)", done.stdout, re.M)
    expect(tables, f"{' '.join(arguments)} prints a table")
    wide = [line for table in tables for line in table.splitlines() if len(line) > TABLE_COLUMNS]
    expect(not wide, f"{' '.join(arguments)}: lines of more than {TABLE_COLUMNS} columns: {wide[:2]}")

finish()
