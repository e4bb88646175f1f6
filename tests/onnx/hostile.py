#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs `cutset run` and `cutset verify` on hostile ONNX files, which it makes itself.

Usage: hostile.py CUTSET [PART_OF_A_NAME] [--fork-server LIBRARY] [--list]

A module of threats/ holds the files of one threat. Each file must be refused with an exit code of 1 or 2 and
one printable line that names what is wrong, in less than 10 s of CPU time, with less than twice its bytes and
256 MiB of memory, and without a file that stays. The files of threats/valid.py must run. --list prints all
messages. With --fork-server, a process that has loaded the libraries forks the processes of the command
(fork_server.cc). The test then takes a third of the time."""
import argparse
import collections
import functools
import importlib
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from fork_server import ForkServer
from threats.case import write

THREATS = ("encoding", "files", "elements", "external", "structure", "names", "functions", "attributes",
           "operands", "layers")
ONLY_RUN = ("encoding", "elements")
BOTH = ("files", "external")
SECONDS = 10  # of CPU time
SECONDS_OF_A_HANG = 60
MOST_BYTES = 256 << 20
# a process of a fork server shares the pages of libraries with it, which do not count
BYTES_OF_LIBRARIES = 64 << 20
MOST_ADDRESSES = 8 << 30
MOST_FILE_BYTES = 1 << 20
LONGEST_MESSAGE = 8192
LEAST_FILES = 800


class Done:
    def __init__(self, code, out, error, peak, seconds, processor):
        self.code, self.out, self.error, self.peak, self.seconds, self.processor = (code, out, error,
                peak, seconds, processor)


def run_in_server(server, arguments, folder, out, error):
    """Runs a command as run_alone does, in a process that a ForkServer forks."""
    return server.run(arguments, folder, out, error, cpu_seconds=SECONDS, memory=MOST_ADDRESSES,
                      file_size=MOST_FILE_BYTES, seconds=SECONDS_OF_A_HANG, TMPDIR=folder + "/tmp")


def run_alone(cutset, arguments, folder, out, error):
    """Runs a command. Returns its exit code, its CPU time in seconds, and the bytes of its largest resident
    set. A negative code is a signal; SIGALRM stands for a command that hangs."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (MOST_ADDRESSES, MOST_ADDRESSES))
        resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_FILE_BYTES, MOST_FILE_BYTES))
    with open(out, "wb") as out_file, open(error, "wb") as error_file:
        child = subprocess.Popen([cutset, *arguments], cwd=folder, stdin=subprocess.DEVNULL, stdout=out_file,
                                 stderr=error_file, env=dict(os.environ, TMPDIR=folder + "/tmp"),
                                 preexec_fn=limit)
    hung = []

    def kill(*_):
        hung.append(True)
        child.kill()
    signal.signal(signal.SIGALRM, kill)
    signal.alarm(SECONDS_OF_A_HANG)
    _, status, usage = os.wait4(child.pid, 0)
    signal.alarm(0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return (-signal.SIGALRM if hung else child.returncode, usage.ru_utime + usage.ru_stime,
            usage.ru_maxrss * 1024)


def run(start, streams, arguments, folder):
    """Runs a command by run_alone or run_in_server, and reads what it prints into files of the folder
    `streams`."""
    began = time.monotonic()
    paths = [f"{streams}/out", f"{streams}/error"]
    code, processor, peak = start(arguments, folder, *paths)
    seconds, texts = time.monotonic() - began, []
    for path in paths:
        with open(path, "rb") as file:
            texts.append(file.read(1 << 20))
    return Done(code, *texts, peak, seconds, processor)


def is_printable(line):
    try:
        return line.decode().isprintable()
    except UnicodeDecodeError:
        return False


def wrong_message(done, says):
    """Why the output of a command that refused a file is wrong, or an empty text."""
    if done.out:
        return f"it prints to standard output: {done.out[:200]!r}"
    lines = done.error.split(b"\n")
    if len(lines) != 2 or lines[1] or not lines[0].startswith(b"cutset: error: "):
        return f"the message is not one line that begins with 'cutset: error: ': {done.error[:400]!r}"
    if not is_printable(lines[0]):
        return f"the message is not printable: {lines[0][:400]!r}"
    if len(lines[0]) > LONGEST_MESSAGE:
        return f"the message has {len(lines[0])} bytes"
    if says not in lines[0].decode():
        return f"the message does not say '{says}': {lines[0].decode()[:400]}"
    return ""


def contents(folder):
    return sorted(os.path.join(at, name) for at, folders, files in os.walk(folder) for name in folders
                  + files)


def wrong(done, case, size, valid, most_bytes):
    """Why the result of a command is wrong, or an empty text."""
    if done.code == -signal.SIGALRM:
        return f"it did not end in {SECONDS_OF_A_HANG} s"
    if done.code in (-signal.SIGXCPU, -signal.SIGKILL):
        return f"it used {SECONDS} s of CPU time, or it was killed"
    if (done.code < 0 or b"Sanitizer" in done.error or b"runtime error:" in done.error
        or b"Assertion" in done.error):
        return f"it ended with {done.code}: {done.error[-600:].decode(errors='replace')!r}"
    if not valid and done.peak > 2 * size + most_bytes:
        return f"it took {done.peak >> 20} MiB of memory"
    if valid:
        return "" if done.code == 0 else f"it is refused: {done.error[:400].decode(errors='replace')}"
    # A model that is imported needs elements of its inputs, which the test does not give to `cutset run`.
    if done.code == 0 or b"there is no array for" in done.error:
        return "it is accepted"
    if done.code not in (1, 2):
        return f"its exit code is {done.code}"
    return wrong_message(done, case.says)


def check(case, threat, folder, options, start, streams, seconds):
    """Makes the file, and runs the commands on it. Returns why a result is wrong, or an empty text, and the
    largest peak of memory."""
    os.makedirs(folder + "/m/tmp")
    path = folder + "/m/m.onnx"
    if callable(case.content):
        case.content(path)
    else:
        write(path, case.content)
    size = os.path.getsize(path) if os.path.isfile(path) else 0
    before, valid, peak = contents(folder), threat == "valid", 0
    # `cutset run` has no elements for inputs, so most models need `cutset verify`, which draws random
    # elements.
    commands = [["verify", path, "--steps", "1"]] * (threat not in ONLY_RUN) + [["run", path]] * (
        threat in ONLY_RUN + BOTH)
    for name, *arguments in commands:
        done = run(start, streams, [name, *arguments], folder + "/m")
        seconds.append((done.seconds, done.processor, f"{name} {threat}: {case.name}"))
        peak = max(peak, done.peak)
        if options.list:
            print(f"{threat}: {case.name}: {done.code}, {done.seconds:.2f} s, {done.peak >> 20} MiB: "
                  f"{done.error[:500].decode(errors='backslashreplace')}", flush=True)
        why = wrong(done, case, size, valid, MOST_BYTES - (BYTES_OF_LIBRARIES if options.fork_server else 0))
        if not why and contents(folder) != before:
            why = f"files stay: {sorted(set(contents(folder)) - set(before))}"
        if why:
            return f"{threat}: {case.name}: cutset {name}: {why}", peak
    return "", peak


def main(temporary, options):
    failures, counts, peaks, seconds = [], collections.Counter(), [], []
    server, start, streams = None, functools.partial(run_alone, options.cutset), f"{temporary}/streams"
    os.mkdir(streams)
    if options.fork_server:
        beginning = os.path.dirname(os.path.dirname(options.cutset)) + "/lib/libcutset_"
        # which most of the commands load
        libraries = [f"{beginning}{name}.so"
                     for name in ("compiler", "onnx", "device_cpu", "device_reference")]
        server = ForkServer(options.cutset, options.fork_server, filter(os.path.exists, libraries))
        start = functools.partial(run_in_server, server)
    for threat in (*THREATS, "valid"):
        names = set()
        for case in importlib.import_module(f"threats.{threat}").cases():
            assert case.name not in names, f"two files have the name '{case.name}'"
            names.add(case.name)
            if options.part not in f"{threat}: {case.name}":
                continue
            counts[threat] += 1
            folder = f"{temporary}/{counts.total()}"
            failure, peak = check(case, threat, folder, options, start, streams, seconds)
            peaks.append((peak, f"{threat}: {case.name}"))
            shutil.rmtree(folder)
            if failure:
                failures.append(failure)
    if server and (code := server.close()):
        failures.append(f"the fork server ended with the exit code {code}")
    print("\n".join(failures))
    print(", ".join(f"{threat} {count}" for threat, count in counts.items()))
    peak, slowest = max(peaks), max(seconds)
    print(f"{counts.total()} files, of which {counts['valid']} are valid, in "
          f"{sum(s for s, *_ in seconds):.1f} s, of which the commands use "
          f"{sum(p for _, p, _ in seconds):.1f} s of CPU time; the largest peak is {peak[0] >> 20} MiB "
          f"({peak[1]}), and the "
          f"longest time is {slowest[0]:.1f} s ({slowest[2]}); {len(failures)} failures")
    assert options.part or counts.total() - counts[
        "valid"] >= LEAST_FILES, f"there are fewer than {LEAST_FILES} hostile files"
    return int(bool(failures))


parser = argparse.ArgumentParser()
parser.add_argument("cutset", type=os.path.abspath)
parser.add_argument("part", nargs="?", default="")
parser.add_argument("--fork-server", type=os.path.abspath)
parser.add_argument("--list", action="store_true")
with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as made:
    sys.exit(main(made, parser.parse_intermixed_args()))
