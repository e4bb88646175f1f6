# SPDX-License-Identifier: Apache-2.0
"""Tests that training which stops and is resumed gives the same bits as training that does not stop, and the
folder of checkpoints."""
import glob
import json
import re
import signal
import time

from harness import *  # noqa: F403
from safetensors_files import changed_notes, read_safetensors, tensors, write_safetensors

# bert has dropout, so the random numbers must continue, too. The optimizer adam has state.
STEPS = 22  # five epochs and a half: an epoch of --dataset random has 4 batches
model = ["bert", "--size", "sequence_length=6", "--size", "vocabulary=31", "--size", "layers=1",
         "--size", "width=8", "--size", "heads=2", "--batch", "8"]
optimized = [*model, "--dataset", "random", "--optimizer", "adam", "--learning-rate", "0.01", "--seed", "4",
             "--threads", "1"]
common = [*optimized, "--lr-schedule", "cosine", "--warmup-steps", "3", "--steps", str(STEPS)]


def train(*arguments, json_file=f"{folder}/result.json"):
    done = run("train", *arguments, "--json", json_file)
    expect(done.returncode == 0, f"train {' '.join(arguments)} works", done)
    return json.load(open(json_file))


whole = train(*common, "--checkpoint-dir", f"{folder}/whole", "--checkpoint-every", "1", "--keep", str(STEPS),
              "--save", f"{folder}/whole.safetensors")
expect(len(set(whole["loss"])) == STEPS, "the losses of all steps differ")
want = tensors(f"{folder}/whole.safetensors")
for step in range(1, STEPS):  # every step is one at which the run could have stopped
    checkpoint = f"{folder}/whole/step-{step}.safetensors"
    again = train(*common, "--resume", checkpoint, "--save", f"{folder}/again.safetensors")
    expect(again["first_step"] == step, f"resumed at step {step}")
    expect(again["loss"] == whole["loss"][step:], f"the losses after step {step} are the same")
    expect(tensors(f"{folder}/again.safetensors") == want,
           f"the variables after step {step} have the same bits")

# A network with the same variables may compute something else.
for changed in ([*common, "--dropout", "0.5"], ["heads=1" if a == "heads=2" else a for a in common],
                [*common, "--dtype", "f64"]):
    refuse(f"another network, {changed}", "train", *changed, "--resume", f"{folder}/whole/step-9.safetensors",
           says="(give the model, --size, --dropout and --dtype of the first run, or begin a new run with "
                "the variables of the file by --init)", code=2)

# The evaluations of a resumed run equal the evaluations of the whole run, too. The samples have an order of
# 95 samples, whose last batch is smaller, and are cropped. The variables come from a file that has a step of
# its own. The saved files are equal, including all their notes.
images = dataset("images")
open(f"{folder}/order", "w").write(" ".join(str(i * 7 % 80) for i in range(95)))
ordered = ["mlp", "--data", images, "--batch", "20", "--epochs", "3", "--threads", "1",
           "--order", f"{folder}/order", "--random-crop", "2", "--random-flip", "--learning-rate", "0.05"]
train("mlp", "--data", images, "--steps", "7", "--no-evaluate", "--save", f"{folder}/begin.safetensors")
first = train(*ordered, "--init", f"{folder}/begin.safetensors", "--checkpoint-dir", f"{folder}/ordered",
              "--checkpoint-every", "1", "--keep", "99", "--save", f"{folder}/ordered.safetensors")
expect([e["step"] for e in first["evaluations"]] == [5, 10, 15],
       "an order of 95 samples makes epochs of 5 steps")
for step in range(1, 15):
    again = train(*ordered, "--resume", f"{folder}/ordered/step-{7 + step}.safetensors",
                  "--save", f"{folder}/again.safetensors", "--checkpoint-dir", f"{folder}/again-{step}")
    expect(again["first_step"] == step and again["loss"] == first["loss"][step:],
           f"the losses after step {step} of an order are the same")
    expect(again["evaluations"] == [e for e in first["evaluations"] if e["step"] > step],
           f"the evaluations after step {step} are the same: {again['evaluations']}")
    expect(tensors(f"{folder}/again.safetensors") == tensors(f"{folder}/ordered.safetensors"),
           f"the variables after step {step} of an order have the same bits")

# The line of an epoch says over which steps its loss is the mean.
said = run("train", *ordered, "--resume", f"{folder}/ordered/step-10.safetensors").stderr
expect("epoch 1 of 3, after the resume only the last 2 steps: loss" in said and "epoch 2 of 3: loss" in said,
       f"the epoch that is resumed has two steps: {said}")

# A file is damaged if its notes or its elements do not have the file's checksum. It is also damaged if its
# notes contradict each other.
nine = f"{folder}/whole/step-9.safetensors"
for notes in ({"train.batches": "3"}, {"cutset.step": "99"}, {"cutset.step": None}, {"train.epoch": "1"},
              {"train.first_step": "2"}, {"train.evaluated_step": "12"}):
    refuse(f"other notes, {notes}", "train", *common,
           "--resume", changed_notes(nine, f"{folder}/notes.safetensors", **notes),
           says="/notes.safetensors' is damaged: the checksum 'cutset.checksum' of its metadata", code=1,
           hint=False)
    refuse(f"notes that contradict each other, {notes}", "train", *common,
           "--resume", changed_notes(nine, f"{folder}/notes.safetensors", checksum=False, **notes),
           says="/notes.safetensors' contradicts itself", code=1)
flipped = bytearray(open(nine, "rb").read())
flipped[-5] ^= 1
open(f"{folder}/flipped.safetensors", "wb").write(flipped)
for option in ("--resume", "--init"):
    refuse(f"an element that has changed, {option}", "train", *common, option,
           f"{folder}/flipped.safetensors", says="/flipped.safetensors' is damaged", code=1, hint=False)
os.makedirs(f"{folder}/misnamed")
shutil.copyfile(nine, f"{folder}/misnamed/step-8.safetensors")
refuse("a checkpoint with the name of another step", "train", *common, "--resume", f"{folder}/misnamed",
       says="is named for step 8 and has step 9", code=1)

# The hash of the data files covers every pixel of every sample, even a pixel that the crop of the first epoch
# leaves out.
pixels = f"{images}/train-images-idx3-ubyte"
stored = open(pixels, "rb").read()
for sample in range(4):
    changed = bytearray(stored)
    changed[16 + 784 * sample] ^= 64
    open(pixels, "wb").write(changed)
    refuse(f"another pixel of sample {sample}", "train", *ordered,
           "--resume", f"{folder}/ordered/step-9.safetensors",
           says="was made with data files of 80 samples with the hash ", code=2)
open(pixels, "wb").write(stored)

# Another strategy continues with the same samples, rates and masks.
other = train(*common, "--resume", f"{folder}/whole/step-9.safetensors", "--devices", "cpu:0,sim:0",
              "--strategy", "data(2)")
expect(all(abs(a - b) <= 1e-4 * abs(b) for a, b in zip(other["loss"], whole["loss"][9:], strict=True)),
       "another strategy continues with the same losses")

# After a signal, the run stops between two steps and writes a checkpoint. The name of the folder suffices for
# continuing from it.
stopping = [*optimized, "--checkpoint-dir", f"{folder}/stopped", "--checkpoint-every", "5"]
process = subprocess.Popen([cutset, "train", *stopping, "--steps", "100000000"], env=environment,
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
while not (os.path.isdir(f"{folder}/stopped")
           and any(f.startswith("step-")
                   for f in os.listdir(f"{folder}/stopped"))) and process.poll() is None:
    time.sleep(0.01)
# Meanwhile the folder belongs to the run. Even a run that would continue it is refused.
for more in ([], ["--resume", f"{folder}/stopped"]):
    refuse("a folder that another run uses", "train", *optimized, "--steps", "3",
           "--checkpoint-dir", f"{folder}/stopped", *more,
           says=f"the folder '{folder}/stopped' is in use by another run, process {process.pid}", code=1)
process.send_signal(signal.SIGTERM)
errors = process.communicate(timeout=120)[1]
expect(process.returncode == 143, f"SIGTERM ends training with 143: {process.returncode} {errors[-300:]}")
expect(re.search(rf"note: stopped after step (\d+); '{folder}/stopped/step-\1.safetensors' has its "
                 rf"variables, and the same command with --resume '{folder}/stopped' continues the run",
                 errors),
       f"a note says how the run continues: {errors[-400:]}")
expect(not os.path.exists(f"{folder}/stopped/.lock"), "the lock of the folder is gone")
steps = sorted(int(f[5:-12]) for f in os.listdir(f"{folder}/stopped") if f.startswith("step-"))
expect(len(steps) <= 3 and steps[-1] >= 5, f"at most three checkpoints stay: {steps}")
resumed = train(*stopping, "--steps", str(steps[-1] + 7), "--resume", f"{folder}/stopped")
expect(resumed["first_step"] == steps[-1] and resumed["steps"] == 7,
       f"the newest checkpoint is taken: {resumed['first_step']}")

# A run replaces and removes no file that it has not written, such as one of a run on a file system without
# locks.
foreign = [*optimized, "--checkpoint-dir", f"{folder}/foreign", "--checkpoint-every", "20", "--keep", "1"]
process = subprocess.Popen([cutset, "train", *foreign, "--steps", "100000000"], env=environment,
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
while not glob.glob(f"{folder}/foreign/step-*.safetensors") and process.poll() is None:
    time.sleep(0.01)
process.send_signal(signal.SIGSTOP)
while open(f"/proc/{process.pid}/stat").read().rsplit(")", 1)[1].split()[0] != "T":
    time.sleep(0.01)
# This file may be half written.
newest = max(int(f[5:].split(".")[0]) for f in os.listdir(f"{folder}/foreign") if f.startswith("step-"))
for step in (newest - 19, newest + 40):
    open(f"{folder}/foreign/step-{step}.safetensors", "w").write("of another run")
process.send_signal(signal.SIGCONT)
errors = process.communicate(timeout=120)[1]
expect(process.returncode == 1 and f"step-{newest + 40}.safetensors' is not replaced, because this run has "
                                   "not written it" in errors,
       f"the file of another run stays: {errors[-300:]}")
expect(sorted(os.listdir(f"{folder}/foreign")) == sorted(f"step-{step}.safetensors"
                                                         for step in (newest - 19, newest + 20, newest + 40))
       and open(f"{folder}/foreign/step-{newest + 40}.safetensors").read() == "of another run",
       f"all files of another run stay: {os.listdir(f'{folder}/foreign')}")

# The temporary files of a run that was killed are removed, including the files of steps that the next run
# does not write.
shutil.copytree(f"{folder}/stopped", f"{folder}/orphans")
for name in ("step-4.safetensors", "best.safetensors", "step-999.safetensors"):
    open(f"{folder}/orphans/{name}.tmp-0000000000000000", "w").write("half")
open(f"{folder}/orphans/mine.tmp-0000000000000000", "w").write("of another program")
train(*optimized, "--steps", str(resumed["first_step"] + 9), "--resume", f"{folder}/orphans",
      "--checkpoint-dir", f"{folder}/orphans")
expect([f for f in os.listdir(f"{folder}/orphans") if ".tmp-" in f] == ["mine.tmp-0000000000000000"],
       f"no temporary file is left: {os.listdir(f'{folder}/orphans')}")

# A signal stops the run in an evaluation: in the evaluation of an epoch, and in the evaluation after a last
# step inside an epoch. The resumed run evaluates first, and writes the same files as a run that did not stop.
many = dataset("many", tests=3000)


def processor_seconds(process):
    """The time for which a process has run on processors."""
    fields = open(f"/proc/{process.pid}/stat").read().rsplit(")", 1)[1].split()
    return int(fields[11]) / os.sysconf("SC_CLK_TCK")


for name, length in (("epoch", ["--epochs", "1"]), ("step", ["--steps", "1"])):
    evaluated = ["lenet", "--devices", "reference:0", "--data", many, "--batch", "40", "--threads", "1",
                 *length]
    stopped = [*evaluated, "--checkpoint-dir", f"{folder}/in-{name}"]
    process = subprocess.Popen([cutset, "train", *stopped, "--json", f"{folder}/in.json"], env=environment,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and processor_seconds(process) < 0.5:
        time.sleep(0.01)  # the steps take less time of the processor, and the evaluation takes more
    process.send_signal(signal.SIGINT)
    errors = process.communicate(timeout=120)[1]
    expect(process.returncode == 130 and json.load(open(f"{folder}/in.json"))["evaluations"] == [],
           f"SIGINT in the evaluation of the last {name}: {process.returncode} {errors[-300:]}")
    want = train(*evaluated, "--checkpoint-dir", f"{folder}/out-{name}",
                 "--save", f"{folder}/out.safetensors")
    if name == "epoch":  # without the evaluation, all that is left to do is to write the files
        train(*evaluated, "--resume", f"{folder}/in-{name}", "--no-evaluate",
              "--save", f"{folder}/unevaluated.safetensors")
        expect(tensors(f"{folder}/unevaluated.safetensors") == tensors(f"{folder}/out.safetensors"),
               "--save is written without an evaluation")
    resumed = train(*stopped, "--resume", f"{folder}/in-{name}", "--save", f"{folder}/in.safetensors")
    expect(resumed["evaluations"] == want["evaluations"] and len(want["evaluations"]) == 1,
           f"the run evaluates after the last {name} when it is resumed: {resumed['evaluations']}")
    expect(open(f"{folder}/in.safetensors", "rb").read() == open(f"{folder}/out.safetensors", "rb").read(),
           f"--save is written after the evaluation of the last {name}")
    files = sorted(os.listdir(f"{folder}/out-{name}"))
    expect(sorted(os.listdir(f"{folder}/in-{name}")) == files
           and all(open(f"{folder}/in-{name}/{f}", "rb").read() == open(f"{folder}/out-{name}/{f}",
                   "rb").read() for f in files),
           f"the checkpoints of the last {name} are the same")
    refuse(f"another resume after the last {name}", "train", *stopped, "--resume", f"{folder}/in-{name}",
           says="is complete: the checkpoint has step ", code=2)
    refuse(f"another resume after the last {name}", "train", *stopped, "--resume", f"{folder}/in-{name}",
           says="(give more --steps or --epochs)", code=2)

# Checkpoints by time, and the best checkpoint.
data = ["mlp", "--data", dataset("small"), "--batch", "16", "--epochs", "3", "--threads", "1"]
timed = train(*data, "--checkpoint-dir", f"{folder}/timed", "--checkpoint-minutes", "1000",
              "--learning-rate", "0.1")
files = sorted(os.listdir(f"{folder}/timed"))
expect(files == ["best.safetensors", "step-15.safetensors"],
       f"a checkpoint at the end and the best one: {files}")
train(*data, "--checkpoint-dir", f"{folder}/epochs")
expect(sorted(os.listdir(f"{folder}/epochs")) == ["best.safetensors", "step-10.safetensors",
                                                  "step-15.safetensors", "step-5.safetensors"],
       "by default, there is a checkpoint per epoch")
for step in (5, 10, 15):
    os.remove(f"{folder}/epochs/step-{step}.safetensors")
expect(train(*data[:-4], "--threads", "1", "--epochs", "4", "--resume", f"{folder}/epochs")["first_step"]
       in (5, 10, 15), "the best checkpoint is taken if there is no other")
shutil.copytree(f"{folder}/timed", f"{folder}/damaged")
shutil.copyfile(f"{folder}/damaged/step-15.safetensors", f"{folder}/damaged/step-10.safetensors")
os.truncate(f"{folder}/damaged/step-15.safetensors", 1000)
more = [*data[:-4], "--threads", "1", "--epochs", "4", "--learning-rate", "0.1", "--resume"]
refuse("a damaged checkpoint of a folder", "train", *more, f"{folder}/damaged",
       says="/step-15.safetensors' is not a safetensors file", code=1)
refuse("a damaged checkpoint of a folder", "train", *more, f"{folder}/damaged", says="(without this file in "
       f"the folder, --resume continues from '{folder}/damaged/step-10.safetensors', the checkpoint before "
       "it)", code=1)
os.remove(f"{folder}/damaged/step-10.safetensors")
refuse("the only checkpoint of a folder, which is damaged", "train", *more, f"{folder}/damaged",
       says="/step-15.safetensors' is not a safetensors file", code=1, hint=False)
refuse("a checkpoint of another model", "train", "lenet", *more[1:], f"{folder}/timed",
       says="(give the model, its sizes and the optimizer of the first run)", code=2)
train("mlp", "--data", dataset("small"), "--steps", "400", "--no-evaluate",
      "--checkpoint-dir", f"{folder}/often", "--checkpoint-minutes", "0.001", "--keep", "1000")
expect(1 < len(os.listdir(f"{folder}/often")) < 400, "400 steps take longer than 60 ms, and a step does not")
metrics = timed["evaluations"]
expect(len(metrics) == 3 and [m["step"] for m in metrics] == [5, 10, 15]
       and timed["accuracy"] == [m["top1"] for m in metrics], f"one evaluation per epoch: {metrics}")
best = max(range(3), key=lambda i: (metrics[i]["top1"], -i))
check = train(*data, "--init", f"{folder}/timed/best.safetensors", "--learning-rate", "0")
expect(check["evaluations"][0]["top1"] == metrics[best]["top1"]
       and abs(check["evaluations"][0]["loss"] - metrics[best]["loss"]) < 1e-6,
       "best.safetensors is the best one")
together = train(*[a if a != "16" else "20" for a in data], "--init", f"{folder}/timed/best.safetensors",
                 "--learning-rate", "0")
expect(abs(together["evaluations"][0]["loss"] - check["evaluations"][0]["loss"]) < 1e-5,
       "20 samples for evaluation have the same loss in batches of 16 and 4 as in one batch")

whole_dir = f"{folder}/whole"
os.makedirs(f"{folder}/only-best")
os.makedirs(f"{folder}/mixed")
shutil.copy(f"{folder}/timed/best.safetensors", f"{folder}/only-best")

# If another file cannot be written, the checkpoint is written nevertheless, even at the end of an epoch. The
# run continues from the checkpoint.
done = run("train", *data, "--steps", "5", "--no-evaluate", "--save", "/dev/full",
           "--checkpoint-dir", f"{folder}/full")
expect(done.returncode == 1 and os.listdir(f"{folder}/full") == ["step-5.safetensors"],
       "the checkpoint is written although --save fails", done)
expect(train(*data, "--resume", f"{folder}/full")["first_step"] == 5, "it continues")

# Several runs have folders of their own, from which they continue.
several = [*data, "--devices", "cpu:0", "--devices", "reference:0", "--no-evaluate",
           "--checkpoint-dir", f"{folder}/several"]
train(*several[:several.index("--epochs")], *several[several.index("--epochs") + 2 :], "--steps", "3")
expect([r["first_step"] for r in train(*several, "--resume", f"{folder}/several")] == [3, 3],
       "each run continues from its folder")
newest = max(glob.glob(f"{folder}/several.1/step-*"), key=os.path.getmtime)
os.symlink(newest, f"{folder}/link.safetensors")
# All runs can continue from the folder of one run, even if a refused command has left empty folders of runs.
os.makedirs(f"{folder}/full.2")
both = train(*data, "--devices", "cpu:0", "--devices", "reference:0", "--no-evaluate",
             "--resume", f"{folder}/full", "--checkpoint-dir", f"{folder}/both")
expect([r["first_step"] for r in both] == [5, 5], "both runs continue from one folder")
# A command that was stopped in its first run continues this run, and begins the others.
shutil.copytree(f"{folder}/full", f"{folder}/stopped-early.1")
early = train(*data, "--devices", "cpu:0", "--devices", "reference:0", "--no-evaluate",
              "--resume", f"{folder}/stopped-early", "--checkpoint-dir", f"{folder}/stopped-early")
expect([r["first_step"] for r in early] == [5, 0], "the second run begins anew")
for what, says, code, *arguments in [
        ("a checkpoint that an earlier run may remove",
         f"run 2 begins with '{newest}', and run 1 may remove or replace this file, because it is in "
         f"'{folder}/several.1'", 2, *several, "--resume", newest),
        ("a link to a checkpoint that an earlier run may remove",
         f"run 2 begins with '{folder}/link.safetensors', and run 1 may remove", 2, *several,
         "--resume", f"{folder}/link.safetensors"),
        ("several runs without a checkpoint",
         f"there is no checkpoint and no folder of checkpoints '{folder}/nosuch'", 1, *several,
         "--resume", f"{folder}/nosuch"),
        ("a folder with another run", "has the checkpoints of another run", 2, *common,
         "--checkpoint-dir", whole_dir),
        ("a folder with another best model", "has the checkpoints of another run", 2, *data,
         "--checkpoint-dir", f"{folder}/only-best"),
        ("a folder with a later step", "has a checkpoint of step 22, and this run begins at step 3",
         2, *common, "--resume", f"{whole_dir}/step-3.safetensors", "--checkpoint-dir", whole_dir),
        ("another optimizer", "was made with the optimizer adam, beta1 0.9, beta2 0.999, epsilon 1e-08, "
                              "weight_decay 0, and this run has rmsprop, alpha 0.99", 2,
         *[a if a != "adam" else "rmsprop" for a in common], "--resume", whole_dir),
        ("another order", "was made with the samples", 2, *[a for a in ordered if a != "--random-flip"],
         "--resume", f"{folder}/ordered/step-9.safetensors"),
        ("an order that is missing",
         "was made with a number of samples per epoch of 95, and this run has 80 (give the samples, the "
         "order and the --size that the first run had; the number of samples of a text depends", 2,
         *ordered[:9], "--resume", f"{folder}/ordered/step-9.safetensors"),
        ("--save among checkpoints", "--save writes into the folder of --checkpoint-dir", 2, *data,
         "--checkpoint-dir", f"{folder}/mixed", "--save", f"{folder}/mixed/best.safetensors"),
        ("another batch", "was made with --batch 8, and this run has 4", 2,
         *[a if a != "8" else "4" for a in common], "--resume", whole_dir),
        ("another seed", "was made with --seed 4, and this run has 5", 2,
         *[a if a != "4" else "5" for a in common], "--resume", whole_dir),
        ("a run that is complete",
         "the run of 22 steps is complete: the checkpoint has step 22 (begin a new run with the variables of "
         "the checkpoint by --init; the rates of --lr-schedule cosine depend on the last step", 2,
         *common, "--resume", whole_dir),
        ("a folder without checkpoints", "has no checkpoint", 2, *common, "--resume", folder),
        ("a missing file", "nosuch", 1, *common, "--resume", f"{folder}/nosuch"),
        ("two beginnings", "--init and --resume both give values", 2, *common, "--resume", whole_dir,
         "--init", f"{folder}/whole.safetensors"),
        ("an interval without a folder", "need a folder", 2, *common, "--checkpoint-every", "3"),
        ("a number of checkpoints without a folder", "need a folder", 2, *common, "--keep", "3"),
        ("dropout of a model that has none", "has no dropout layers", 2, "lenet", "--dropout", "0.3"),
        ("a padding that is not used", "--padding-id is for --dataset id-table", 2, "mlp",
         "--padding-id", "0"),
        ("a model without samples", "no samples are given", 2, "lstm")]:
    refuse(what, "train", *arguments, says=says, code=code, hint=False)
finish()
