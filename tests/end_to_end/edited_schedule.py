# SPDX-License-Identifier: Apache-2.0
"""Tests that a schedule which `--dump-dir` writes can be edited and read back with `--plan`. The losses equal
the losses of one device. A schedule that could hang, or that uses a value too early, is refused, and the
error names both actions."""
import json
import os

from harness import *

good = dataset("good")
pipeline = "pipeline(2, micro_batches=4)"
devices = "cpu:0,opencl:0" if run("devices").stdout.find("opencl:0") >= 0 else "cpu:0,sim:0"
second = devices.split(",")[1]


def train(*more, on=devices, model="lenet-smooth"):
    return run("train", model, "--devices", on, "--data", good, "--batch", "61", "--steps", "3",
               "--no-evaluate", "--json", "-", *more)


def losses(done, what):
    expect(done.returncode == 0, what, done)
    return json.loads(done.stdout)["loss"] if done.returncode == 0 else []


def close(a, b):
    return len(a) == len(b) == 3 and all(abs(x - y) <= 1e-5 * abs(x) for x, y in zip(a, b))


def edited(plan, name, *lists):
    """Writes the plan with other actions: one list of (kind, micro-batch) per stage. Stage s is on device
    s."""
    text = open(plan).read().split("# schedule ")[0]
    count = 1 + max(k for actions in lists for _, k in actions)
    text += f"schedule {count}\n" + "".join(f"device {s}\n"
                                            + "".join(f"{kind} {s} {k}\n" for kind, k in actions) for s,
                                            actions in enumerate(lists))
    path = f"{folder}/{name}.txt"
    open(path, "w").write(text)
    return path


def gpipe(m):
    return [("forward", k) for k in range(m)] + [("backward", k) for k in range(m)]


def descending(m):
    return [("forward", k) for k in range(m)] + [("backward", k) for k in reversed(range(m))]


def zero_bubble(stage, m):
    """Backward is divided, and the weight part of each micro-batch runs one micro-batch later on stage 1."""
    if stage == 0:
        return [("forward", 0), ("forward", 1)] + [a for k in range(m)
                                                   for a in [("backward_input", k), ("backward_weight", k)]
                                                   + [("forward", k + 2)] * (k + 2 < m)]
    return [("forward", 0), ("backward_input", 0)] + [a for k in range(1, m)
                                                      for a in (("forward", k), ("backward_input", k),
                                                                ("backward_weight", k - 1))] + [
                                                                    ("backward_weight", m - 1)]


one = losses(train(on="cpu:0"), "one device")
dumped = f"{folder}/dump"
generated = losses(train("--strategy", pipeline, "--dump-dir", dumped), "the generated schedule")
expect(close(one, generated), f"the generated schedule has the losses of one device: {one} {generated}")
plan = f"{dumped}/plan.txt"
expect(os.path.exists(plan), "--dump-dir writes the plan")
text = open(plan).read() if os.path.exists(plan) else ""
expect(text.startswith("cutset plan 2\n") and "\nschedule 4\ndevice 0  # cpu:0\nforward 0 0\n" in text
       and f"\ndevice 1  # {second}\nforward 1 0\nbackward 1 0\n" in text,
       "the plan has the actions of each device")
printed = run("plan", "lenet-smooth", "--devices", devices, "--batch", "61", "--strategy", pipeline,
              "-o", "-")
expect(printed.stdout == text, "cutset plan prints the same", printed)
expect(losses(train("--strategy", pipeline, "--plan", plan), "the unchanged plan") == generated,
       "an unchanged schedule has the same bits")

# --- other orders
orders = {"gpipe": (gpipe(4), gpipe(4)), "descending": (descending(4), descending(4)),
          "zero-bubble": (zero_bubble(0, 4), zero_bubble(1, 4)),
          "mixed": ([("forward", 2), ("forward", 0), ("forward", 3), ("forward", 1), ("backward", 3),
                     ("backward_input", 0), ("backward", 1), ("backward_weight", 0), ("backward", 2)],
                    [("forward", 0), ("forward", 3), ("backward_input", 3), ("backward_weight", 3),
                     ("backward", 0), ("forward", 1), ("forward", 2), ("backward", 2), ("backward", 1)])}
for name, lists in orders.items():
    path = edited(plan, name, *lists)
    for strategy in (pipeline, "pipeline(2, micro_batches=4, schedule=zb-h1)"):
        got = losses(train("--strategy", strategy, "--plan", path), f"{name} with {strategy}")
        expect(close(one, got), f"{name} with {strategy} has the losses of one device: {one} {got}")
        again = f"{folder}/again"
        train("--strategy", strategy, "--plan", path, "--dump-dir", again)
        lines = [l.split("  #")[0]
                 for l in open(f"{again}/plan.txt").read().split("# schedule ")[1].splitlines()[1:]]
        expect(lines == [l for l in open(path).read().splitlines()
                         if l.split()[0] in ("schedule", "device", "forward", "backward", "backward_input",
                                             "backward_weight")], f"{name}: the plan of the plan is the same")
    same = run("verify", "lenet-smooth", "--devices", devices, "--strategy", pipeline, "--plan", path,
               "--batch", "61", "--steps", "1")
    expect(same.returncode == 0 and "same" in same.stdout + same.stderr,
           f"{name}: verify says that the results are the same", same)

# --- with fixed sums, every order has the same bits
bits = losses(train("--deterministic", on="sim:0", model="mlp"), "one device, deterministic")
whole = f"{folder}/whole"
expect(losses(train("--deterministic", "--strategy", pipeline, "--dump-dir", whole, on="sim:0,sim:1",
                    model="mlp"), "two devices, deterministic") == bits,
       "--deterministic: the generated schedule has the bits of one device")
for name, lists in (("gpipe", (gpipe(8), gpipe(8))), ("descending", (descending(8), descending(8))),
                    ("zero-bubble", (zero_bubble(0, 8), zero_bubble(1, 8))),
                    ("crossed", (descending(8), gpipe(8)))):
    got = losses(train("--deterministic", "--strategy", pipeline,
                       "--plan", edited(f"{whole}/plan.txt", name, *lists), on="sim:0,sim:1", model="mlp"),
                 f"{name}, deterministic")
    expect(got == bits and len(bits) == 3,
           f"--deterministic: {name} has the bits of one device: {bits} {got}")


# --- what is refused
def refuse_plan(what, path, says, *more, code=2):
    refuse(what, "train", "lenet-smooth", "--devices", devices, "--data", good, "--batch", "61",
           "--plan", path, *(more or ("--strategy", pipeline)), says=says, code=code)


hang = edited(plan, "hang", [("forward", 0), ("backward", 0), ("forward", 1), ("backward", 1)] + gpipe(4)[2:4]
              + gpipe(4)[6:], [("forward", 1), ("backward", 1), ("forward", 0), ("backward", 0)]
              + gpipe(4)[2:4] + gpipe(4)[6:])
refuse_plan("a schedule that could hang", hang,
            f"cpu:0 cannot run backward of stage 0, micro-batch 0 (action 1), before {second} has run "
            "backward of stage 1, micro-batch 0 (action 3), and "
            f"{second} cannot run forward of stage 1, micro-batch 1 (action 0), before cpu:0 has run forward "
            "of stage 0, micro-batch 1 (action 2)")
early = edited(plan, "early", gpipe(4), [("backward", 2)] + [a for a in gpipe(4) if a != ("backward", 2)])
refuse_plan("a value that is used too early", early,
            f"{second}: backward of stage 1, micro-batch 2 (action 0), uses the result of forward of stage "
            "1, micro-batch 2 (action 3), which comes later")
refuse_plan("a missing action", edited(plan, "missing", gpipe(4), gpipe(4)[:-1]),
            f"backward of stage 1, micro-batch 3, is missing on {second}")
refuse_plan("an action twice", edited(plan, "twice", gpipe(4), gpipe(4) + [("backward", 1)]),
            f"{second}, action 8: backward of stage 1, micro-batch 1, comes after action 5, backward of "
            "stage 1, micro-batch 1, which computes the same")
moved = f"{folder}/moved.txt"
open(moved, "w").write(open(edited(plan, "moving", gpipe(4), gpipe(4))).read().replace("device 1\nforward 1 "
        "0\n", "forward 1 0\ndevice 1\n"))
refuse_plan("an action on another device", moved,
            f"cpu:0, action 8: forward of stage 1, micro-batch 0, is listed, but the stage is on {second}")
refuse_plan("another number of micro-batches", plan,
            "with 'pipeline(2, micro_batches=3, schedule=1f1b)', a replica has at most 3",
            "--strategy", "pipeline(2, micro_batches=3)")
refuse_plan("more micro-batches than the plan has", plan,
            "has replicas with 5 micro-batches, and the plan has other schedules",
            "--strategy", "pipeline(2, micro_batches=5)")
refuse_plan("a strategy without a pipeline", plan, "has no pipeline of several devices and micro-batches",
            "--strategy", "model")
wrong = f"{folder}/wrong.txt"
open(wrong, "w").write(open(plan).read().replace("forward 1 3", "forward 1000000000 3"))
refuse_plan("a stage out of range", wrong, "STAGE '1000000000' is not a whole number from 0 to 1048575",
            code=1)
finish()
