#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests early stopping and the logs of `cutset train`: when a run ends, what its log has, and which logs a
run continues."""

import csv
import json

from harness import *  # noqa: F403
from safetensors_files import tensors

# --- early stopping: a rate of 0 changes nothing, so the first evaluation is the best one
images = ["mlp", "--devices", "reference:0", "--data", dataset("images"), "--batch", "40", "--epochs", "9"]
stays = [
    *images,
    "--learning-rate",
    "0",
    "--early-stopping",
    "2",
    "--checkpoint-dir",
    f"{folder}/stays",
    "--log-csv",
    f"{folder}/stays.csv",
    "--log-tensorboard",
    f"{folder}/board",
]
done = run("train", *stays, "--json", f"{folder}/r.json")
report = json.load(open(f"{folder}/r.json"))
expect(
    done.returncode == 0
    and [e["step"] for e in report["evaluations"]] == [2, 4, 6]
    and report["stopped_early"],
    f"two epochs behind the first one: {report['evaluations']}",
    done,
)
expect(
    "note: early stopping ended the run after step 6: the last 2 evaluations had no better accuracy than"
    in done.stderr,
    "a note says why the run ends",
    done,
)
refuse(
    "a run that stopped early",
    "train",
    *stays,
    "--resume",
    f"{folder}/stays",
    says="the run is complete: early stopping ended it after step 6 "
    "(begin a new run with the variables of the checkpoint by --init)",
    code=2,
)
waiting = ["train", *images, "--learning-rate", "0.05", "--early-stopping", "2", "--metric", "loss",
           "--json", "-"]
report = json.loads(run(*waiting, "--min-delta", "100").stdout)
expect(
    [e["step"] for e in report["evaluations"]] == [2, 4, 6]
    and len({e["loss"] for e in report["evaluations"]}) == 3,
    "a loss must fall by 100",
)
report = json.loads(run(*waiting).stdout)
falls = [e["loss"] for e in report["evaluations"]]
expect(
    falls == sorted(falls, reverse=True) and len(falls) == 9 and "stopped_early" not in report,
    f"a loss that falls does not end the run: {falls}",
)

done = run(
    "train", *images, "--learning-rate", "0", "--early-stopping", "1", "--trace", f"{folder}/early.json"
)
traced = json.load(open(f"{folder}/early.json")) if os.path.exists(f"{folder}/early.json") else []
expect(
    done.returncode == 0 and "after step 4" in done.stderr and len(traced) > 0,
    "a trace of a run that stops early before step 6",
    done,
)
run("train", *images, "--steps", "2", "--checkpoint-dir", f"{folder}/defaults")
done = run(
    "train",
    *images,
    "--steps",
    "3",
    "--resume",
    f"{folder}/defaults",
    "--label-smoothing",
    "0",
    "--metric",
    "accuracy",
)
expect(done.returncode == 0, "the defaults may be given when a run is resumed", done)

# --- a run that is killed before a checkpoint holds its place in a new log knows the log when it is started
# again
shim = f"{build}/lib/libcutset_fail_call.so"
begun = [*images[:-2], "--learning-rate", "0.05", "--epochs"]
run("train", *begun, "2", "--checkpoint-dir", f"{folder}/new")
shutil.copytree(f"{folder}/new", f"{folder}/alike")
run(
    "train",
    *begun,
    "4",
    "--checkpoint-dir",
    f"{folder}/alike",
    "--resume",
    f"{folder}/alike",
    "--log-csv",
    f"{folder}/alike.csv",
)
for nth in (3, 4, 5):  # writes 1 and 2: the name of the run, the head
    command = [
        "train",
        *begun,
        "4",
        "--checkpoint-dir",
        f"{folder}/new",
        "--resume",
        f"{folder}/new",
        "--log-csv",
        f"{folder}/new.csv",
    ]
    killed = run(
        *command, LD_PRELOAD=shim, FAIL_CALL="write", FAIL_PATH="new.csv", FAIL_NTH=str(nth), FAIL_WITH="0"
    )
    expect(
        killed.returncode == -9 and open(f"{folder}/new.csv").read().count("\n") == nth - 2,
        f"killed at the write {nth} of a log",
        killed,
    )
done = run(*command)
expect(
    done.returncode == 0
    and open(f"{folder}/new.csv").read() == open(f"{folder}/alike.csv").read()
    and not os.path.exists(f"{folder}/new.csv.run"),
    "the log begins again",
    done,
)
pair = [*begun[:1], "--devices", "sim:0", *begun[1:]]
killed = run(
    "train",
    *pair,
    "2",
    "--checkpoint-dir",
    f"{folder}/pair",
    "--log-csv",
    f"{folder}/pair.csv",
    LD_PRELOAD=shim,
    FAIL_CALL="write",
    FAIL_PATH="pair.2.csv",
    FAIL_NTH="4",
    FAIL_WITH="0",
)
done = run(
    "train",
    *pair,
    "3",
    "--checkpoint-dir",
    f"{folder}/pair",
    "--log-csv",
    f"{folder}/pair.csv",
    "--resume",
    f"{folder}/pair",
)
expect(
    killed.returncode == -9 and done.returncode == 0 and "begins anew" in done.stderr,
    "the second of two runs begins its log again",
    done,
)
expect(
    [int(r["step"]) for r in csv.DictReader(open(f"{folder}/pair.2.csv")) if r["loss"]] == [1, 2, 3, 4, 5, 6],
    "the log of the second run has each step once",
)

# --- logs: a row per step and evaluation, which a run that is resumed continues
rows = list(csv.DictReader(open(f"{folder}/stays.csv")))
expect(
    [(r["step"], r["epoch"], bool(r["loss"])) for r in rows]
    == [
        (str(s), str((s + 1) // 2), not e)
        for s in range(1, 7)
        for e in ([False, True] if s % 2 == 0 else [False])
    ],
    f"a row per step and evaluation: {rows}",
)
expect(os.listdir(f"{folder}/board") == ["events.out.tfevents.cutset"], "an event file")
refuse(
    "the log of another run",
    "train",
    *images,
    "--log-csv",
    f"{folder}/stays.csv",
    says=f"the log '{folder}/stays.csv' belongs to another run, or is another file (continue that run",
    code=2,
)
logged = [*images, "--log-csv"]
whole = run("train", *logged, f"{folder}/whole.csv", "--save", f"{folder}/whole.safetensors")
run(
    "train",
    *logged,
    f"{folder}/parts.csv",
    "--steps",
    "3",
    "--checkpoint-dir",
    f"{folder}/parts",
    "--checkpoint-every",
    "1",
    "--no-evaluate",
)
refuse(
    "a log with other columns",
    "train",
    *logged,
    f"{folder}/parts.csv",
    "--resume",
    f"{folder}/parts",
    says="is not the one of the run that wrote the checkpoint",
    code=2,
)
run(
    "train",
    *[a for a in logged if a != "9"][:-2],
    "--epochs",
    "9",
    "--log-csv",
    f"{folder}/evaluated.csv",
    "--steps",
    "3",
    "--checkpoint-dir",
    f"{folder}/evaluated",
    "--checkpoint-every",
    "1",
)
open(f"{folder}/evaluated.csv", "a").write("4,2,0.")
back = run(
    "train",
    *logged,
    f"{folder}/evaluated.csv",
    "--resume",
    f"{folder}/evaluated/step-2.safetensors",
    "--save",
    f"{folder}/parts.safetensors",
)
expect(
    back.returncode == 0 and open(f"{folder}/evaluated.csv").read() == open(f"{folder}/whole.csv").read(),
    "the log of a resumed run is that of the whole run",
    back,
)
expect(
    tensors(f"{folder}/parts.safetensors") == tensors(f"{folder}/whole.safetensors"),
    "the variables are the same",
)
several = run(
    "train", *images[:-2], "--steps", "2", "--devices", "sim:0", "--log-csv", f"{folder}/several.csv"
)
expect(
    several.returncode == 0 and all(os.path.exists(f"{folder}/several.{n}.csv") for n in (1, 2)),
    "each run has its own log",
    several,
)
finish()
