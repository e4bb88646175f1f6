#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the backend `cuda` with doubles of NVIDIA's libraries (tests/cuda), which run the kernels on the CPU:
conformance, training, the cache of machine code, failures, and the release of everything that is made.
Nothing here shows that the backend works on a GPU."""
import glob
import json
import os
import re

from harness import *

library = f"{build}/lib/libcutset_cuda_%s_double.so"
double = {"CUTSET_CUDA_DRIVER": library % "driver", "CUTSET_CUDA_COMPILER": library % "compiler",
          "CUTSET_CUDA_CACHE": "",
          "CUTSET_CUDA_DOUBLE_CACHE": f"{build}/tests/cuda_double_cache",
          "CUTSET_VERDICTS": f"{folder}/verdicts"}
good = dataset("good")

# --- without a driver
absent = {"CUTSET_CUDA_DRIVER": "/nowhere/libcuda.so.1"}
listed = run("devices", "--json", "-", **absent)
row = next(r for r in json.loads(listed.stdout) if r["kind"] == "cuda")
expect(not row["available"] and "/nowhere/libcuda.so.1" in row["missing"],
       "cutset devices says that the driver is missing", listed)
refuse("training without a driver", "train", "mlp", "--devices", "cuda:0", "--data", good,
       says="install NVIDIA's driver", code=1, **absent)
described = run("dump", "mlp", "--devices", "cuda:0", "--batch", "8", **absent)
expect(described.returncode == 0 and "matmul" in described.stdout,
       "a program is compiled for a GPU that is not here", described)

# --- conformance, with another order of the threads and fewer random problems than in the tests
# cuda_double.conformance_seed_*
done = subprocess.run([f"{build}/bin/cutset-conformance", "cuda:0", "--random", "1", "--json", "-"],
                      capture_output=True, text=True, timeout=300,
                      env={**environment, **double, "CUTSET_CUDA_DOUBLE_SEED": "5"})
report = json.loads(done.stdout) if done.returncode == 0 else {}
expect(report.get("bad") == 0 and report.get("good", 0) > 100, "every op is correct", done)
refused = [r["op"] for r in report.get("ops", []) if r["refused"] > 2
           or (r["refused"] and not r["first_refusal"].endswith("no kernel for f64"))]
expect(refused == [], f"only cases in f64 of an op are refused, not one of {refused}", done)

# --- every barrier is needed: without it, some order of the threads gives wrong values
texts = [open(f).read() for f in glob.glob(f"{source}/backends/cuda/*.cc")
         + glob.glob(f"{source}/backends/cuda/kernels/*.cc")]
expect(sum(t.count("__syncthreads();") for t in texts) == 3,
       "each barrier of the kernels is listed here: two in gemm, one in join_block")
for op, barrier in (("matmul", "gemm:1"), ("matmul", "gemm:2"), ("reduce_sum", "reduce_parts:1"),
                    ("all_finite", "look:1"), ("all_finite", "join:1")):
    found = []
    for seed in range(8):
        done = subprocess.run([f"{build}/bin/cutset-conformance", "cuda:0", "--op", op, "--random", "5"],
                              capture_output=True, text=True, timeout=300,
                              env={**environment, **double, "CUTSET_CUDA_DOUBLE_WITHOUT": barrier,
                                   "CUTSET_CUDA_DOUBLE_SEED": str(seed)})
        found += [seed] if done.returncode == 1 and "FAILED" in done.stdout else []
        if found:
            break
    print(f"barrier {barrier} of {op}: found with the seeds {found}")
    expect(found, f"the missing barrier {barrier} of {op} is found")

# --- cuBLASLt computes matrix products where it is installed
blas = {"CUTSET_CUDA_BLAS": library % "blas", "CUTSET_CUDA_DOUBLE_REPORT": "1"}
for seed, without in (("0", "0"), ("7", "0"), ("7", "1")):
    for op in ("matmul", "fused_matmul"):
        done = subprocess.run([f"{build}/bin/cutset-conformance", "cuda:0", "--op", op], capture_output=True,
                              text=True, timeout=300,
                              env={**environment, **double, **blas, "CUTSET_CUDA_NO_BLAS": without,
                                   "CUTSET_CUDA_DOUBLE_SEED": seed})
        used = re.search(r"\b[1-9]\d* products", done.stderr) is not None
        expect(done.returncode == 0 and used == (without == "0"),
               f"{op} by cuBLASLt, seed {seed}, turned off: {without}", done)
done = run("verify", "mlp", "--devices", "cuda:0,cuda:1", "--strategy", "data(2)", "--batch", "64",
           "--data", good, "--json", "-", CUTSET_CUDA_DOUBLE_SEED="5", **double, **blas)
expect(done.returncode == 0 and json.loads(done.stdout)[0]["same"] and "products" in done.stderr,
       "the MLP with cuBLASLt on two GPUs is the MLP on the reference", done)

learned = [json.loads(run("train", "mlp", "--devices", "cuda:0", "--batch", "64", "--data", good,
                          "--steps", "4", "--no-evaluate", "--json", "-", CUTSET_CUDA_NO_GRAPHS=off,
                          CUTSET_CUDA_DOUBLE_SEED="3", **double, **blas).stdout)["loss"]
           for off in ("0", "1")]
expect(len(learned[0]) == 4 and learned[0] == learned[1], "cuBLASLt gives the same losses in CUDA graphs")

# --- cuDNN computes convolutions where it is installed
cudnn = {"CUTSET_CUDA_CUDNN_PLANS": library % "cudnn", "CUTSET_CUDA_DOUBLE_REPORT": "1"}


def is_clean(done):
    """Returns whether every double reports that everything was released, and the double of cuDNN reports no
    violation."""
    kept = re.findall("not released: (.*)", done.stderr)
    return kept and not re.search(r"\b[1-9]", " ".join(kept)) and not re.search(r"\b[1-9]\d* violations",
            done.stderr)


ops = ("conv", "fused_conv", "conv_transpose", "conv_backward_filter")
refusals = ",".join(f"make_plan:{n}:3000" for n in range(1, 1000))
for seed, variables, why in (("0", {}, ""), ("7", {}, ""), ("1", {"CUTSET_CUDA_NO_CUDNN": "1"},
                                                            "CUTSET_CUDA_NO_CUDNN is set"),
                             ("1", {"CUTSET_CUDA_DOUBLE_FAULTS": refusals},
                              "make_plan fails on request with status 3000")):
    for op in ops:
        done = subprocess.run([f"{build}/bin/cutset-conformance", "cuda:0", "--op", op, "--json", "-"],
                              capture_output=True, text=True, timeout=300,
                              env={**environment, **double, **cudnn, **variables,
                                   "CUTSET_CUDA_DOUBLE_SEED": seed})
        row = json.loads(done.stdout)["ops"][0] if done.returncode == 0 else {"passed": 0, "kernels": "",
                "passed_over": []}
        expect(row["passed"] > 30 and is_clean(done), f"{op} by cuDNN, seed {seed}, {variables}", done)
        if why:
            expect(row["kernels"] == f"{op}.cuda" and any(why in over for over in row["passed_over"]),
                   f"{op}.cuda runs because {why}", done)
        else:  # cuDNN computes no convolution without elements
            executions = re.search(r"(\d+) executions", done.stderr)
            expect(row["kernels"].startswith(f"{op}.cudnn")
                   and all("a size of the convolution is 0" in over for over in row["passed_over"])
                   and executions and int(executions[1]) > 30, f"{op}.cudnn runs, seed {seed}", done)

both = {**double, **blas, **cudnn}
# the last word is the seed of the order of the threads
splits = (("cuda:0", "one_device", "0"), ("cpu:0,cuda:0", "model", "1"), ("cuda:0,cuda:1", "data(2)", "9"))
for devices, strategy, seed in splits:
    done = run("verify", "lenet", "--devices", devices, "--strategy", strategy, "--batch", "4",
               "--data", good, "--json", "-", CUTSET_CUDA_DOUBLE_SEED=seed, **both)
    expect(done.returncode == 0 and json.loads(done.stdout)[0]["same"] and is_clean(done)
           and re.search(r"\b[1-9]\d* executions", done.stderr),
           f"LeNet with cuBLASLt and cuDNN on {devices}, seed {seed}, is LeNet on the reference", done)
convolutional = ["train", "lenet", "--devices", "cuda:0", "--batch", "4", "--data", good, "--steps", "4",
                 "--no-evaluate"]
in_graphs, one_by_one = [run(*convolutional, "--json", "-", "--log", "dispatch", CUTSET_CUDA_NO_GRAPHS=off,
                             CUTSET_CUDA_DOUBLE_SEED="3", **both) for off in ("0", "1")]
losses = [json.loads(done.stdout)["loss"] if done.returncode == 0 else [] for done in (in_graphs, one_by_one)]
expect(len(losses[0]) == 4 and losses[0] == losses[1] and is_clean(in_graphs) and is_clean(one_by_one),
       "cuDNN gives the same losses in CUDA graphs", in_graphs)
expect(all(re.search(rf" {op} \(lenet\.cc:\d+\) on cuda:0: {op}\.cudnn\n", in_graphs.stderr)
           for op in ops[1:]), "the log names the kernels of cuDNN", in_graphs)
enqueued = [int(re.search(r"(\d+) executions", done.stderr)[1]) for done in (in_graphs, one_by_one)]
expect(enqueued[0] < enqueued[1], f"a CUDA graph contains executions of cuDNN: {enqueued}", in_graphs)
for number, op, layer in ((1, "fused_conv", "conv1"), (2, "fused_conv", "conv2"),
                          (3, "conv_transpose", "conv2")):
    failed = run(*convolutional, CUTSET_CUDA_DOUBLE_FAULTS=f"execute:{number}:5000", **both)
    lines = [l for l in failed.stderr.splitlines() if l.startswith("cutset: error: ")]
    expect(failed.returncode == 1 and len(lines) == 1 and f"'{op}' of {layer}: cuda:0: cuDNN: execute fails "
                                                          "on request with status 5000" in lines[0]
           and is_clean(failed), f"execution {number} fails with one error that names {op} and cuda:0",
           failed)

# --- a kernel is compared with the reference before its first use, and a kernel with wrong results is not
# used
mine = {**double, **blas, "CUTSET_VERDICTS": f"{folder}/planted"}
small = ["train", "mlp", "--no-fuse", "--devices", "cuda:0", "--batch", "8", "--data", good, "--steps", "3",
         "--no-evaluate", "--json", "-", "--log", "dispatch"]
sound = run(*small, **mine)
verdicts = {f: open(f).read() for f in glob.glob(f"{folder}/planted/*.txt")}
expect(sound.returncode == 0 and "warning" not in sound.stderr and len(verdicts) > 10
       and all(t.endswith("\ncorrect\n") for t in verdicts.values()),
       "every kernel is found correct and has a file", sound)
refused = run(*small, **{**mine, "CUTSET_CUDA_NO_BLAS": "1"})
own = json.loads(refused.stdout)["loss"]
expect("matmul.cuda runs instead of matmul.cublaslt: cuda:0: cannot prepare matmul.cublaslt: the environment "
       "variable CUTSET_CUDA_NO_BLAS is set" in refused.stderr and "warning" not in refused.stderr,
       "the log says why our own kernel runs", refused)
of_blas = [f for f, t in verdicts.items() if "matmul.cublaslt" in t]
expect(len(of_blas) == 1 and "cuBLASLt " in verdicts[of_blas[0]]
       and "driver for CUDA" in verdicts[of_blas[0]],
       "a verdict names the GPU and the versions of driver and library")
open(of_blas[0], "w").write(verdicts[of_blas[0]].replace("\ncorrect\n",
                                                         "\nwrong: its results are wrong: element 3\n"))
warned = run(*small, **mine)
expect(warned.returncode == 0 and "warning: matmul.cuda runs instead of matmul.cublaslt: cuda:0: "
                                  "matmul.cublaslt: its results are wrong: element 3" in warned.stderr
       and json.loads(warned.stdout)["loss"] == own,
       "a kernel with a bad verdict is not used, and a warning says so", warned)
for damage in ("", "cutset verdict 1\n", verdicts[of_blas[0]][:-1],
               verdicts[of_blas[0]].replace("correct", "maybe"),
               verdicts[of_blas[0]].replace("cuBLASLt", "cublaslt")):
    open(of_blas[0], "w").write(damage)
    again = run(*small, **mine)
    expect(again.returncode == 0 and "warning" not in again.stderr
           and open(of_blas[0]).read() == verdicts[of_blas[0]], "a damaged verdict is made again", again)

# --- training: every split of the work gives what one device gives
for devices, strategy, seed in splits:
    done = run("verify", "lenet", "--devices", devices, "--strategy", strategy, "--batch", "4",
               "--data", good, "--json", "-", CUTSET_CUDA_DOUBLE_SEED=seed, **double)
    expect(done.returncode == 0 and json.loads(done.stdout)[0]["same"],
           f"LeNet on {devices}, seed {seed}, is LeNet on the reference", done)
steps = ["--batch", "16", "--data", good, "--steps", "4", "--no-evaluate", "--json", "-"]
want = json.loads(run("train", "mlp", "--devices", "reference:0", *steps).stdout)["loss"]
for devices, strategy, _ in splits:
    done = run("train", "mlp", "--devices", devices, "--strategy", strategy, *steps,
               CUTSET_CUDA_DOUBLE_SEED="3", CUTSET_CUDA_DOUBLE_REPORT="1", **double)
    got = json.loads(done.stdout)["loss"] if done.returncode == 0 else []
    expect(len(got) == len(want) and all(abs(a - b) <= 1e-5 * abs(b) for a, b in zip(got, want)),
           f"the losses of the MLP on {devices} are those of the reference", done)
    expect(is_clean(done), f"everything on {devices} is released", done)

# --- machine code is kept in files, and a damaged file is not used
kept = {**double, "CUTSET_CUDA_CACHE": f"{folder}/code", "CUTSET_CUDA_DOUBLE_CACHE": ""}
broken = {"CUTSET_CUDA_DOUBLE_COMPILER": "/bin/false"}
few = ["train", "mlp", "--devices", "cuda:0", "--batch", "4", "--data", good, "--steps", "3", "--no-evaluate"]
expect(run(*few, **kept).returncode == 0, "training with a cache")
files = glob.glob(f"{folder}/code/*.cubin")
expect(len(files) > 10, "the kernels are kept in files")
expect(run(*few, **{**kept, **broken}).returncode == 0, "a second process needs no compiler")
for damage in (lambda b: b[:-1], lambda b: b[:40] + bytes([b[40] ^ 1]) + b[41:],
               lambda b: b[:-9] + bytes([b[-9] ^ 1]) + b[-8:], lambda b: b""):
    whole = open(files[0], "rb").read()
    open(files[0], "wb").write(damage(whole))
    damaged = run(*few, **{**kept, **broken})
    expect(damaged.returncode == 1 and "NVRTC" in damaged.stderr, "a damaged file is not used", damaged)
    expect(run(*few, **kept).returncode == 0 and open(files[0], "rb").read() == whole,
           "a damaged file is replaced")
os.remove(files[0])
os.mkfifo(files[0])
expect(run(*few, **kept).returncode == 0, "a pipe in place of a file does not block")
os.remove(files[0])
open(f"{files[0]}.tmp-0000000000000000", "w").write("half")  # of a process that was killed
expect(run(*few, **kept).returncode == 0 and open(files[0], "rb").read() == whole
       and not glob.glob(f"{folder}/code/*.tmp-*"), "the temporary file of a killed process is removed")
os.chmod(f"{folder}/code", 0o500)
expect(run(*few, **{**kept, "CUTSET_CUDA_CACHE": "/proc/nowhere"}).returncode == 0,
       "a cache that cannot be written is no error")
os.chmod(f"{folder}/code", 0o700)

# --- failures of the driver are errors that name the device
for fault, says in (("cuMemAlloc_v2:2:2", "out of memory"), ("cuStreamCreate:1:801", "cuStreamCreate"),
                    ("cuModuleLoadData:3:200,cuModuleLoadData:4:200", "cannot prepare"),
                    ("cuGraphLaunch:1:719", "cuda:0"), ("cuMemcpyHtoDAsync_v2:2:700", "cuda:0"),
                    ("cuStreamSynchronize:3:719", "cuda:0"),
                    ("cuEventRecord:4:400", "cuda:0"), ("cuDevicePrimaryCtxRetain:1:2", "cuda:0"),
                    (",".join(f"cuInit:{n}:100" for n in range(1, 20)), "cannot start")):
    done = run(*few, CUTSET_CUDA_DOUBLE_FAULTS=fault, **double)
    lines = [l for l in done.stderr.splitlines() if l.startswith("cutset: error: ")]
    expect(done.returncode == 1 and len(lines) == 1 and says in lines[0],
           f"{fault}: one error that says '{says}'", done)
eager = run(*few, CUTSET_CUDA_DOUBLE_FAULTS="cuLaunchKernel:7:719", CUTSET_CUDA_NO_GRAPHS="1", **double)
expect(eager.returncode == 1 and "cuda:0" in eager.stderr and "cuLaunchKernel" in eager.stderr,
       "a kernel that cannot be launched is an error", eager)
for fault in ("cuStreamBeginCapture_v2:1:900", "cuLaunchKernel:50:900", "cuGraphInstantiateWithFlags:2:801"):
    done = run(*few[:-1], "--json", "-", "--no-evaluate", CUTSET_CUDA_DOUBLE_FAULTS=fault, **double)
    without = run(*few[:-1], "--json", "-", "--no-evaluate", CUTSET_CUDA_NO_GRAPHS="1", **double)
    expect(done.returncode == 0 and json.loads(done.stdout)["loss"] == json.loads(without.stdout)["loss"],
           f"{fault}: kernels that cannot be recorded run one by one", done)
old = run("devices", "--json", "-", CUTSET_CUDA_COMPILER="/nowhere/libnvrtc.so",
          CUTSET_CUDA_DRIVER=double["CUTSET_CUDA_DRIVER"])
expect("install NVRTC" in next(r for r in json.loads(old.stdout) if r["kind"] == "cuda")["missing"],
       "cutset devices says that NVRTC is missing", old)
refuse("a GPU that is not there", "train", "mlp", "--devices", "cuda:7", "--data", good,
       says="the driver lists 2 GPUs", code=1, hint=False, **double)

finish()
