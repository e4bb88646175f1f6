# SPDX-License-Identifier: Apache-2.0
"""Tests `cutset solve schedule`. The script computes the bubbles of the published formulas and the times of
each schedule itself, from the schedule that the command writes."""
import json
import os
import re
import xml.dom.minidom

from harness import *  # noqa: F403


def instance(name, stages, micro_batches, *lines):
    path = f"{folder}/{name}"
    open(path, "w").write("\n".join(["cutset pipeline 1", f"micro-batches {micro_batches}",
                                     *(f"stage {d} {times}" for d, times in stages), *lines]) + "\n")
    return path


def makespan(stages, sizes, text):
    """Simulates the schedule in `text`. `stages` holds (device, forward, input part, weight part), and links
    take no time."""
    queues, free, ends = [], {}, {}
    for line in text.splitlines()[1:]:
        words = line.split()
        if words[0] == "device":
            queues.append([])
        else:
            queues[-1].append((words[0], int(words[1]), int(words[2])))
    while any(queues):
        progress = False
        for device, queue in enumerate(queues):
            while queue:
                kind, s, k = queue[0]
                uses = {"forward": [("forward", s - 1, k)] if s else [],
                        "backward_weight": [("backward_input", s, k)]}.get(kind)
                if uses is None:
                    uses = [("forward", s, k)] + ([(kind, s + 1, k)] if s + 1 < len(stages) else [])
                if any(u not in ends for u in uses):
                    break
                f, b, w = stages[s][1:]
                seconds = {"forward": f, "backward": b + w, "backward_input": b,
                           "backward_weight": w}[kind] * sizes[k]
                ends[queue.pop(0)] = free[device] = max([free.get(device, 0)]
                                                        + [ends[u] for u in uses]) + seconds
                progress = True
        assert progress, "the schedule does not end"
    return max(ends.values())


# --- the formulas
p, m, v = 4, 16, 2
equal = instance("equal", [(d, "1 1.5 0.5") for d in range(p)], m, f"chunks {v}")
done = run("solve", "schedule", equal, "--json", "-")
expect(done.returncode == 0, "equal stages are scheduled", done)
report = json.loads(done.stdout)
rows = {r["schedule"]: r for r in report["schedules"]}
idle = (p - 1) * (1 + 1.5 - 0.5)
formulas = {"gpipe": (p - 1) / (m + p - 1), "1f1b": (p - 1) / (m + p - 1),
            "interleaved": (p - 1) / (v * m + p - 1), "zb-h1": idle / (m * 3 + idle)}
expect(set(rows) == set(formulas) and report["devices"] == p and report["micro_batches"] == m,
       "all schedules are simulated", done)
for name, formula in formulas.items():
    expect(abs(rows[name]["longest_span_bubble"] - formula) < 5e-5,
           f"{name}: a bubble of {rows[name]['longest_span_bubble']}, not {formula}")
expect([s["frames"] for s in rows["1f1b"]["stages"]] == [4, 3, 2, 1], "frames of 1f1b")
table = run("solve", "schedule", equal, "--timeline")
expect(table.returncode == 0 and re.search(r"^zb-h1 +54 +54 +0.1111 ", table.stdout, re.M)
       and "device 3 | " in table.stdout, "a table and a timeline are printed", table)

# --- unequal stages and micro-batches: a written schedule has the makespan that is reported
times = [(0, 1.0, 2.0, 0.5), (1, 0.5, 0.25, 0.25), (2, 3.0, 2.0, 2.0)]
sizes = [1, 1, 0.5, 2, 0.75]
unequal = instance("unequal", [(d, f"{f} {b} {w} 0.125 1000") for d, f, b, w in times],
                   "5 " + " ".join(map(str, sizes)))
for name in ("gpipe", "1f1b", "zb-h1"):
    done = run("solve", "schedule", unequal, "--schedule", name, "--out", f"{folder}/{name}", "--json", "-")
    expect(done.returncode == 0, f"{name} is written", done)
    got, text = json.loads(done.stdout)["schedules"][0], open(f"{folder}/{name}").read()
    expect(abs(got["makespan_s"] - makespan(times, sizes, text)) < 1e-9,
           f"{name}: the makespan is {got['makespan_s']}")
    expect(abs(got["step_s"] - got["makespan_s"] - 0.125) < 1e-9, f"{name}: the step ends with the updates")
    again = run("solve", "schedule", unequal, "--edited", f"{folder}/{name}", "--json", "-")
    expect(again.returncode == 0 and {**json.loads(again.stdout)["schedules"][0], "schedule": name} == got,
           f"{name}: the written schedule is read", again)

# --- edited schedules
two = instance("two", [(0, "1 1 1"), (1, "1 1 1")], 2)
for name, text, says in (("a missing action", "device 0\nforward 0 0\ndevice 1\n",
                          "backward of stage 0, micro-batch 0, is missing"),
                         ("no text", None, "the schedule is empty"),
                         ("an unknown word", "device 0\nsideways 0 0\n", "schedule:3:1: a line starts with"),
                         ("a use before the value",
                          "device 0\nbackward 0 0\nforward 0 0\nforward 0 1\nbackward 0 1\ndevice 1\nforward "
                          "1 0\nforward 1 1\nbackward 1 0\nbackward 1 1\n", "comes later"),
                         ("a deadlock", "device 0\nforward 0 0\nbackward 0 0\nforward 0 1\nbackward 0 "
                                        "1\ndevice 1\nforward 1 1\nbackward 1 1\nforward 1 0\nbackward 1 0\n",
                          "actions wait for each other: device 0 cannot run backward of stage 0, micro-batch "
                          "0")):
    open(f"{folder}/bad", "w").write("" if text is None else "cutset schedule 1\n" + text)
    refuse(f"edited: {name}", "solve", "schedule", two, "--edited", f"{folder}/bad", says=says, code=1)
open(f"{folder}/reverse", "w").write("cutset schedule 1\ndevice 0\nforward 0 0\nforward 0 1\nbackward 0 "
                                     "0\nbackward 0 1\ndevice 1\nforward 1 1\nforward 1 0\nbackward 1 "
                                     "0\nbackward 1 1\n")
for capacity in (1, 5):
    done = run("solve", "schedule", two, "--edited", f"{folder}/reverse", "--capacity", str(capacity),
               "--json", "-")
    expect(done.returncode == 0 and json.loads(done.stdout)["schedules"][0]["forward_capacities"]
           == [max(2, capacity)], f"a capacity of {capacity} is raised where it must be", done)

# --- pictures and traces
done = run("solve", "schedule", unequal, "--schedule", "zb-h1", "--svg", f"{folder}/z.svg",
           "--trace", f"{folder}/z.json")
expect(done.returncode == 0, "pictures are written", done)
expect(len(xml.dom.minidom.parse(f"{folder}/z.svg").getElementsByTagName("g")) == 3 * 3 * 5,
       "the drawing has a rectangle per action")
events = [e for e in json.load(open(f"{folder}/z.json"))["traceEvents"] if e["ph"] == "X"]
expect(len(events) == 3 * 3 * 5
       and abs(max(e["ts"] + e["dur"] for e in events) - 1e6
               * json.loads(run("solve", "schedule", unequal, "--schedule", "zb-h1", "--json", "-").stdout)[
                   "schedules"][0]["makespan_s"]) < 1, "the trace ends with the last action")

# --- invalid usage
for name, text, says in (("no header", "stage 0 1 1 1\n", "pipeline:1:1: this is not a pipeline"),
                         ("no number", "cutset pipeline 1\nmicro-batches 2\nstage 0 1 x 1\n",
                          "pipeline:3:11: BACKWARD_INPUT 'x' is not a number"),
                         ("control characters", "cutset pipeline 1\n\x1b[31m\n",
                          "pipeline:2:1: the character '?' cannot stand here")):
    open(f"{folder}/bad", "w").write(text)
    refuse(f"an instance with {name}", "solve", "schedule", f"{folder}/bad", says=says, code=1)
refuse("interleaved without chunks", "solve", "schedule", two, "--schedule", "interleaved", says="chunks 2",
       code=1)
refuse("a schedule that does not exist", "solve", "schedule", two, "--schedule", "magic", says="magic",
       code=2, hint=False)
refuse("two schedules in one drawing", "solve", "schedule", two, "--svg", f"{folder}/x.svg",
       says="--svg is for one schedule", code=2)
expect(not os.path.exists(f"{folder}/x.svg"), "a refused command writes nothing")
refuse("--edited with --schedule", "solve", "schedule", two, "--schedule", "gpipe",
       "--edited", f"{folder}/gpipe", says="--edited", code=2, hint=False)
for option, value in (("--capacity", "0"), ("--capacity", "1.5"), ("--mode", "exact"), ("--seconds", "1")):
    refuse(f"{option} {value}", "solve", "schedule", two, option, value, says=option if option != "--capacity"
           else value, code=2, hint=False)
refuse("one file for two results", "solve", "schedule", two, "--schedule", "gpipe", "--out", f"{folder}/o",
       "--json", f"{folder}/o", says="--json", code=2, hint=False)
refuse("a missing folder", "solve", "schedule", two, "--schedule", "gpipe", "--out", f"{folder}/none/o",
       says="--out: cannot write", code=1)
finish()
