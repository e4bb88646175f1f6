#!/usr/bin/env python3
"""Runs `cutset run` and `cutset verify` on hostile ONNX files, which it makes itself.

Usage: hostile.py CUTSET [--fork-server LIBRARY] [--sanitized] [--list] [PART_OF_A_NAME]

A module of threats/ holds the files of one threat. Each file must be refused with an exit code of 1 or 2 and one printable line that names what
is wrong, in less than 10 s of a core, with less than twice its bytes and 256 MiB of memory, and without a file that stays. The files of threats/valid.py
must run. --list prints all messages. With --sanitized, memory is not limited, because sanitizers take more. With --fork-server, the processes are
forked from one that has loaded the libraries (fork_server.cc), in half of the time."""
import argparse
import collections
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

THREATS = ("encoding", "files", "elements", "external", "structure", "names", "functions", "attributes", "operands", "layers")
ONLY_RUN = ("encoding", "elements")
BOTH = ("files", "external")
SECONDS = 10  # of a core
SECONDS_OF_A_HANG = 60
MOST_BYTES = 256 << 20
LONGEST_MESSAGE = 8192
LEAST_FILES = 800


class Done:
    def __init__(self, code, out, error, peak, seconds, processor):
        self.code, self.out, self.error, self.peak, self.seconds, self.processor = code, out, error, peak, seconds, processor


def run_in_server(server, arguments, folder, temporary, limited):
    """Does what run does, by a ForkServer."""
    start = time.monotonic()
    texts = [f"{temporary}/output", f"{temporary}/error"]
    memory, file_size = (8 << 30, 1 << 20) if limited else (0, 0)
    code, processor, peak = server.run(arguments, folder, *texts, core_seconds=SECONDS, memory=memory, file_size=file_size, seconds=SECONDS_OF_A_HANG, TMPDIR=folder + "/tmp")
    seconds = time.monotonic() - start
    for i, path in enumerate(texts):
        with open(path, "rb") as file:
            texts[i] = file.read(1 << 20)
        os.remove(path)
    return Done(code, *texts, peak, seconds, processor)


def run(command, folder, temporary, limited):
    """Runs a command, and measures the peak of its memory. A negative code is a signal; SIGALRM stands for a command that hangs."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        if limited:
            resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
    start = time.monotonic()
    with tempfile.TemporaryFile(dir=temporary) as out, tempfile.TemporaryFile(dir=temporary) as error:
        child = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=error, env=dict(os.environ, TMPDIR=folder + "/tmp"), preexec_fn=limit)
        hung = []

        def kill(*_):
            hung.append(True)
            child.kill()
        signal.signal(signal.SIGALRM, kill)
        signal.alarm(SECONDS_OF_A_HANG)
        _, status, usage = os.wait4(child.pid, 0)
        signal.alarm(0)
        child.returncode = os.waitstatus_to_exitcode(status)
        texts = []
        for file in (out, error):
            file.seek(0)
            texts.append(file.read(1 << 20))
    processor = usage.ru_utime + usage.ru_stime
    return Done(-signal.SIGALRM if hung else child.returncode, *texts, usage.ru_maxrss * 1024, time.monotonic() - start, processor)


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
    return sorted(os.path.join(at, name) for at, folders, files in os.walk(folder) for name in folders + files)


def wrong(done, case, size, valid, limited):
    """Why the result of a command is wrong, or an empty text."""
    if done.code == -signal.SIGALRM:
        return f"it did not end in {SECONDS_OF_A_HANG} s"
    if done.code in (-signal.SIGXCPU, -signal.SIGKILL):
        return f"it used a core for {SECONDS} s, or it was killed"
    if done.code < 0 or b"Sanitizer" in done.error or b"runtime error:" in done.error or b"Assertion" in done.error:
        return f"it ended with {done.code}: {done.error[-600:].decode(errors='replace')!r}"
    if limited and not valid and done.peak > 2 * size + MOST_BYTES:
        return f"it took {done.peak >> 20} MiB of memory"
    if valid:
        return "" if done.code == 0 else f"it is refused: {done.error[:400].decode(errors='replace')}"
    # A model that is imported needs elements of its inputs, which the test does not give to `cutset run`.
    if done.code == 0 or b"there is no array for" in done.error:
        return "it is accepted"
    if done.code not in (1, 2):
        return f"its exit code is {done.code}"
    return wrong_message(done, case.says)


def check(case, threat, folder, options, server, seconds):
    """Makes the file, and runs the commands on it. Returns why a result is wrong, or an empty text, and the largest peak of memory."""
    os.makedirs(folder + "/m/tmp")
    path = folder + "/m/m.onnx"
    if callable(case.content):
        case.content(path)
    else:
        write(path, case.content)
    size = os.path.getsize(path) if os.path.isfile(path) else 0
    before, valid, peak = contents(folder), threat == "valid", 0
    # `cutset run` has no elements for inputs, so most models need `cutset verify`, which draws random ones.
    commands = [["verify", path, "--steps", "1"]] * (threat not in ONLY_RUN) + [["run", path]] * (threat in ONLY_RUN + BOTH)
    for name, *arguments in commands:
        limited = not options.sanitized
        done = run_in_server(server, [name, *arguments], folder + "/m", folder, limited) if server else run([options.cutset, name, *arguments], folder + "/m", folder, limited)
        seconds.append((done.seconds, done.processor, f"{name} {threat}: {case.name}"))
        peak = max(peak, done.peak)
        if options.list:
            print(f"{threat}: {case.name}: {done.code}, {done.seconds:.2f} s, {done.peak >> 20} MiB: {done.error[:500].decode(errors='backslashreplace')}", flush=True)
        why = wrong(done, case, size, valid, limited)
        if not why and contents(folder) != before:
            why = f"files stay: {sorted(set(contents(folder)) - set(before))}"
        if why:
            return f"{threat}: {case.name}: cutset {name}: {why}", peak
    return "", peak


def main(temporary, options):
    failures, counts, peaks, seconds = [], collections.Counter(), [], []
    libraries = os.path.dirname(os.path.dirname(options.cutset)) + "/lib/libcutset_"
    server = options.fork_server and ForkServer(options.cutset, options.fork_server, [f"{libraries}{name}.so" for name in ("compiler", "onnx", "device_cpu", "device_reference")])
    for threat in (*THREATS, "valid"):
        names = set()
        for case in importlib.import_module(f"threats.{threat}").cases():
            assert case.name not in names, f"two files have the name '{case.name}'"
            names.add(case.name)
            if options.part not in f"{threat}: {case.name}":
                continue
            counts[threat] += 1
            folder = f"{temporary}/{counts.total()}"
            failure, peak = check(case, threat, folder, options, server, seconds)
            peaks.append((peak, f"{threat}: {case.name}"))
            shutil.rmtree(folder)
            if failure:
                failures.append(failure)
    if server and (code := server.close()):
        failures.append(f"the server of processes ends with {code}")
    print("\n".join(failures))
    print(", ".join(f"{threat} {count}" for threat, count in counts.items()))
    peak, slowest = max(peaks), max(seconds)
    print(f"{counts.total()} files, of which {counts['valid']} are valid, in {sum(s for s, *_ in seconds):.1f} s, of which the commands use a core for {sum(p for _, p, _ in seconds):.1f} s; the largest peak is {peak[0] >> 20} MiB ({peak[1]}), and the "
          f"longest time is {slowest[0]:.1f} s ({slowest[2]}); {len(failures)} failures")
    assert options.part or counts.total() - counts["valid"] >= LEAST_FILES, f"there are fewer than {LEAST_FILES} hostile files"
    return int(bool(failures))


parser = argparse.ArgumentParser()
parser.add_argument("cutset", type=os.path.abspath)
parser.add_argument("part", nargs="?", default="")
parser.add_argument("--fork-server", type=os.path.abspath)
parser.add_argument("--sanitized", action="store_true")
parser.add_argument("--list", action="store_true")
with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as made:
    sys.exit(main(made, parser.parse_args()))
