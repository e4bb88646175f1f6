#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains one network in another framework on random samples, and prints one line of JSON: step_ms (median and
min), peak_rss_mib, and first_step_s, the seconds from --started to the end of the first step.

  bench/peer_step.py FRAMEWORK MODEL SIZES --batch B --steps N --threads T --started SECONDS

FRAMEWORK is torch, tensorflow or jax. tensorflow and jax run the networks of Keras. MODEL is empty for a
process that only imports the framework. SIZES are the sizes of the built-in model as JSON. The optimizer is
SGD with momentum 0.9 in f32."""
import argparse
import json
import os
import resource
import time

from timed_calls import milliseconds

ap = argparse.ArgumentParser()
ap.add_argument("framework", choices=["torch", "tensorflow", "jax"])
ap.add_argument("model")
ap.add_argument("sizes", type=json.loads)
ap.add_argument("--batch", type=int)
ap.add_argument("--steps", type=int)
ap.add_argument("--threads", type=int)
ap.add_argument("--started", type=float, default=0)
a = ap.parse_args()
RATE, MOMENTUM = 0.01, 0.9
IMAGES = ("mlp", "lenet", "alexnet", "resnet18")
# The libraries read these variables when they are imported.
os.environ.update(OMP_NUM_THREADS=str(a.threads), TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="",
                  JAX_PLATFORMS="cpu", KERAS_BACKEND=a.framework,
                  XLA_FLAGS=f"--xla_cpu_multi_thread_eigen={str(a.threads > 1).lower()} "
                            f"intra_op_parallelism_threads={a.threads}")
import numpy as np


def samples():
    """Returns the input, with the channels last, and the labels."""
    random, s = np.random.default_rng(0), a.sizes
    if a.model in IMAGES:
        x = random.standard_normal((a.batch, s["image_size"], s["image_size"], s["channels"]), np.float32)
        return x, random.integers(0, s["classes"], a.batch, np.int32)
    if a.model == "youtube":
        return random.integers(0, s["vocabulary"], (a.batch, s["history"]), np.int32), random.integers(0,
                s["classes"], a.batch, np.int32)
    shape = (a.batch, s["sequence_length"])
    return random.integers(0, s["vocabulary"], shape, np.int32), random.integers(0, s["vocabulary"],
            shape, np.int32)


def torch_step():
    import torch
    torch.set_num_threads(a.threads)
    if not a.model:
        return None
    import networks_of_torch
    torch.manual_seed(0)
    net = networks_of_torch.build(a.model, a.sizes).train()
    x, y = samples()
    x, y = torch.from_numpy(np.ascontiguousarray(x.transpose(0, 3, 1, 2)) if x.ndim == 4
                            else x), torch.from_numpy(y).long().flatten()
    optimizer = torch.optim.SGD(net.parameters(), lr=RATE, momentum=MOMENTUM)

    def step():
        optimizer.zero_grad(set_to_none=True)
        torch.nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()
    return step


def tensorflow_step():
    import tensorflow as tf
    tf.config.threading.set_intra_op_parallelism_threads(a.threads)
    tf.config.threading.set_inter_op_parallelism_threads(a.threads)
    if not a.model:
        return None
    import keras
    import networks_of_keras
    net = networks_of_keras.build(a.model, a.sizes)
    optimizer = keras.optimizers.SGD(RATE, MOMENTUM)
    optimizer.build(net.trainable_variables)
    x, y = map(tf.constant, samples())

    @tf.function
    def train():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, net(x, training=True)))
        optimizer.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
        return loss
    return lambda: train().numpy()


def jax_step():
    import jax
    if not a.model:
        return None
    import keras
    import networks_of_keras
    net = networks_of_keras.build(a.model, a.sizes)
    optimizer = keras.optimizers.SGD(RATE, MOMENTUM)
    optimizer.build(net.trainable_variables)
    x, y = map(jax.numpy.asarray, samples())
    # Keras keeps the state in its variables; a compiled step takes and returns the arrays.
    state = [[v.value for v in variables]
             for variables in (net.trainable_variables, net.non_trainable_variables, optimizer.variables)]

    def loss_of(weights, others):
        scores, others = net.stateless_call(weights, others, x, training=True)
        chances = jax.nn.log_softmax(scores)
        return -jax.numpy.take_along_axis(chances, y[..., None], -1).mean(), others

    @jax.jit
    def train(weights, others, slots):
        (loss, others), gradients = jax.value_and_grad(loss_of, has_aux=True)(weights, others)
        weights, slots = optimizer.stateless_apply(slots, gradients, weights)
        return loss, weights, others, slots

    def step():
        loss, *state[:] = train(*state)
        jax.block_until_ready((loss, state))
    return step


step = {"torch": torch_step, "tensorflow": tensorflow_step, "jax": jax_step}[a.framework]()
first, times = 0, []
if step:
    step()
    first = time.time() - a.started
    discarded = max(1, a.steps // 10)  # the first steps still allocate memory
    times = sorted(milliseconds(step, max(1, a.steps - discarded), warm_up=discarded))
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"step_ms": {"median": times[len(times) // 2], "min": times[0]} if times else None,
                  "peak_rss_mib": peak, "first_step_s": first}))
