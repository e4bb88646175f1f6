# SPDX-License-Identifier: Apache-2.0
"""Tests that ONNX models train on data sets of images and texts, whatever the name of their input is. The
losses must equal the losses with arrays of the same samples. Also tests which options of samples, batches and
learning rates are refused because they would have no effect."""
import json
import zlib

from harness import *  # noqa: F403
import onnx_wheels  # noqa: F401, before numpy and onnx
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def save_model(name, classes, sizes, pixels, inputs=("pixels",)):
    """Writes a linear model of the sum of its inputs, which are images with these sizes."""
    weight = np.random.default_rng(1).normal(0, 0.1, (pixels, classes)).astype(np.float32)
    nodes = [helper.make_node("Sum", inputs, ["sum"]), helper.make_node("Flatten", ["sum"], ["flat"]),
             helper.make_node("MatMul", ["flat", "w"], ["logits"])]
    graph = helper.make_graph(nodes, "g",
                              [helper.make_tensor_value_info(i, TensorProto.FLOAT, ["batch", *sizes])
                               for i in inputs],
                              [helper.make_tensor_value_info("logits", TensorProto.FLOAT, None)],
                              [numpy_helper.from_array(weight, "w")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), f"{folder}/{name}")
    return f"{folder}/{name}"


def report_of(*arguments):
    done = run("train", *map(str, arguments), "--json", f"{folder}/report.json")
    expect(done.returncode == 0, f"train {arguments} works", done)
    return json.load(open(f"{folder}/report.json"))


def arrays(option, name, images, labels, image_input="pixels"):
    """Saves samples, and returns the options that name them."""
    np.save(f"{folder}/{name}.npy", images.astype(np.float32))
    np.save(f"{folder}/{name}-labels.npy", labels.astype(np.int32))
    return [option, f"{image_input}={folder}/{name}.npy", option, f"label={folder}/{name}-labels.npy"]


def check(what, with_dataset, with_arrays):
    is_, wanted = report_of(*with_dataset), report_of(*with_arrays)
    expect(is_["loss"] == wanted["loss"] and len(set(is_["loss"])) > 1,
           f"{what}: the losses are those of arrays: {is_['loss']} {wanted['loss']}")
    expect(is_["evaluations"] == wanted["evaluations"] and is_["evaluations"],
           f"{what}: the evaluations are those of arrays: {is_['evaluations']} {wanted['evaluations']}")


grey = save_model("grey.onnx", 10, [1, 28, 28], 784)
fashion = dataset("fashion")
of_images = np.frombuffer(pictures(80), np.uint8).reshape(80, 1, 28, 28) / np.float32(255)
labels = np.arange(80) % 10
training = [grey, "--loss", "cross_entropy", "--batch", 20, "--epochs", 2, "--learning-rate", 0.01]
train, test = arrays("--samples", "train", of_images, labels), arrays("--test-samples", "test",
                                                                      of_images[:20], labels[:20])
check("Fashion-MNIST", [*training, "--dataset", "fashion-mnist", "--data", fashion],
      [*training, *train, *test])
normal = ["--mean", "0.5", "--std", "0.25"]
shifted = [*arrays("--samples", "train-shifted", (of_images - np.float32(0.5)) / np.float32(0.25), labels),
           *arrays("--test-samples", "test-shifted", (of_images[:20] - np.float32(0.5)) / np.float32(0.25),
                   labels[:20])]
check("means of arrays", [*training, *train, *test, *normal], [*training, *shifted])
check("means of Fashion-MNIST", [*training, "--dataset", "fashion-mnist", "--data", fashion, *normal],
      [*training, *shifted])
changed = report_of(*training, *train, *test, "--random-flip", "--random-crop", 4)
expect(changed["loss"] != report_of(*training, *train, *test)["loss"],
       "the images of arrays are flipped and cropped")
expect(run("verify", grey, "--loss", "cross_entropy", "--batch", "20", "--steps", "1",
           "--dataset", "fashion-mnist", "--data", fashion).returncode == 0, "verify reads the data set")


def png(colour):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(b"\0" + bytes(colour))) + chunk(b"IEND", b""))


colours = np.array([[200, 10, 30], [5, 90, 250], [100, 110, 120], [0, 255, 7]], np.uint8)
for split in ("train", "val"):
    for i, colour in enumerate(colours):
        os.makedirs(f"{folder}/photos/{split}/class{i % 2}", exist_ok=True)
        open(f"{folder}/photos/{split}/class{i % 2}/{i}.png", "wb").write(png(colour.tolist()))
coloured = save_model("coloured.onnx", 2, [3, "height", "width"], 48)
training = [coloured, "--loss", "cross_entropy", "--batch", 2, "--epochs", 3]
order = [0, 2, 1, 3]  # the samples are ordered by class
of_colours = np.broadcast_to((colours[order] / np.float32(255)).reshape(4, 3, 1, 1), (4, 3, 4, 4))
check("a folder of images",
      [*training, "--size", "height=4", "--size", "width=4", "--dataset", "image-folder",
       "--data", f"{folder}/photos"],
      [*training, *arrays("--samples", "colours", of_colours, np.array([0, 0, 1, 1])),
       *arrays("--test-samples", "colours-test", of_colours, np.array([0, 0, 1, 1]))])


def save_language_model(name, vocabulary, order, tokens=TensorProto.INT64):
    """Writes a model of the next token. The logits have the dimensions [batch, sequence, vocabulary],
    permuted by `order`. Returns the path of the model and its weights."""
    table, weight = (np.random.default_rng(seed).normal(0, 0.5, shape).astype(np.float32) for seed,
                     shape in ((2, (vocabulary, 5)), (3, (5, vocabulary))))
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["x"]),
             helper.make_node("MatMul", ["x", "w"], ["y"]),
             helper.make_node("Transpose", ["y"], ["logits"], perm=order)]
    graph = helper.make_graph(nodes, "g",
                              [helper.make_tensor_value_info("input_ids", tokens, ["batch", "sequence"])],
                              [helper.make_tensor_value_info("logits", TensorProto.FLOAT, None)],
                              [numpy_helper.from_array(table, "table"), numpy_helper.from_array(weight, "w")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), f"{folder}/{name}")
    return f"{folder}/{name}", table, weight


def sequences(option, name, ids):
    """Saves the samples of a text with the tokens `ids`, and returns the options that name them. A sample is
    a sequence of 6 tokens, and the samples fill whole batches of 2."""
    count = (len(ids) - 1) // 12 * 2
    np.save(f"{folder}/{name}.npy", np.array(ids[:count * 6], np.int64).reshape(count, 6))
    np.save(f"{folder}/{name}-next.npy", np.array(ids[1:count * 6 + 1], np.int32).reshape(count, 6))
    return [option, f"input_ids={folder}/{name}.npy", option, f"label={folder}/{name}-next.npy"]


def mean_loss(logits, labels):
    """The cross-entropy of rows of logits, in f64, and the accuracy."""
    rows, labels = logits.astype(np.float64).reshape(-1, logits.shape[-1]), labels.reshape(-1)
    return (np.log(np.exp(rows).sum(1)) - rows[np.arange(len(rows)), labels]).mean(), (rows.argmax(1)
            == labels).mean()


lines = ["the cat sees the dog", "the dog sees a cat and a bird", "a bird sees the cat"]
for name, text in (("text.txt", " ".join(lines * 4)),
                   ("test.txt", "a dog sees the mouse and the cat sees a bird and the dog")):
    open(f"{folder}/{name}", "w").write(text)
texts = [f"{folder}/text.txt", f"{folder}/test.txt"]
from_texts = ["--data", texts[0], "--test-data", texts[1]]
words = open(texts[0]).read().split()
# Word 0 stands for the words that are not among the most frequent words. Word 0 and the most frequent words
# are together as many as the model has tokens.
known = ["", *sorted(set(words), key=lambda word: (-words.count(word), word))][:7]
assert len(set(words)) > 6, "some words are not known"
# noqa: E731
ids_of = lambda path: [known.index(word) if word in known else 0 for word in open(path).read().split()]
bytes_of = lambda path: [*open(path, "rb").read()]  # noqa: E731
for kind, vocabulary, ids in (("bytes", 128, bytes_of), ("text", 7, ids_of)):
    last, table, weight = save_language_model(f"{kind}.onnx", vocabulary, [0, 1, 2])
    learning = ["--loss", "cross_entropy", "--size", "sequence=6", "--batch", 2]
    of_arrays = [*sequences("--samples", f"{kind}-train", ids(texts[0])),
                 *sequences("--test-samples", f"{kind}-test", ids(texts[1]))]
    count = len(np.load(f"{folder}/{kind}-train.npy"))
    # Data sets and arrays have the samples in the same order. The order lists the samples that fill whole
    # batches.
    np.savetxt(f"{folder}/order", np.random.default_rng(5).permutation(count), fmt="%d")
    training = [*learning, "--epochs", 2, "--order", f"{folder}/order"]
    of_text = [last, *training, "--class-axis", "-1", "--dataset", kind, *from_texts]
    check(f"--dataset {kind}", of_text, [last, *training, "--class-axis", 2, *of_arrays])
    middle = save_language_model(f"{kind}-middle.onnx", vocabulary, [0, 2, 1])[0]
    check(f"--dataset {kind} with the classes in the middle", of_text, [middle, *training, *of_arrays])
    narrow = save_language_model(f"{kind}-narrow.onnx", vocabulary, [0, 1, 2], TensorProto.INT32)[0]
    check(f"--dataset {kind} for tokens of 32 bits", [narrow, *of_text[1:]], of_text)
    two_devices = report_of(*of_text, "--devices", "cpu:0,cpu:1", "--strategy", "data(2)")["loss"]
    expect(np.allclose(two_devices, report_of(*of_text)["loss"], rtol=1e-5),
           f"{kind}: the losses over two replicas are those of one device: {two_devices}")
    # With the learning rate 0, the mean loss of the evaluation is the loss that the weights in the file give.
    tokens, labels = np.load(f"{folder}/{kind}-test.npy"), np.load(f"{folder}/{kind}-test-next.npy")
    loss, accuracy = mean_loss(table[tokens] @ weight, labels)
    found = report_of(*of_text, "--learning-rate", 0)["evaluations"][-1]
    expect(abs(found["loss"] - loss) < 1e-5, f"{kind}: the loss is that of the logits: {found} {loss}")
    expect(abs(found["perplexity"] / np.exp(loss) - 1) < 1e-5,
           f"{kind}: the perplexity is that of the loss: {found}")
    expect(abs(found["top1"] - accuracy) < 1e-6,
           f"{kind}: the accuracy is that of the logits: {found} {accuracy}")

# A model that reads a number per token. No text has such numbers.
axes, row = np.array([2], np.int64), np.ones((1, 7), np.float32)
graph = helper.make_graph([helper.make_node("Unsqueeze", ["x", "axes"], ["columns"]),
                           helper.make_node("MatMul", ["columns", "w"], ["logits"])], "g",
                          [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", "sequence"])],
                          [helper.make_tensor_value_info("logits", TensorProto.FLOAT, None)],
                          [numpy_helper.from_array(axes, "axes"), numpy_helper.from_array(row, "w")])
numbers = f"{folder}/numbers.onnx"
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), numbers)

# A model whose output is [n, classes, height, width] has an accuracy, and no perplexity, which is for texts.
weight = np.random.default_rng(4).normal(0, 1, (3, 2, 1, 1)).astype(np.float32)
graph = helper.make_graph([helper.make_node("Conv", ["x", "w"], ["logits"])], "g",
                          [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 2, 4, 5])],
                          [helper.make_tensor_value_info("logits", TensorProto.FLOAT, None)],
                          [numpy_helper.from_array(weight, "w")])
dense = f"{folder}/dense.onnx"
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), dense)
pixels, classes = np.random.default_rng(6).normal(0, 1,
                                                  (4, 2, 4, 5)).astype(np.float32), np.random.default_rng(
                                                      7).integers(0, 3, (4, 4, 5)).astype(np.int32)
np.save(f"{folder}/pixels.npy", pixels)
np.save(f"{folder}/classes.npy", classes)
of_pixels = [f"{option}{name}" for option in ("--samples=", "--test-samples=")
             for name in (f"x={folder}/pixels.npy", f"label={folder}/classes.npy")]
found = report_of(dense, "--loss", "cross_entropy", "--batch", 2, "--epochs", 1, "--learning-rate", 0,
                  *of_pixels)["evaluations"][-1]
loss, accuracy = mean_loss(np.einsum("nchw,kc->nhwk", pixels, weight[:, :, 0, 0]), classes)
expect(abs(found["loss"] - loss) < 1e-5 and abs(found["top1"] - accuracy) < 1e-6
       and "perplexity" not in found, f"a class per pixel: {found} {loss} {accuracy}")

two = save_model("two.onnx", 10, [1, 28, 28], 784, ("left", "right"))
flat = save_model("flat.onnx", 10, [784], 784)
np.save(f"{folder}/flat.npy", of_images.reshape(80, 784))
np.save(f"{folder}/one.npy", of_images[:1].astype(np.float32))
fits = ["--loss", "cross_entropy", "--batch", "20", "--steps", "1"]
for what, says, *arguments in [
        ("two inputs of images", "--dataset fashion-mnist has 'image' (images), 'label' (a label per image), "
                                 "and the model reads 'left' (20x1x28x28xf32)", "train", two, *fits,
         "--dataset", "fashion-mnist", "--data", fashion),
        ("two inputs of images", "'label' (20xi32): several inputs fit 'image' of the data set: 'left', "
                                 "'right' (choose another --dataset, or give --samples NAME=FILE.npy once "
                                 "per input; --known makes", "train", two, *fits,
         "--dataset", "fashion-mnist", "--data", fashion),
        ("an input that is no image",
         "and the model reads 'pixels' (20x784xf32), 'label' (20xi32): the input 'pixels' has 2 dimensions, "
         "and 'image' of the data set has 4 (choose", "train", flat, *fits, "--dataset", "fashion-mnist",
         "--data", fashion),
        ("another size", "a sample of 'pixels' is 1x1x28x28xf32, and the model reads 1x3x4x4xf32", "train",
         coloured, *fits, "--size", "height=4", "--size", "width=4", "--dataset", "fashion-mnist",
         "--data", fashion),
        ("classes along a dimension that is missing",
         "cross_entropy of 20x10xf32 needs a class_axis from -2 to 1, not 2", "train", grey, *fits,
         "--dataset", "fashion-mnist", "--data", fashion, "--class-axis", "2"),
        ("classes of a loss that has none", "--class-axis is for --loss cross_entropy", "train", grey,
         "--loss", "mse_loss", *fits[2:], "--dataset", "fashion-mnist", "--data", fashion,
         "--class-axis", "1"),
        ("classes without a loss", "--class-axis is for --loss cross_entropy", "explain", grey,
         "--class-axis", "1"),
        ("labels of the wrong dimension of classes",
         "dimension 0 of the output 20x10xf32 has the samples, and not the classes (name another dimension",
         "train", grey, *fits, *train, "--class-axis", "0"),
        ("labels of a sequence for classes in the middle",
         "cross_entropy of 2x6x7xf32 needs integer labels of the shape [2, 7], not 2x6xi32; dimension 1 has "
         "the classes", "train", last, "--loss", "cross_entropy", "--batch", "2", *of_arrays),
        ("classes along one of two dimensions",
         "the classes of the output 2x7x7xf32 may be along dimension 1 or 2, because labels 2x7xi32 fit each "
         "of them (name the dimension with --class-axis)", "train", last, *map(str, learning[:2]),
         "--size", "sequence=7", "--batch", "2", "--dataset", "text", "--data", texts[0]),
        ("tokens for an input of pixels",
         "and the model reads 'pixels' (20x784xf32), 'label' (20xi32): the input 'pixels' has the type f32, "
         "and 'token' of the data set has integers (choose another --dataset", "train", flat, *fits,
         "--dataset", "bytes", "--data", texts[0]),
        ("tokens for an input of numbers",
         "--dataset bytes has 'token' (tokens), 'label' (a label per token), and the model reads 'x' "
         "(2x6xf32), 'label' (2x6xi32)", "train", numbers, *map(str, learning), "--class-axis", "-1",
         "--dataset", "bytes", "--data", texts[0]),
        ("a text", "--dataset bytes has 'token' (tokens), 'label' (a label per token)", "train", grey,
         *fits, "--dataset", "bytes", "--data", f"{fashion}/train-labels-idx1-ubyte"),
        ("flips of a label", "no samples have the shape of images", "train", flat, *fits,
         "--samples", f"pixels={folder}/flat.npy", "--samples", f"label={folder}/train.npy", "--random-flip"),
        ("means of no images", "--std change images, and no samples have the shape of images, [channels, "
                               "height, width] (leave out", "train", flat, *fits,
         "--samples", f"pixels={folder}/flat.npy", *train[2:], "--mean", "0.5"),
        ("flips of two inputs", "several inputs have the shape of images: 'left', 'right' (leave out",
         "train", two, *fits, "--samples", f"left={folder}/train.npy",
         "--samples", f"right={folder}/train.npy", *train[2:], "--random-flip"),
        ("no samples", "an ONNX model has no samples of its own (give --samples NAME=FILE.npy", "train",
         grey, *fits),
        ("--size beside --batch",
         "--size gives the input 'pixels' the first size 4, and the batch is 8 (give --batch 4, or leave out "
         "the --size)", "verify", grey, "--size", "batch=4", "--batch", "8"),
        ("--size beside --batch",
         "--size gives the input 'pixels' the first size 4, and the batch is 8 (give --batch 4", "train",
         grey, "--size", "batch=4", "--batch", "8", "--loss", "cross_entropy", *train),
        ("--size beside --batch",
         "--size gives the input 'pixels' the first size 4, and the batch is 8 (give --batch 4", "export",
         grey, "--size", "batch=4", "--batch", "8", "-o", f"{folder}/exported.onnx"),
        ("--size beside --batch",
         "--size gives the input 'pixels' the first size 4, and the batch is 8 (give --batch 4", "run",
         grey, "--size", "batch=4", "--batch", "8"),
        ("--known beside --batch",
         "an array of --known gives the input 'right' the first size 1, and the batch is 8 (give --batch 1, "
         "or an array of --known for this batch)", "explain", two, "--known", f"left={folder}/one.npy",
         "--batch", "8"),
        ("--known beside --batch",
         "an array of --known gives the input 'right' the first size 1, and the batch is 8 (give --batch 1",
         "run", two, "--known", f"left={folder}/one.npy", "--batch", "8"),
        ("--size beside a data set",
         "--size gives the input 'pixels' the first size 4, and the batch is 16 (give --batch 4", "verify",
         grey, "--size", "batch=4", "--loss", "cross_entropy", "--dataset", "fashion-mnist",
         "--data", fashion),
        ("too few samples for a batch and for the warm-up",
         "samples, fewer than a batch of 96 (give a smaller --batch)", "train", grey,
         "--loss", "cross_entropy", "--batch", "96", *train, "--lr-schedule", "cosine",
         "--warmup-steps", "5"),
        ("--size without --batch",
         "--size gives the input 'pixels' the first size 4, and the batch is 64 (give --batch 4", "train",
         grey, "--size", "batch=4", "--loss", "cross_entropy", *train),
        ("fewer samples than a batch",
         "there are 80 samples, fewer than a batch of 96 (give a smaller --batch)", "verify", grey,
         "--loss", "cross_entropy", "--batch", "96", *train)]:
    refuse(what, *arguments, says=says, code=2)
# The last 16 of 80 samples do not fill a batch of 32. Without leaving them out, one of the batches would have
# another size.
done = run("verify", grey, "--loss", "cross_entropy", "--batch", "32", "--steps", "3", *train)
expect(done.returncode == 0, "verify leaves out samples that fill no batch", done)
finish()
