#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the options of `cutset train` for the loss, the optimizer, clipping and averages. A linear model is
trained by NumPy in f64 as the papers and PyTorch say, and `cutset` must give the same losses, variables and
evaluations."""
import json

from harness import *  # noqa: F403
from safetensors_files import read_safetensors, tensors, write_arrays
import onnx_wheels  # noqa: F401, before numpy and onnx
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

random = np.random.default_rng(5)
CLASSES, FEATURES, SAMPLES, STEPS = 3, 4, 7, 3
first = random.normal(0, 0.5, (FEATURES, CLASSES)).astype(np.float32)
graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["logits"])], "g",
                          [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", FEATURES])],
                          [helper.make_tensor_value_info("logits", TensorProto.FLOAT, None)],
                          [numpy_helper.from_array(first, "w")])
model = f"{folder}/linear.onnx"
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), model)
x = random.normal(0, 1, (SAMPLES, FEATURES)).astype(np.float32)
labels = {"plain": np.array([0, 1, 2, 0, 1, 2, 1], np.int32),
          "ignored": np.array([0, -100, 2, 0, -100, 2, 1], np.int32),
          "none": np.full(SAMPLES, -100, np.int32)}
weights = [1.0, 0.5, 2.0]
np.save(f"{folder}/x.npy", x)
np.save(f"{folder}/weights.npy", np.array(weights))
for name, label in labels.items():
    np.save(f"{folder}/{name}.npy", label)


def arguments(label):
    return [model, "--devices", "reference:0", "--dtype", "f64", "--batch", str(SAMPLES),
            "--loss", "cross_entropy", "--epochs", str(STEPS),
            *[a for option in ("--samples", "--test-samples")
              for file in (f"x={folder}/x.npy", f"label={folder}/{label}.npy") for a in (option, file)]]


def saved(path):
    """Returns the variables of a safetensors file of f64 or f32, by name."""
    types = {"F64": np.float64, "F32": np.float32}
    header = read_safetensors(path)[0]
    return {name: np.frombuffer(value, types[header[name]["dtype"]]).reshape(header[name]["shape"])
            for name, value in tensors(path).items()}


def loss_of(w, label, weight=(1, 1, 1), smoothing=0.0):
    """The loss of torch.nn.functional.cross_entropy(ignore_index=-100), its gradient, and the accuracy."""
    logits = x.astype(np.float64) @ w
    log_p = logits - np.log(np.exp(logits).sum(1, keepdims=True))
    target = np.zeros((SAMPLES, CLASSES))  # the factor of each logarithm of a probability
    counted = label != -100
    for row in np.flatnonzero(counted):
        target[row] += smoothing / CLASSES * np.array(weight)
        target[row, label[row]] += (1 - smoothing) * weight[label[row]]
    divisor = sum(weight[k] for k in label[counted]) or 1
    gradient = x.astype(np.float64).T @ (np.exp(log_p) * target.sum(1, keepdims=True) - target) / divisor
    return -(target * log_p).sum() / divisor, gradient, (logits.argmax(1) == label)[
        counted].mean() if counted.any() else np.nan


def clipped(g, value=None, norm=None):
    g = np.clip(g, -value, value) if value else g
    return g * min(1, norm / (np.sqrt((g**2).sum()) + 1e-6)) if norm else g


def sgd(rate=0.5, momentum=0.0):
    v = 0.0

    def update(w, g, t):
        nonlocal v
        v = momentum * v + g
        return w - rate * v

    return update


def adam(rate, beta1, beta2, epsilon, decay=0.0, lamb=False):
    m = v = 0.0

    def update(w, g, t):
        nonlocal m, v
        m, v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g**2
        r = m / (1 - beta1**t) / (np.sqrt(v / (1 - beta2**t)) + epsilon)
        if lamb:
            r = r + decay * w
            return w - rate * np.linalg.norm(w) / np.linalg.norm(r) * r
        return w * (1 - rate * decay) - rate * r

    return update


def squares(rate, epsilon, alpha=None):
    s = 0.0

    def update(w, g, t):
        nonlocal s
        s = s + g**2 if alpha is None else alpha * s + (1 - alpha) * g**2
        return w - rate * g / (np.sqrt(s) + epsilon)

    return update


plain = ["--learning-rate", "0.5", "--momentum", "0"]
adamw = ["--optimizer", "adamw", "--learning-rate", "0.1", "--weight-decay", "0.2"]
CASES = [
    ("nothing", "plain", plain, {}, {}, sgd),
    ("an ignored label", "ignored", [*plain, "--ignore-index", "-100"], {}, {}, sgd),
    ("only ignored labels", "none", [*plain, "--ignore-index", "-100"], {}, {}, sgd),
    ("weights in a list", "plain", [*plain, "--class-weights", "1,0.5,2"], {"weight": weights}, {}, sgd),
    ("weights in a file", "ignored",
     [*plain, "--class-weights", f"{folder}/weights.npy", "--ignore-index", "-100"], {"weight": weights},
     {}, sgd),
    ("smoothing", "plain", [*plain, "--label-smoothing", "0.3"], {"smoothing": 0.3}, {}, sgd),
    ("all of the loss", "ignored", [*plain, "--label-smoothing", "0.3", "--class-weights", "1,0.5,2",
                                    "--ignore-index", "-100"], {"weight": weights, "smoothing": 0.3},
     {}, sgd),
    ("a norm", "plain", [*plain, "--clip-norm", "0.05"], {}, {"norm": 0.05}, sgd),
    ("a value", "plain", [*plain, "--clip-value", "0.02"], {}, {"value": 0.02}, sgd),
    ("a value and a norm", "plain", [*plain, "--clip-value", "0.02", "--clip-norm", "0.03"], {},
     {"value": 0.02, "norm": 0.03}, sgd),
    ("a norm that is not reached", "plain", [*plain, "--clip-norm", "100"], {}, {"norm": 100}, sgd),
    ("betas of Adam", "plain",
     ["--optimizer", "adam", "--learning-rate", "0.1", "--beta1", "0.5", "--beta2", "0.8",
      "--epsilon", "0.1"], {}, {}, lambda: adam(0.1, 0.5, 0.8, 0.1)),
    ("betas of AdamW", "plain", [*adamw, "--beta1", "0", "--beta2", "0.7"], {}, {},
     lambda: adam(0.1, 0, 0.7, 1e-8, 0.2)),
    ("the defaults of AdamW", "plain", adamw, {}, {}, lambda: adam(0.1, 0.9, 0.999, 1e-8, 0.2)),
    ("betas of LAMB", "plain",
     ["--optimizer", "lamb", "--learning-rate", "0.1", "--beta1", "0.6", "--epsilon", "0.01"], {}, {},
     lambda: adam(0.1, 0.6, 0.999, 0.01, 0.01, True)),
    ("an epsilon of Adagrad", "plain",
     ["--optimizer", "adagrad", "--learning-rate", "0.1", "--epsilon", "0.2"], {}, {},
     lambda: squares(0.1, 0.2)),
    ("an epsilon of RMSprop", "plain",
     ["--optimizer", "rmsprop", "--learning-rate", "0.1", "--epsilon", "0.2"], {}, {},
     lambda: squares(0.1, 0.2, 0.99)),
]
for what, label, options, of_loss, clip, optimizer in CASES:
    for average in (None, 0.6) if what in ("nothing", "betas of Adam") else (None,):
        done = run("train", *arguments(label), *options,
                   *(["--average-weights", str(average)] if average else []),
                   "--save", f"{folder}/w.safetensors", "--json", f"{folder}/r.json")
        expect(done.returncode == 0, f"{what}: it trains", done)
        w, update, losses, mean = first.astype(np.float64), optimizer(), [], first.astype(np.float64)
        for t in range(1, STEPS + 1):
            loss, gradient, _ = loss_of(w, labels[label], **of_loss)
            losses.append(loss)
            w = update(w, clipped(gradient, **clip), t)
            mean = mean if average is None else average * mean + (1 - average) * w
        report, variables = json.load(open(f"{folder}/r.json")), saved(f"{folder}/w.safetensors")
        expect(np.allclose(report["loss"], losses, rtol=1e-6, atol=1e-9),
               f"{what}: the losses {report['loss']} are {losses}")
        expect(np.allclose(variables["w"], w, rtol=1e-6, atol=1e-8),
               f"{what}: the variable {variables['w'].ravel()} is {w.ravel()}")
        if average:
            expect(np.allclose(variables["w/average"], mean, rtol=1e-6, atol=1e-8)
                   and not np.allclose(mean, w, rtol=1e-3),
                   f"{what}: the average is that of the variable after each step")
        if label == "none":
            continue  # the mean of nothing is not a number
        loss, _, accuracy = loss_of(mean if average else w, labels[label], **of_loss)
        evaluated = report["evaluations"][-1]
        expect(abs(evaluated["loss"] - loss) < 1e-6 and abs(evaluated["top1"] - accuracy) < 1e-12,
               f"{what}: the evaluation {evaluated} has the loss {loss} and the accuracy {accuracy}")

# --- an evaluation of two batches that have other numbers and weights of labels
np.save(f"{folder}/x2.npy", np.concatenate([x, x]))
np.save(f"{folder}/two.npy", np.concatenate([labels["ignored"], labels["plain"]]))
two = [model, "--devices", "reference:0", "--dtype", "f64", "--batch", str(SAMPLES),
       "--loss", "cross_entropy", "--learning-rate", "0", "--ignore-index", "-100",
       "--class-weights", "1,0.5,2",
       "--samples", f"x={folder}/x.npy", "--samples", f"label={folder}/ignored.npy",
       "--test-samples", f"x={folder}/x2.npy", "--test-samples", f"label={folder}/two.npy"]
done = run("train", *two, "--json", "-")
parts = [(loss_of(first.astype(np.float64), labels[n], weights), sum(weights[k] for k in labels[n] if k >= 0),
          (labels[n] >= 0).sum()) for n in ("ignored", "plain")]
loss = sum(p[0] * weight for p, weight, _ in parts) / sum(weight for _, weight, _ in parts)
accuracy = sum(p[2] * count for p, _, count in parts) / sum(count for _, _, count in parts)
evaluated = json.loads(done.stdout)["evaluations"][-1] if done.returncode == 0 else {"loss": np.nan,
        "top1": np.nan}
expect(abs(evaluated["loss"] - loss) < 1e-6 and abs(evaluated["top1"] - accuracy) < 1e-12,
       f"two batches: the evaluation {evaluated} has the loss {loss} and the accuracy {accuracy}", done)

# --- Predictions use the averages, too: they equal the predictions of a model whose variables are the
# averages.
small = ["mlp", "--size", "image_size=2", "--devices", "reference:0", "--batch", "4"]
done = run("train", *small, "--dataset", "random", "--learning-rate", "0.5", "--steps", "3",
           "--average-weights", "0.8", "--save", f"{folder}/trained.safetensors")
expect(done.returncode == 0, "averages of a built-in model", done)
variables = {name: value for name, value in saved(f"{folder}/trained.safetensors").items()
             if not name.endswith("/velocity")}
means = {name.removesuffix("/average"): value for name, value in variables.items()
         if name.endswith("/average")}
write_arrays(f"{folder}/means.safetensors", means)
np.save(f"{folder}/image.npy", random.normal(0, 1, (4, 1, 2, 2)).astype(np.float32))
logits = []
for name, option in (("trained", ["--average-weights", "0.8"]), ("means", []), ("trained", [])):
    for command in (["compile", *small, *option, "--init", f"{folder}/{name}.safetensors", "-o",
                     f"{folder}/p.cutset"],
                    ["run", f"{folder}/p.cutset", "--function", "predict",
                     "--input", f"image={folder}/image.npy", "--output-dir", f"{folder}/out"]):
        done = run(*command)
        expect(done.returncode == 0, f"{command[0]} of {name}", done)
    logits.append(np.load(f"{folder}/out/logits.npy"))
expect(len(means) == 6 and (logits[0] == logits[1]).all() and (logits[0] != logits[2]).any(),
       f"predictions use averages: {logits}")
done = run("verify", model, "--batch", "8", "--devices", "cpu:0,sim:0", "--strategy", "data(2)",
           "--loss", "cross_entropy", "--ignore-index", "-100", "--class-weights", "1,2,3",
           "--label-smoothing", "0.1", "--clip-norm", "0.1", "--average-weights", "0.9")
expect(done.returncode == 0, "two replicas compute what one device computes", done)

# --- a resumed run has the same options
begun = [*arguments("ignored"), "--ignore-index", "-100", "--class-weights", "1,0.5,2",
         "--label-smoothing", "0.3", "--optimizer", "adam", "--beta1", "0.5", "--clip-norm", "0.5",
         "--average-weights", "0.6"]
done = run("train", *begun, "--save", f"{folder}/begun.safetensors")
expect(done.returncode == 0, "the first run", done)
longer = [*["5" if a == str(STEPS) else a for a in begun], "--resume", f"{folder}/begun.safetensors"]


def replaced(option, *by):
    at = longer.index(option)
    return [*longer[:at], *by, *longer[at + 2 :]]


for what, says, changed in [
        ("weights", "the loss cross_entropy, ignored label -100, class weights 1 0.5 2, label smoothing 0.3, "
                    "and this run has cross_entropy, ignored label -100, class weights 1 0.5 1, label",
         replaced("--class-weights", "--class-weights", "1,0.5,1")),
        ("smoothing",
         "and this run has cross_entropy, ignored label -100, class weights 1 0.5 2 (give --loss",
         replaced("--label-smoothing")),
        ("a norm", "clip_norm 0.5, average_decay 0.6, and this run has adam, beta1 0.5, beta2 0.999, epsilon "
                   "1e-08, weight_decay 0, average_decay 0.6 (give --optimizer", replaced("--clip-norm")),
        ("an average", "clip_norm 0.5, average_decay 0.7 (give --optimizer, --momentum and --weight-decay as "
                       "in the first run, and so --beta1",
         replaced("--average-weights", "--average-weights", "0.7")),
        ("a beta", "and this run has adam, beta1 0.4,", replaced("--beta1", "--beta1", "0.4")),
        ("early stopping", "was made with early stopping: none, and this run has 2 evaluations without",
         [*longer, "--early-stopping", "2"]),
        ("a metric", "was made with the best metric accuracy or loss, and this run has loss",
         [*longer, "--metric", "loss"]),
        ("the samples of the evaluation", "was made with evaluations on 7 samples with the hash",
         [*(f"label={folder}/plain.npy" if i == longer.index("--test-samples") + 3 else a for i,
            a in enumerate(longer))])]:
    refuse(f"another value of {what}", "train", *changed, says=says, code=2)
again = run("train", *longer, "--json", "-")
expect(again.returncode == 0 and json.loads(again.stdout)["first_step"] == STEPS,
       "the same options continue the run", again)

# --- weights of many classes are options of the run, which no file of variables has or replaces
for name, factor in (("a", 1.0), ("b", 4.0)):
    many = np.ones(300)
    many[:5] = factor
    np.save(f"{folder}/many-{name}.npy", many)
classes = ["train", "mlp", "--data", dataset("images"), "--devices", "reference:0", "--size", "classes=300",
           "--batch", "4", "--no-evaluate", "--json", "-"]
done = run(*classes, "--class-weights", f"{folder}/many-a.npy", "--steps", "1",
           "--save", f"{folder}/many.safetensors")
expect(done.returncode == 0 and not [n for n in saved(f"{folder}/many.safetensors") if "class_weights" in n],
       "a file of variables has no weights of classes", done)
later = {name: run(*classes, *given, "--init", f"{folder}/many.safetensors", "--learning-rate", "0",
                   "--steps", "1") for name, given in
         {"a": ["--class-weights", f"{folder}/many-a.npy"], "b": ["--class-weights", f"{folder}/many-b.npy"],
          "none": []}.items()}
losses = {name: json.loads(done.stdout)["loss"] for name, done in later.items() if done.returncode == 0}
expect(len(losses) == 3 and losses["a"] == losses["none"] != losses["b"],
       f"the weights are those of the command: {losses}", later["none"])

# --- options that do not apply
good = arguments("plain")
for what, says, *given in [
        ("a label of another loss", "are for a cross entropy (give --loss cross_entropy, or leave them out)",
         *["mse_loss" if a == "cross_entropy" else a for a in good], "--ignore-index", "0"),
        ("a beta of sgd", "the optimizer 'sgd' has no beta2 (leave out --beta2, or use --optimizer with one "
                          "of adam, adamw, lamb)", *good, "--beta2", "0.5"),
        ("an epsilon of sgd", "the optimizer 'sgd' has no epsilon (leave out --epsilon, or use", *good,
         "--epsilon", "0.5"),
        ("a beta of 1", "'1' is not a number from 0 to below 1", *good, "--optimizer", "adam",
         "--beta1", "1"),
        ("a decay of 1", "'1.0' is not a number from 0 to below 1", *good, "--average-weights", "1.0"),
        ("a norm of 0", "'0' is not a number from", *good, "--clip-norm", "0"),
        ("a smoothing of 2", "'2' is not a number from 0 to 1", *good, "--label-smoothing", "2"),
        ("two weights of three", "there are 2 class weights, and the model has 3 classes (give one weight "
                                 "per class)", *good, "--class-weights", "1,2"),
        ("a negative weight", "the weight of class 1 is -2", *good, "--class-weights", "1,-2,1"),
        ("weights that are words", "is neither a list of numbers nor a .npy file (give one number per class",
         *good, "--class-weights", "a,b,c"),
        ("a matrix of weights", "not one number per class (give an array with one dimension)", *good,
         "--class-weights", f"{folder}/x.npy"),
        ("an empty weight", "is neither a list of numbers", *good, "--class-weights", "1,,2"),
        ("a label that is not ignored", "the model ignores no label, not even -100", *arguments("ignored")),
        ("a label that is not the ignored one",
         "sample 1 has -100 in 'label', and the model takes numbers from 0 to 2 there (samples are counted "
         "from 0; correct the sample, because the model ignores only the label -1)", *arguments("ignored"),
         "--ignore-index", "-1"),
        ("early stopping without samples",
         "--early-stopping and --metric need samples for an evaluation (give them by", *good, "--no-evaluate",
         "--early-stopping", "2"),
        ("a metric without samples", "--early-stopping and --metric need samples", *good, "--no-evaluate",
         "--metric", "loss"),
        ("a delta alone", "--min-delta is for --early-stopping (give --early-stopping N, or leave it out)",
         *good, "--min-delta", "0.1"),
        ("a patience of 0", "--early-stopping: ", *good, "--early-stopping", "0"),
        ("a metric that there is not",
         "the evaluation has no metric 'accuracy_top5' (its metrics are 'accuracy', 'loss')", *good,
         "--metric", "accuracy_top5"),
        ("a metric of another name", "--metric: 'f1' is not one of accuracy, accuracy_top5, loss", *good,
         "--metric", "f1"),
        ("a log in no folder", "--log-csv: ", *good, "--log-csv", f"{folder}/missing/log.csv"),
        ("a log that is the model", "--log-csv: ", *good, "--log-csv", model)]:
    code = 1 if "sample 1" in says or "not even" in says or "missing" in given[-1] else 2
    refuse(what, "train", *given, says=says, code=code, hint=False)
refuse("averages of a model without a loss", "compile", model, "--batch", "4", "-o", f"{folder}/p",
       "--average-weights", "0.9", says="are for a model that is trained (give an ONNX model a loss with "
                                        "--loss, or leave them out)", code=2)
refuse("weights of a model without a loss", "compile", model, "--batch", "4", "-o", f"{folder}/p",
       "--class-weights", "1,2,3", says="are for a cross entropy", code=2)
refuse("too many weights of a built-in model", "train", "mlp", "--data", dataset("images"),
       "--class-weights", "1,2", says="there are 2 class weights, and the model has 10 classes", code=2)

finish()
