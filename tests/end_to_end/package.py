#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packs what a machine needs that only runs programs, unpacks it into another folder, and runs a saved
program and the conformance test from there. The archive must be small and must not need LLVM or a library of
a vendor's SDK."""
import glob
import json
import tarfile

from harness import *

MOST_BYTES = 60 * 2**20

packed = subprocess.run(["cpack", "-B", f"{folder}/archive", "--config", f"{build}/CPackConfig.cmake"],
                        cwd=folder, capture_output=True, text=True)
archives = glob.glob(f"{folder}/archive/*.tar.gz")
expect(packed.returncode == 0 and len(archives) == 1, "one archive is written", packed)
if archives:
    size = os.path.getsize(archives[0])
    print(f"{os.path.basename(archives[0])}: {size / 2**20:.1f} MiB")
    expect(size < MOST_BYTES, "the archive is small")
    with tarfile.open(archives[0]) as archive:
        archive.extractall(f"{folder}/unpacked", filter="data") if hasattr(tarfile,
                "data_filter") else archive.extractall(f"{folder}/unpacked")
    root = os.path.dirname(os.path.dirname(glob.glob(f"{folder}/unpacked/**/bin/cutset", recursive=True)[0]))
    files = [f for f in glob.glob(f"{root}/**/*", recursive=True) if os.path.isfile(f)]
    names = {os.path.basename(f) for f in files}
    expect({"cutset", "cutset-conformance", "libcutset_runtime.so", "libcutset_device_cuda.so",
            "libcutset_device_cpu.so", "LICENSE"} <= names,
           f"the archive has the runtime and the backends: {sorted(names)}")
    expect(not any(n.endswith(".h") or "compiler" in n or "double" in n or "opt" in n for n in names),
           "the archive has no headers, no compiler and no doubles")
    for f in files:
        needs = subprocess.run(["ldd", f], capture_output=True,
                               text=True).stdout if ".so" in f or "/bin/" in f else ""
        expect("not found" not in needs
               and not any(s in needs for s in ("LLVM", "MLIR", "libcuda", "cudnn.so", "nvrtc", "protobuf")),
               f"{os.path.basename(f)} needs no LLVM, no protobuf and no library of NVIDIA: {needs}")
        expect(build not in needs, f"{os.path.basename(f)} uses nothing of the build tree: {needs}")

    # --- a program that was compiled elsewhere
    good = dataset("good")
    expect(run("compile", "mlp", "--devices", "cpu:0", "--batch", "16", "-o",
               f"{folder}/mlp.cutset").returncode == 0, "a program is compiled")
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (16, 1, 28, 28), }".encode()
    header += b" " * (117 - len(header)) + b"\n"
    with open(f"{folder}/image.npy", "wb") as image:
        image.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + bytes(4 * 16 * 784))
    for arguments in (["run", f"{folder}/mlp.cutset", "--function", "predict",
                       "--input", f"image={folder}/image.npy"], ["devices"]):
        done = subprocess.run([f"{root}/bin/cutset", *arguments], capture_output=True, text=True,
                              env=environment, cwd=folder)
        expect(done.returncode == 0, f"cutset {arguments[0]} runs from the archive", done)
    done = subprocess.run([f"{root}/bin/cutset-conformance", "cpu:0", "--random", "1", "--json", "-"],
                          capture_output=True, text=True, env=environment, cwd=folder)
    expect(done.returncode == 0 and json.loads(done.stdout)["bad"] == 0,
           "cutset-conformance runs from the archive", done)
    # --- the report for a machine with a GPU: its self-test and its measurements, with the programs of the
    # archive
    expect({"lenet-cuda.cutset", "mlp-cuda.cutset", "lenet-cpu.cutset", "mlp-cpu.cutset"} <= names,
           "the archive has programs to measure")
    done = subprocess.run([f"{root}/share/cutset/gpu_report.sh", "cpu:0", f"{folder}/report.tar.gz"],
                          capture_output=True, text=True, env={**environment, "CUTSET_REPORT_RUNS": "5"},
                          cwd=folder)
    expect(done.returncode == 0 and "0 are not" in done.stdout, "the report of cpu:0 is made", done)
    if done.returncode == 0:
        with tarfile.open(f"{folder}/report.tar.gz") as archive:
            parts = {os.path.basename(m.name): m for m in archive.getmembers()}
            expect({"selftest.json", "lenet-cpu.json", "mlp-cpu.txt", "devices.txt"} <= set(parts),
                   f"the report is complete: {sorted(parts)}")
            measured = json.load(archive.extractfile(parts["lenet-cpu.json"]))
            expect(measured["runs"] == 5
                   and 0 < measured["fastest_ms"] <= measured["median_ms"] <= measured["p90_ms"]
                   and "fused_conv on cpu:0: fused_conv.onednn" in measured["log"],
                   f"the report has times and kernels: {measured}")
    for fault, code in (("", 0), ("enqueue/tanh=1:nan", 1)):
        done = subprocess.run([f"{root}/share/cutset/gpu_report.sh", "sim:0", f"{folder}/report.tar.gz"],
                              capture_output=True, text=True,
                              env={**environment, "CUTSET_SIMULATED_FAULTS": fault}, cwd=folder)
        expect(done.returncode == code and ("FAILED" in done.stdout) == (code == 1)
               and "warning" not in done.stdout + done.stderr,
               f"the report of a device with the fault '{fault}' has the exit code {code}", done)
    done = subprocess.run([f"{root}/share/cutset/gpu_report.sh", "cpu:1"], capture_output=True, text=True,
                          env=environment, cwd=folder)
    expect(done.returncode == 2 and "number 0" in done.stderr, "another number is refused", done)
    done = subprocess.run([f"{root}/share/cutset/gpu_report.sh", "sim:0", "/proc/report.tar.gz"],
                          capture_output=True, text=True, env=environment, cwd=folder)
    expect(done.returncode == 1, "a report that cannot be written is an error", done)
    done = subprocess.run([f"{root}/bin/cutset", "train", "mlp", "--devices", "cpu:0", "--data", good],
                          capture_output=True, text=True, env=environment, cwd=folder)
    expect(done.returncode == 1 and "libcutset_compiler.so" in done.stderr,
           "without the compiler, training says what is missing", done)

finish()
