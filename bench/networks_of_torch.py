# SPDX-License-Identifier: Apache-2.0
"""The built-in models in PyTorch, with the same names of weights. They come from torchvision and transformers
if these libraries have them."""
import torch
import torchvision
from torch import nn
from torch.nn import functional as F


def _dense_inputs(features, size):
    return features(torch.zeros(1, 3, size, size)).flatten(1).shape[1]


def _with_inputs(net, layer, size):
    """torchvision's alexnet and vgg16 pool to a fixed size in front of the dense layers; the built-in models
    do not."""
    net.avgpool = nn.Identity()
    old = net.classifier[layer]
    net.classifier[layer] = nn.Linear(_dense_inputs(net.features, size), old.out_features)
    return net


class Mlp(nn.Module):
    def __init__(self, s):
        super().__init__()
        self.fc1, self.fc2, self.fc3 = nn.Linear(s["channels"] * s["image_size"] ** 2, 512), nn.Linear(512,
                512), nn.Linear(512, s["classes"])

    def forward(self, image):
        return self.fc3(F.relu(self.fc2(F.relu(self.fc1(image.flatten(1))))))


class Lenet(nn.Module):
    def __init__(self, s, smooth=False):
        super().__init__()
        self.activation, self.pool = (torch.tanh, F.avg_pool2d) if smooth else (F.relu, F.max_pool2d)
        self.conv1, self.conv2 = nn.Conv2d(s["channels"], 20, 5), nn.Conv2d(20, 50, 5)
        left = ((s["image_size"] - 4) // 2 - 4) // 2
        self.fc1, self.fc2 = nn.Linear(50 * left * left, 500), nn.Linear(500, s["classes"])

    def forward(self, image):
        x = self.pool(self.activation(self.conv1(image)), 2)
        x = self.pool(self.activation(self.conv2(x)), 2).flatten(1)
        return self.fc2(self.activation(self.fc1(x)))


class Youtube(nn.Module):
    def __init__(self, s):
        super().__init__()
        self.embedding = nn.EmbeddingBag(s["vocabulary"], s["width"], mode="mean")
        self.tower = nn.Sequential(nn.Linear(s["width"], 1024), nn.ReLU(), nn.Linear(1024, 512), nn.ReLU(),
                                   nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, s["classes"]))

    def forward(self, history):
        return self.tower(self.embedding(history))


class Lstm(nn.Module):
    def __init__(self, s):
        super().__init__()
        width = s["width"]
        self.embedding, self.lstm, self.head = nn.Embedding(s["vocabulary"], width), nn.LSTM(width, width,
                s["layers"], batch_first=True), nn.Linear(width, s["vocabulary"])

    def forward(self, token):
        return self.head(self.lstm(self.embedding(token))[0]).flatten(0, 1)


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.projection = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.fc1, self.fc2 = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        q, k, v = (t.view(*t.shape[:2], self.heads, -1).transpose(1, 2)
                   for t in self.qkv(self.norm1(x)).chunk(3, -1))
        x = x + self.projection(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1,
                2).reshape(x.shape))
        return x + self.fc2(F.gelu(self.fc1(self.norm2(x))))


class Transformer(nn.Module):
    def __init__(self, s):
        super().__init__()
        width = s["width"]
        self.embedding, self.norm, self.head = nn.Embedding(s["vocabulary"],
                                                            width), nn.LayerNorm(width), nn.Linear(width,
                                                                    s["vocabulary"])
        self.blocks = nn.ModuleList(Block(width, s["heads"]) for _ in range(s["layers"]))

    def forward(self, token):
        x = self.embedding(token)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x)).flatten(0, 1)


class Bert(nn.Module):
    def __init__(self, s):
        super().__init__()
        from transformers import BertConfig, BertForSequenceClassification
        width = s["width"]
        config = BertConfig(vocab_size=s["vocabulary"], hidden_size=width, num_hidden_layers=s["layers"],
                            num_attention_heads=s["heads"], intermediate_size=4 * width,
                            num_labels=s["classes"], hidden_dropout_prob=0, attention_probs_dropout_prob=0)
        self.inner = BertForSequenceClassification(config)

    def named_weights(self):
        return self.inner.state_dict()

    def forward(self, token, segment):
        return self.inner(input_ids=token, token_type_ids=segment, attention_mask=(token != 0).long()).logits


IMAGES = ("alexnet", "inception-v1", "lenet", "lenet-smooth", "mlp", "mobilenet-v2", "resnet18", "resnet50",
          "vgg16")


def inputs(name, s, samples):
    """Returns random samples: the inputs of the model by name, and the labels."""
    def whole(*shape, below):
        return torch.randint(0, below, shape)
    if name in IMAGES:
        return {"image": torch.randn(samples, s["channels"], s["image_size"], s["image_size"]),
                "label": whole(samples, below=s["classes"])}
    if name == "youtube":
        return {"history": whole(samples, s["history"], below=s["vocabulary"]),
                "label": whole(samples, below=s["classes"])}
    token = whole(samples, s["sequence_length"], below=s["vocabulary"])
    if name == "bert":
        token[:, s["sequence_length"] * 3 // 4 :][::2] = 0  # every second sample has padding
        return {"token": token, "segment": whole(samples, s["sequence_length"], below=2),
                "label": whole(samples, below=s["classes"])}
    return {"token": token, "label": whole(samples, s["sequence_length"], below=s["vocabulary"])}


def _with_channels(resnet, channels):
    """Replaces the first convolution if images have another number of channels than three."""
    if channels != 3:
        resnet.conv1 = nn.Conv2d(channels, 64, 7, stride=2, padding=3, bias=False)
        nn.init.kaiming_normal_(resnet.conv1.weight, mode="fan_out", nonlinearity="relu")
    return resnet


def build(name, s):
    """Returns the network without dropout."""
    vision, classes, size = torchvision.models, s.get("classes"), s.get("image_size")
    if name == "alexnet":
        return _with_inputs(vision.alexnet(num_classes=classes, dropout=0), 1, size)
    if name == "vgg16":
        return _with_inputs(vision.vgg16(num_classes=classes, dropout=0), 0, size)
    if name == "inception-v1":
        return vision.googlenet(num_classes=classes, aux_logits=False, init_weights=True, dropout=0)
    if name == "mobilenet-v2":
        return vision.mobilenet_v2(num_classes=classes, dropout=0)
    if name == "resnet18":
        return _with_channels(vision.resnet18(num_classes=classes), s["channels"])
    # without this option, PyTorch's first losses differ between one thread and two by 1 %
    if name == "resnet50":
        return vision.resnet50(num_classes=classes, zero_init_residual=True)
    if name == "lenet-smooth":
        return Lenet(s, smooth=True)
    return {"lenet": Lenet, "mlp": Mlp, "youtube": Youtube, "lstm": Lstm, "transformer": Transformer,
            "bert": Bert}[name](s)


def weights(net):
    """Returns the variables of the model by name."""
    state = net.named_weights() if hasattr(net, "named_weights") else net.state_dict()
    return {n: t for n, t in state.items() if t.is_floating_point()}
