# SPDX-License-Identifier: Apache-2.0
"""Seven of the built-in models in Keras, whose backend is TensorFlow or JAX, with the sizes of
networks_of_torch.py. Images are [batch, rows, columns, channels], which both backends prefer on a CPU. Each
function takes the sizes and returns a network that gives one row of scores per label."""
import keras
from keras import layers


def dense(x, *widths):
    """Appends dense layers. All layers except the last have a ReLU."""
    for width in widths[:-1]:
        x = layers.Dense(width, activation="relu")(x)
    return layers.Dense(widths[-1])(x)


def convolution(x, channels, kernel, stride=1, padding=0, activation="relu", bias=True):
    if padding:
        x = layers.ZeroPadding2D(padding)(x)
    return layers.Conv2D(channels, kernel, stride, activation=activation, use_bias=bias)(x)


def image(s):
    return keras.Input((s["image_size"], s["image_size"], s["channels"]))


def mlp(s):
    x = image(s)
    return keras.Model(x, dense(layers.Flatten()(x), 512, 512, s["classes"]))


def lenet(s):
    x = image(s)
    y = layers.MaxPooling2D(2)(convolution(x, 20, 5))
    y = layers.MaxPooling2D(2)(convolution(y, 50, 5))
    return keras.Model(x, dense(layers.Flatten()(y), 500, s["classes"]))


def alexnet(s):
    x = image(s)
    y = layers.MaxPooling2D(3, 2)(convolution(x, 64, 11, 4, 2))
    y = layers.MaxPooling2D(3, 2)(convolution(y, 192, 5, 1, 2))
    for channels in (384, 256, 256):
        y = convolution(y, channels, 3, 1, 1)
    return keras.Model(x, dense(layers.Flatten()(layers.MaxPooling2D(3, 2)(y)), 4096, 4096, s["classes"]))


def normalized(x, channels, kernel, stride, padding):
    return layers.BatchNormalization(momentum=0.9,
                                     epsilon=1e-5)(convolution(x, channels, kernel, stride, padding,
                                                               None, bias=False))


def residual(x, channels, stride):
    y = layers.ReLU()(normalized(x, channels, 3, stride, 1))
    y = normalized(y, channels, 3, 1, 1)
    if stride != 1 or x.shape[-1] != channels:
        x = normalized(x, channels, 1, stride, 0)
    return layers.ReLU()(layers.add([x, y]))


def resnet18(s):
    x = image(s)
    y = layers.ReLU()(normalized(x, 64, 7, 2, 3))
    # after a ReLU, zeros are as good as minus infinity
    y = layers.MaxPooling2D(3, 2)(layers.ZeroPadding2D(1)(y))
    for channels, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
        y = residual(residual(y, channels, stride), channels, 1)
    return keras.Model(x, dense(layers.GlobalAveragePooling2D()(y), s["classes"]))


def youtube(s):
    x = keras.Input((s["history"],), dtype="int32")
    mean = layers.GlobalAveragePooling1D()(layers.Embedding(s["vocabulary"], s["width"])(x))
    return keras.Model(x, dense(mean, 1024, 512, 256, s["classes"]))


def lstm(s):
    x = keras.Input((s["sequence_length"],), dtype="int32")
    y = layers.Embedding(s["vocabulary"], s["width"])(x)
    for _ in range(s["layers"]):
        y = layers.LSTM(s["width"], return_sequences=True)(y)
    return keras.Model(x, dense(y, s["vocabulary"]))


def transformer(s):
    x, width = keras.Input((s["sequence_length"],), dtype="int32"), s["width"]
    y = layers.Embedding(s["vocabulary"], width)(x)
    for _ in range(s["layers"]):
        normal = layers.LayerNormalization(epsilon=1e-5)(y)
        y = layers.add([y, layers.MultiHeadAttention(s["heads"], width // s["heads"])(normal, normal,
                use_causal_mask=True)])
        hidden = layers.Dense(4 * width, activation="gelu")(layers.LayerNormalization(epsilon=1e-5)(y))
        y = layers.add([y, layers.Dense(width)(hidden)])
    return keras.Model(x, dense(layers.LayerNormalization(epsilon=1e-5)(y), s["vocabulary"]))


def build(name, s):
    return {"mlp": mlp, "lenet": lenet, "alexnet": alexnet, "resnet18": resnet18, "youtube": youtube,
            "lstm": lstm, "transformer": transformer}[name](s)
