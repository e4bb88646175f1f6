# SPDX-License-Identifier: Apache-2.0
"""Tests that folders and data sets of another layout are refused. The error says what was expected, what was
found, and what to do."""
import zlib

from harness import *  # noqa: F403


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


PNG = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)) + chunk(b"IDAT",
        zlib.compress(b"\0\1\2\3")) + chunk(b"IEND", b"")


def tree(name, *files):
    """Makes a folder with these files; a name that ends in "/" is an empty folder. Returns its path."""
    at = f"{folder}/{name}"
    os.makedirs(at)
    for file in files:
        os.makedirs(os.path.dirname(f"{at}/{file}"), exist_ok=True)
        if not file.endswith("/"):
            open(f"{at}/{file}", "wb").write(PNG)
    return at


photos = ["mlp", "--size", "channels=3", "--size", "image_size=4", "--size", "classes=2", "--batch", "2",
          "--dataset", "image-folder", "--data"]
good = tree("good", "train/cat/1.png", "train/dog/1.png", "val/cat/1.png")
done = run("train", *photos, good)
expect(done.returncode == 0, "a folder of images is read", done)
for what, at, *says in [
        ("no folder train", tree("classes", "cat/1.png", "dog/1.png"),
         "/classes' has no folder 'train'; it has 'cat' and 'dog' (", "PATH/train/CLASS"),
        ("no folder for the evaluation", tree("untested", "train/cat/1.png", "train/dog/1.png"),
         "has no folder 'test' or 'val' for the evaluation; it has 'train'", "--no-evaluate"),
        ("no folder per class", tree("flat", "train/1.png", "train/2.png", "test/1.png"),
         "/flat/train' has no subfolder; it has '1.png' and '2.png'", "one subfolder per class"),
        ("images beside the classes", tree("beside", "train/cat/1.png", "train/dog/1.png", "train/2.png",
                                           "test/cat/1.png"), "has the image '2.png' outside of its 2 "
         "subfolders", "move the image"),
        ("an empty class", tree("empty", "train/cat/1.png", "train/dog/", "test/cat/1.png"),
         "the class 'dog' of", "has no image; its folder is empty", "add images, or remove the folder"),
        ("an unknown class", tree("unknown", "train/cat/1.png", "train/dog/1.png", "test/cow/1.png"),
         "has a subfolder 'cow', which is not one of the 2 classes"),
        ("no folder", f"{folder}/nosuch", "/nosuch' has no folder 'train'; it cannot be listed: No such file",
         "PATH/train/CLASS")]:
    for text in says:
        refuse(what, "train", *photos, at, says=text, code=1)
expect(run("train", *photos, f"{folder}/untested", "--no-evaluate").returncode == 0,
       "a folder without test is enough without an evaluation")

cifar = ["mlp", "--size", "channels=3", "--size", "image_size=32", "--dataset", "cifar10", "--data"]
python = tree("cifar-10-batches-py", "batches.meta", *[f"data_batch_{i}" for i in range(1, 6)], "test_batch")
refuse("CIFAR-10 for Python", "train", *cifar, python, says="has no file 'data_batch_1.bin' of the binary "
                                                            "version of CIFAR-10; it has 'batches.meta', "
                                                            "'data_batch_1', 'data_batch_2' and 4 more",
       code=1)
refuse("CIFAR-10 for Python", "train", *cifar, python, says="the folder has the Python version of CIFAR-10; "
                                                            "unpack cifar-10-binary.tar.gz", code=1)
refuse("the folder above CIFAR-10", "train", *cifar, os.path.dirname(tree("above/cifar-10-batches-bin", "x")),
       says="give the folder", code=1)
refuse("no CIFAR-10", "train", *cifar, tree("nothing"), says="it is empty (unpack cifar-10-binary.tar.gz, "
                                                             "and give its folder cifar-10-batches-bin)",
       code=1)

open(f"{folder}/text.txt", "w").write("the cat sat on the mat\n" * 50)
text = ["--dataset", "text", "--data", f"{folder}/text.txt"]
refuse("bert with a text", "train", "bert", *text,
       says="--dataset text has 'token' (tokens), 'label' (a label per token), "
            "and the model reads 'token' (64x",
       code=2)
refuse("bert with a text", "train", "bert", *text,
       says="'label' (64xi32): the input 'label' has 1 dimension, and 'label' of the data set has 2 (choose",
       code=2)
refuse("bert without samples", "train", "bert", says="Fashion-MNIST; it reads 'token' (64x128xi32), "
                                                     "'segment' (64x128xi32), 'label' (64xi32) (give", code=2)
refuse("images with a text", "train", "mlp", *text, says="and the model reads 'image' (64x1x28x28xf32), "
                                                         "'label' (64xi32): the input 'image' has 4 "
                                                         "dimensions, and 'token' of the data set has 2 "
                                                         "(choose another --dataset, or give --samples",
       code=2)
refuse("a text with images", "train", "lstm", "--dataset", "cifar10", "--data", python,
       says="--dataset cifar10 has 'image' (images), 'label' (a label per image)", code=2)
finish()
