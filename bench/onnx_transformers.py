#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs small networks of transformers, which PyTorch has exported as ONNX with both of its exporters, in
Cutset and in ONNX Runtime, and compares the results.

  bench/onnx_transformers.py CUTSET [--models llama,t5,...] [--devices cpu:0]

CUTSET is the command cutset. The networks have random weights, two layers and a width of 32. Prints one line
per network and exporter with the largest difference relative to the largest value, or with the error. Ends
with 1 if a difference is above 1e-4 or if Cutset fails. A network that PyTorch cannot export is not a
failure. Needs torch, transformers, onnx, onnxscript and onnxruntime. """
import argparse
import contextlib
import io
import logging
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import onnxruntime
import torch
import transformers as hf

ap = argparse.ArgumentParser()
ap.add_argument("cutset")
ap.add_argument("--models")
ap.add_argument("--devices", default="cpu:0")
a = ap.parse_args()
warnings.simplefilter("ignore")
logging.disable(logging.WARNING)

WORDS = 100
SIZES = {"vocab_size": WORDS, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4,
         "intermediate_size": 64}
BART = {"encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4, "decoder_attention_heads": 4,
        "encoder_ffn_dim": 64, "decoder_ffn_dim": 64}


def decoder(model, x):
    return model(input_ids=x, attention_mask=torch.ones_like(x), use_cache=False).logits


def without_mask(model, x):
    return model(input_ids=x, use_cache=False).logits


def encoder(model, x):
    return model(input_ids=x, attention_mask=torch.ones_like(x))[0]


def translator(model, x):
    return model(input_ids=x, attention_mask=torch.ones_like(x), decoder_input_ids=x, use_cache=False).logits


def first(model, x):
    return model(x)[0]


TOKENS = (torch.int64, (2, 16))
NETWORKS = {  # the function that makes it, how it is called, and its input
    "llama": (lambda: hf.LlamaForCausalLM(hf.LlamaConfig(**SIZES, num_key_value_heads=2)), decoder, TOKENS),
    "mistral": (lambda: hf.MistralForCausalLM(hf.MistralConfig(**SIZES, num_key_value_heads=2,
                                                               sliding_window=8)), decoder, TOKENS),
    "qwen2": (lambda: hf.Qwen2ForCausalLM(hf.Qwen2Config(**SIZES, num_key_value_heads=2)), decoder, TOKENS),
    "gemma": (lambda: hf.GemmaForCausalLM(hf.GemmaConfig(**SIZES, num_key_value_heads=1, head_dim=8)),
              decoder, TOKENS),
    "opt": (lambda: hf.OPTForCausalLM(hf.OPTConfig(vocab_size=WORDS, hidden_size=32, num_hidden_layers=2,
                                                   num_attention_heads=4, ffn_dim=64,
                                                   word_embed_proj_dim=32)), decoder, TOKENS),
    "gpt_neox": (lambda: hf.GPTNeoXForCausalLM(hf.GPTNeoXConfig(**SIZES)), decoder, TOKENS),
    "bloom": (lambda: hf.BloomForCausalLM(hf.BloomConfig(vocab_size=WORDS, hidden_size=32, n_layer=2,
                                                         n_head=4)), decoder, TOKENS),
    "phi": (lambda: hf.PhiForCausalLM(hf.PhiConfig(**SIZES)), decoder, TOKENS),
    "falcon": (lambda: hf.FalconForCausalLM(hf.FalconConfig(vocab_size=WORDS, hidden_size=32,
                                                            num_hidden_layers=2, num_attention_heads=4)),
               decoder, TOKENS),
    "mamba": (lambda: hf.MambaForCausalLM(hf.MambaConfig(vocab_size=WORDS, hidden_size=32,
                                                         num_hidden_layers=2, state_size=4)), without_mask,
              TOKENS),
    "distilbert": (lambda: hf.DistilBertModel(hf.DistilBertConfig(vocab_size=WORDS, dim=32, n_layers=2,
                                                                  n_heads=4, hidden_dim=64)), encoder,
                   TOKENS),
    "roberta": (lambda: hf.RobertaModel(hf.RobertaConfig(**SIZES)), encoder, TOKENS),
    "albert": (lambda: hf.AlbertModel(hf.AlbertConfig(**SIZES, embedding_size=16)), encoder, TOKENS),
    "electra": (lambda: hf.ElectraModel(hf.ElectraConfig(**SIZES, embedding_size=16)), encoder, TOKENS),
    "deberta_v2": (lambda: hf.DebertaV2Model(hf.DebertaV2Config(**SIZES, relative_attention=True,
                                                                pos_att_type=["p2c", "c2p"],
                                                                position_buckets=8)), encoder, TOKENS),
    "xlnet": (lambda: hf.XLNetModel(hf.XLNetConfig(vocab_size=WORDS, d_model=32, n_layer=2, n_head=4,
                                                   d_inner=64)), encoder, TOKENS),
    "t5": (lambda: hf.T5ForConditionalGeneration(hf.T5Config(vocab_size=WORDS, d_model=32, d_kv=8, d_ff=64,
                                                             num_layers=2, num_heads=4,
                                                             decoder_start_token_id=0)), translator, TOKENS),
    "bart": (lambda: hf.BartForConditionalGeneration(hf.BartConfig(vocab_size=WORDS, d_model=32, **BART)),
             translator, TOKENS),
    "vit": (lambda: hf.ViTModel(hf.ViTConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
                                             intermediate_size=64, image_size=32, patch_size=8)), first,
            (torch.float32, (2, 3, 32, 32))),
    "segformer": (lambda: hf.SegformerForSemanticSegmentation(hf.SegformerConfig(hidden_sizes=[8, 16, 16, 32],
            depths=[1, 1, 1, 1], num_attention_heads=[1, 2, 2, 4], decoder_hidden_size=16, num_labels=5)),
                  first,
                  (torch.float32, (2, 3, 64, 64))),
    "wav2vec2": (lambda: hf.Wav2Vec2Model(hf.Wav2Vec2Config(**SIZES, conv_dim=(16, 16), conv_stride=(5, 2),
                                                            conv_kernel=(10, 3), num_conv_pos_embeddings=8,
                                                            num_conv_pos_embedding_groups=4)), first,
                 (torch.float32, (2, 400))),
}
EXPORTERS = {"dynamo=False": {"dynamo": False, "do_constant_folding": False},
             "dynamo=True, optimize=False": {"dynamo": True, "optimize": False, "verbose": False}}


class Called(torch.nn.Module):
    def __init__(self, model, call):
        super().__init__()
        self.model, self.call = model, call

    def forward(self, x):
        return self.call(self.model, x)


def compare(name, exporter, folder):
    """Returns the line of a network and whether Cutset computes it."""
    make, call, (kind, shape) = NETWORKS[name]
    torch.manual_seed(0)
    net = Called(make(), call).eval()
    x = torch.randn(shape) if kind == torch.float32 else torch.randint(1, WORDS, shape)
    path = f"{folder}/{name}.onnx"
    try:
        with torch.no_grad(), contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(
            io.StringIO()):
            torch.onnx.export(net, (x,), path, input_names=["x"], output_names=["y"], **EXPORTERS[exporter])
    except Exception as error:  # the exporters throw errors of many types
        return f"PyTorch cannot export it: {type(error).__name__}", True
    want = onnxruntime.InferenceSession(path).run(None, {"x": x.numpy()})[0]
    np.save(f"{folder}/x.npy", x.numpy())
    done = subprocess.run([a.cutset, "run", path, "--devices", a.devices, "--input", f"x={folder}/x.npy",
                           "--batch", str(shape[0]), "--output-dir", folder], capture_output=True, text=True)
    if done.returncode:
        return done.stderr.strip().splitlines()[-1][:300], False
    difference = np.abs(np.load(f"{folder}/y.npy") - want).max() / np.abs(want).max()
    return f"{difference:.1e}", bool(difference <= 1e-4)


failed = 0
print("| network | exporter | difference |\n|--|--|--|")
for name in a.models.split(",") if a.models else NETWORKS:
    for exporter in EXPORTERS:
        with tempfile.TemporaryDirectory() as folder:
            line, right = compare(name, exporter, folder)
        failed += not right
        print(f"| {name} | {exporter} | {line} |", flush=True)
sys.exit(failed > 0)
